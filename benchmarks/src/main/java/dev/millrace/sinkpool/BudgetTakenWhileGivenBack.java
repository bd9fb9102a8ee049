package dev.millrace.sinkpool;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZJJ_Result;

/// A source takes from the budget and looks at it while a worker gives back: nothing is lost, and it is never full with
/// room for both.
@JCStressTest
@Outcome(id = "false, 2, 20", expect = Expect.ACCEPTABLE, desc = "the sum of what is out")
@State
public class BudgetTakenWhileGivenBack {
    private final AdmissionBudget budget = new AdmissionBudget(10, 100, 0.5);
    private final AdmissionBudget.Lease lease = budget.take(3, 30);

    @Actor
    public void source(ZJJ_Result result) {
        budget.take(2, 20);
        result.r1 = budget.full();
    }

    @Actor
    public void worker() {
        lease.close();
    }

    @Arbiter
    public void left(ZJJ_Result result) {
        result.r2 = budget.rows();
        result.r3 = budget.bytes();
    }
}
