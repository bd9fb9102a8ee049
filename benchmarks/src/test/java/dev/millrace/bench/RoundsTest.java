package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/// What the bench makes of its passes, and what it takes for none.
final class RoundsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final BenchTopic TOPIC = new BenchTopic("topic", 100, 1_000, 5_000_000);
    private static final long SUM = 5_000_000 + 1_000 * '\n';

    private final Arm bare = new Told("bare", Arm.Sums.EVERY_BYTE);
    private final Arm pipeline = new Told("pipeline", Arm.Sums.EVERY_BYTE);
    private final Rounds rounds = new Rounds(TOPIC);

    private record Told(String title, Arm.Sums sums) implements Arm {
        @Override
        public Pass read() {
            throw new UnsupportedOperationException();
        }
    }

    private static Pass pass(long wallNanos, long cpuNanos) {
        return new Pass(1_000, SUM, wallNanos, cpuNanos, 0);
    }

    @Test
    void theMedianIsTheMiddleRoundOrBetweenTheTwo() {
        assertThat(Figures.of(new double[] {3, 1, 2})).isEqualTo(new Figures(2, 1, 3));
        assertThat(Figures.of(new double[] {4, 1, 2, 3})).isEqualTo(new Figures(2.5, 1, 4));
    }

    @Test
    void thePipelineStandsToTheBareLoopByMedians() {
        for (var wall : new long[] {SECOND, 2 * SECOND, 9 * SECOND}) rounds.add(bare, pass(wall, SECOND));
        for (var wall : new long[] {SECOND, 3 * SECOND, 4 * SECOND}) rounds.add(pipeline, pass(wall, SECOND * 3 / 2));
        var standing = rounds.standing(bare, pipeline);
        assertThat(standing.speed()).isCloseTo(2.0 / 3, within(1e-9));
        assertThat(standing.cpu()).isEqualTo(1.5);
        assertThat(standing.reached()).isTrue();
    }

    @Test
    void aGoalThatIsMissedIsToldAndCounts() {
        assertThat(new Rounds.Standing(0.64, 1.0).reached()).isFalse();
        assertThat(new Rounds.Standing(0.64, 1.0).text())
                .contains("0.64 x in records/s, goal >= 0.65: NOT REACHED; 1.00 x in CPU s/GB, goal <= 1.60: reached");
        assertThat(new Rounds.Standing(1.0, 1.61).reached()).isFalse();
    }

    @Test
    void onlyWhoAsksForACheckFailsForAGoal() {
        assertThat(BenchCommand.exitCode(false, false)).isZero();
        assertThat(BenchCommand.exitCode(true, true)).isZero();
        assertThat(BenchCommand.exitCode(false, true)).isEqualTo(1);
    }

    @Test
    void anArmThatReadSomethingElseIsNoMeasurement() {
        assertThatThrownBy(() -> rounds.add(pipeline, new Pass(999, SUM, SECOND, SECOND, 0)))
                .isInstanceOf(BenchFailure.class)
                .hasMessageContaining("pipeline read 999 rows");
        assertThatThrownBy(() -> rounds.add(bare, new Pass(1_000, SUM - 1, SECOND, SECOND, 0)))
                .isInstanceOf(BenchFailure.class)
                .hasMessageContaining("produced were 1000 rows with sum " + SUM);
    }
}
