package dev.millrace.testkit;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.sinkpool.AdmissionBudget;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Fails a test that leaves acknowledgement handles open, or a share of a budget taken.
///
/// Register one with `@RegisterExtension` in an instance field, so that each test has its own, and give it what
/// the test makes:
///
/// ```java
/// @RegisterExtension
/// final LeakDetector leaks = new LeakDetector();
///
/// final OpenHandles handles = leaks.watch(new OpenHandles());
/// ```
///
/// Thread ownership: the test's thread; what is watched may be used from any.
public final class LeakDetector implements AfterEachCallback {
    private final List<OpenHandles> handles = new ArrayList<>();
    private final List<AdmissionBudget> budgets = new ArrayList<>();

    /// Watches these handles, and returns them.
    public OpenHandles watch(OpenHandles watched) {
        handles.add(watched);
        return watched;
    }

    /// Watches this budget, and returns it.
    public AdmissionBudget watch(AdmissionBudget watched) {
        budgets.add(watched);
        return watched;
    }

    /// Throws an `AssertionError` that names every leak. JUnit calls it after each test.
    @Override
    public void afterEach(ExtensionContext context) {
        check();
    }

    void check() {
        var leaks = new ArrayList<String>();
        for (var watched : handles)
            if (watched.count() != 0) leaks.add(watched.count() + " acknowledgement handles are open");
        for (var watched : budgets)
            if (watched.rows() != 0 || watched.bytes() != 0)
                leaks.add("the budget still holds " + watched.rows() + " rows and " + watched.bytes() + " bytes");
        if (!leaks.isEmpty()) throw new AssertionError("leaked at the end of the test: " + String.join("; ", leaks));
    }
}
