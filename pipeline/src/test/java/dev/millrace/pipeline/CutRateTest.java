package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("EO-17")
final class CutRateTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long BUDGET = 1L << 30;

    @ParameterizedTest
    @CsvSource({
        "0, 2, 4, 2.0, 0",
        "1, 2, 4, 2.0, 0.5",
        "8, 2, 4, 2.0, 4",
        "9, 2, 4, 2.25, 4",
        "12, 2, 4, 3.0, 4",
        "120, 2, 4, 30.0, 4",
        "12, 2, 1, 12.0, 1",
        "12, 5, 4, 5.0, 2.4"
    })
    @DisplayName("EO-17: inserts a second and shard are partitions over linger; above max_cuts the linger is stretched")
    void theLingerIsStretched(int partitions, long linger, int cuts, double seconds, double rate) {
        var cut = CutRate.of(partitions, 3, 1, linger * SECOND, cuts, BUDGET);
        assertThat(cut.lingerNanos()).isEqualTo((long) (seconds * SECOND));
        assertThat(cut.insertsPerSecondAndShard()).isCloseTo(rate, within(1e-9));
        assertThat(cut.refusal()).isNull();
        assertThat(cut.stretched()).isEqualTo(seconds > linger);
    }

    @Test
    @DisplayName("EO-17: a stretch beyond 30 s is refused, with the numbers and both ways out")
    void refused() {
        var cut = CutRate.of(1000, 2, 1, 2 * SECOND, 4, BUDGET);
        assertThat(cut.refusal())
                .isEqualTo("1000 partitions, each cut for itself, are more than batch.max_cuts 4 a second and shard"
                        + " allows: cuts would wait 250.0 s, and 30 s is the most; set delivery: at_least_once, which"
                        + " merges partitions, or raise batch.max_cuts to 34");
        assertThat(CutRate.of(1000, 2, 1, 2 * SECOND, 34, BUDGET).refusal())
                .as("what it says helps")
                .isNull();
        assertThat(CutRate.of(1000, 2, 1, 2 * SECOND, 33, BUDGET).refusal())
                .as("and less does not")
                .isNotNull();
    }

    @Test
    @DisplayName("EO-17: who asks for a long linger gets it, stretched by nothing")
    void aLongLingerOfTheUsersOwn() {
        var cut = CutRate.of(1000, 2, 1, 300 * SECOND, 4, BUDGET);
        assertThat(cut.refusal()).isNull();
        assertThat(cut.lingerNanos()).isEqualTo(300 * SECOND);
    }

    @Test
    @DisplayName("EO-17: an insert carries its share of the budget at the most, and one row at the least")
    void rowsPerInsert() {
        var cut = CutRate.of(64, 4, 1, 2 * SECOND, 8, BUDGET);
        assertThat(cut.bytesPerInsert()).isEqualTo(4L << 20);
        assertThat(cut.rowsPerInsert(1024, 500_000)).isEqualTo(4096);
        assertThat(cut.rowsPerInsert(1, 500_000)).isEqualTo(500_000);
        assertThat(cut.rowsPerInsert(1L << 30, 500_000)).isOne();
    }

    @Test
    @DisplayName("EO-17: the line says what to expect, and what was stretched")
    void line() {
        assertThat(CutRate.of(12, 2, 1, 2 * SECOND, 4, BUDGET).line())
                .isEqualTo("12 partitions and 2 shards: 4.0 inserts a second and shard at most, of 43690 KiB at most,"
                        + " one for each 3.0 s of a partition (batch.linger of 2.0 s is stretched for batch.max_cuts)");
        assertThat(CutRate.of(4, 1, 1, 2 * SECOND, 4, BUDGET).line())
                .isEqualTo("4 partitions and 1 shards: 2.0 inserts a second and shard at most, of 262144 KiB at most,"
                        + " one for each 2.0 s of a partition");
    }

    @Test
    @Tag("SEAL-8")
    @DisplayName("EO-17 SEAL-8: each lane is an insert of its own, and the line and the refusal say so")
    void lanesCount() {
        var cut = CutRate.of(4, 2, 4, 2 * SECOND, 4, BUDGET);
        assertThat(cut.lingerNanos()).isEqualTo(4 * SECOND);
        assertThat(cut.insertsPerSecondAndShard()).isCloseTo(4, within(1e-9));
        assertThat(cut.bytesPerInsert()).isEqualTo(BUDGET / 32);
        assertThat(cut.line()).startsWith("4 partitions and 2 shards of 4 lanes: 4.0 inserts a second and shard");
        assertThat(CutRate.of(100, 2, 4, 2 * SECOND, 4, BUDGET).refusal())
                .startsWith("100 partitions, each cut for itself and for each of 4 lanes, are more than")
                .endsWith("or raise batch.max_cuts to 14");
        assertThat(CutRate.of(100, 2, 4, 2 * SECOND, 14, BUDGET).refusal()).isNull();
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThatThrownBy(() -> CutRate.of(1, 1, 1, SECOND, 0, 1)).hasMessage("maxCuts 0 < 1");
        assertThatThrownBy(() -> CutRate.of(-1, 1, 1, SECOND, 1, 1)).hasMessage("partitions -1 < 0");
    }
}
