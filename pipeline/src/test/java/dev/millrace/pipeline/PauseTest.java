package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.sinkpool.AdmissionBudget;
import org.junit.jupiter.api.Test;

final class PauseTest {
    private final AdmissionBudget budget = new AdmissionBudget(100, 1_000, 0.5);
    private final Pause pause = new Pause(budget, () -> 42);

    @Test
    void itTakesTheWholeBudgetAndGivesItBackOnce() {
        var lease = budget.take(10, 100);
        assertThat(pause.begin()).isTrue();
        assertThat(pause.begin()).as("a second time").isFalse();
        assertThat(budget.full()).isTrue();
        assertThat(pause.rowsInFlight()).as("what it takes is not in flight").isEqualTo(10);
        assertThat(pause.sinceNanos()).isEqualTo(42);
        lease.close();
        assertThat(budget.full()).as("whatever is finished meanwhile").isTrue();
        assertThat(budget.roomy()).isFalse();

        assertThat(pause.end()).isTrue();
        assertThat(pause.end()).isFalse();
        assertThat(pause.sinceNanos()).isNull();
        assertThat(budget.rows()).isZero();
    }

    @Test
    void onceADrainBeginsNothingPausesAnyMore() {
        pause.begin();
        pause.endForGood();
        assertThat(budget.rows()).isZero();
        assertThat(pause.begin()).isFalse();
        assertThat(budget.rows()).isZero();
    }
}
