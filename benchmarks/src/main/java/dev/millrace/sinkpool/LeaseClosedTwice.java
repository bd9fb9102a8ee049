package dev.millrace.sinkpool;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/// Two threads close one lease while another lease is out: the first is given back once.
@JCStressTest
@Outcome(id = "3, 30", expect = Expect.ACCEPTABLE, desc = "given back once")
@State
public class LeaseClosedTwice {
    private final AdmissionBudget budget = new AdmissionBudget(100, 1000, 0.5);
    private final AdmissionBudget.Lease lease = budget.take(2, 20);

    public LeaseClosedTwice() {
        budget.take(3, 30);
    }

    @Actor
    public void settle() {
        lease.close();
    }

    @Actor
    public void die() {
        lease.close();
    }

    @Arbiter
    public void left(JJ_Result result) {
        result.r1 = budget.rows();
        result.r2 = budget.bytes();
    }
}
