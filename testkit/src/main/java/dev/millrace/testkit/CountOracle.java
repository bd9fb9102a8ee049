package dev.millrace.testkit;

import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardCounts.Attempt;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.HashMap;
import java.util.Map;

/// The counters that reports and metrics are made of are the truth: attempts by replica and by ending,
/// pings not among them.
///
/// Thread ownership: the run.
final class CountOracle {
    private final ShardCounts counts;
    private final Map<Integer, Long> began = new HashMap<>();
    private long answered;
    private long unavailable;
    private long lost;
    private long cancelled;
    private long late;

    CountOracle(ShardCounts counts) {
        this.counts = counts;
    }

    void began(int replica) {
        began.merge(replica, 1L, Long::sum);
    }

    void ended(WriteOutcome outcome) {
        if (outcome instanceof WriteOutcome.Unavailable) unavailable++;
        else answered++;
    }

    void lost() {
        lost++;
    }

    void cancelled() {
        cancelled++;
    }

    void late() {
        late++;
    }

    void compare() {
        began.forEach((replica, times) -> same("attempts of replica " + replica, times, counts.attemptsOf(replica)));
        same("lost", lost, counts.attempts(Attempt.LOST));
        same("cancelled", cancelled, counts.attempts(Attempt.TIMED_OUT) + counts.attempts(Attempt.CANCELLED));
        same("late", late, counts.lateOutcomes());
        same(
                "ended with an outcome",
                answered + unavailable,
                counts.attempts(Attempt.WRITTEN)
                        + counts.attempts(Attempt.UNAVAILABLE)
                        + counts.attempts(Attempt.OVERLOADED)
                        + counts.attempts(Attempt.REFUSED)
                        + counts.attempts(Attempt.TOO_LARGE)
                        + counts.attempts(Attempt.MISCONFIGURED));
    }

    private static void same(String what, long truth, long counted) {
        if (truth != counted) throw new Violation("DRN-2", what + ": " + truth + ", counted " + counted);
    }
}
