package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.config.AdmissionConfig;
import dev.millrace.config.BatchConfig;
import dev.millrace.pipeline.SealRate.By;
import dev.millrace.pipeline.SizingLoad.Flow;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class SealRateTest {
    private static final long GIB = 1L << 30;
    private static final AdmissionConfig ADMISSION = new AdmissionConfig(GIB, 5_000_000, 60);
    private static final BatchConfig BATCH = new BatchConfig(500_000, 64 << 20, Duration.ofSeconds(2), 4);

    private static SealRate planned(double rows, long bytes, int partitions, int shards, double linger) {
        return SealRate.planned(new Flow(rows, bytes), partitions, partitions, shards, 1, 1, linger, BATCH, ADMISSION);
    }

    private static void isSealed(SealRate rate, By by, double seconds, double rows, double perSecond) {
        assertThat(rate.by()).isEqualTo(by);
        assertThat(rate.seconds()).isCloseTo(seconds, within(1e-6));
        assertThat(rate.rows()).isCloseTo(rows, within(1e-3));
        assertThat(rate.perSecond()).isCloseTo(perSecond, within(1e-6));
    }

    @Test
    void aPartitionThatIsCutForItselfFillsItsPartOfABatchUntilTheLinger() {
        // 24,000 rows/s ÷ 24 partitions ÷ 2 shards are 500 a second, for 6 s
        isSealed(planned(24_000, 100, 24, 2, 6), By.LINGER, 6, 3_000, 4);
        assertThat(planned(24_000, 100, 24, 2, 6).bytes()).isEqualTo(300_000);
    }

    @Test
    void aPartitionsShareOfTheBudgetSealsBeforeALongLinger() {
        // A share is the budget ÷ (4 × 13): 20,648,881 B, of 100,000 rows/s ÷ 12 × 1,024 B
        isSealed(
                planned(100_000, 1024, 12, 1, 10),
                By.SHARE,
                20_648_881 / (100_000 * 1024 / 12.0),
                20_164.923,
                4.959106);
        // The same for two sinks is full in half of the time
        var two = SealRate.planned(new Flow(100_000, 1024), 12, 12, 1, 1, 2, 10, BATCH, ADMISSION);
        assertThat(two.seconds()).isCloseTo(20_648_881 / (100_000 * 1024 / 12.0) / 2, within(1e-6));
    }

    @Test
    @Tag("SEAL-8")
    void eachLaneFillsBatchesOfItsOwn() {
        var planned = SealRate.planned(new Flow(24_000, 100), 24, 24, 2, 4, 1, 6, BATCH, ADMISSION);
        isSealed(planned, By.LINGER, 6, 750, 16);
        isSealed(SealRate.merged(new Flow(24_000, 100), 2, 3, 4, BATCH, ADMISSION), By.LINGER, 2, 2_000, 4);
        var small = new AdmissionConfig(1 << 20, 5_000_000, 60);
        isSealed(SealRate.merged(new Flow(24_000, 100), 2, 3, 4, BATCH, small), By.HALF, 1.31072, 1_310.72, 6.103516);
    }

    @Test
    void rowsOrBytesSealWhereOnePartitionHasMuch() {
        var large = new AdmissionConfig(100 * GIB, 500_000_000, 60);
        var rows = SealRate.planned(new Flow(1_000_000, 100), 1, 1, 1, 1, 1, 30, BATCH, large);
        isSealed(rows, By.ROWS, 0.5, 500_000, 2);
        var bytes = SealRate.planned(new Flow(1_000_000, 1024), 1, 1, 1, 1, 1, 30, BATCH, large);
        isSealed(bytes, By.BYTES, 0.065536, 65_536, 15.258789);
    }

    @Test
    void aProcessThatMergesFillsOneBatchOfAllItsPartitions() {
        // 24,000 rows/s ÷ 2 processes ÷ 3 shards are 4,000 a second
        isSealed(SealRate.merged(new Flow(24_000, 100), 2, 3, 1, BATCH, ADMISSION), By.LINGER, 2, 8_000, 1);
        var small = new AdmissionConfig(1 << 20, 5_000_000, 60);
        // Half of the budget is 524,288 B: 5,242.88 rows
        isSealed(SealRate.merged(new Flow(24_000, 100), 2, 3, 1, BATCH, small), By.HALF, 1.31072, 5_242.88, 1.525879);
    }

    @Test
    void aBatchHasARowHoweverLittleComes() {
        isSealed(planned(2, 100, 24, 2, 6), By.LINGER, 6, 1, 1);
    }

    @Test
    void howLongALingerHasToBeForSoManyRows() {
        assertThat(planned(24_000, 100, 24, 2, 0.6).secondsFor(1_000)).isEqualTo(2);
        assertThat(planned(24_000, 100, 24, 2, 0.6).secondsFor(1_001)).isEqualTo(3);
    }
}
