package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.config.Redaction;
import dev.millrace.kafka.HangingTransaction;
import dev.millrace.kafka.PartitionView;
import dev.millrace.kafka.SourceCounters;
import dev.millrace.kafka.SourceView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A partition whose watermark has nothing above it, and whose records a transaction keeps back.
final class HangingTransactionTest {
    private static final long SECOND = 1_000_000_000L;

    private static List<PartitionView> orders(@Nullable HangingTransaction transaction) {
        var partition = new SourcePartition("orders", TopicId.UNKNOWN, 3);
        return List.of(new PartitionView(partition, 0, 7, 0, 0, List.of(), 40L, 40L, 40L, 0, 0, null, 0L, transaction));
    }

    @Test
    @Tag("SRC-13")
    void stuckAndStatusNameItsPlaceAgeAndProducer() {
        var hangs = orders(new HangingTransaction(40, 90 * SECOND, 1234L));
        var told = "\"hanging_transaction\":{\"stable_offset\":40,\"age_seconds\":90.0,\"producer_id\":1234}";
        assertThat(StuckJson.of(hangs, List.of(), 10 * SECOND, 0, Redaction.NONE))
                .contains("\"topic\":\"orders\",\"partition\":3")
                .contains(told);
        var moment = new Moment();
        moment.partitions.addAll(hangs);
        assertThat(moment.status()).contains(told);
    }

    @Test
    @Tag("SRC-13")
    @Tag("OPS-8")
    void withNoneNothingIsStuck() {
        assertThat(StuckJson.of(orders(null), List.of(), 10 * SECOND, 0, Redaction.NONE))
                .isEqualTo("{\"partitions\":[],\"shards\":[]}");
    }

    @Test
    @Tag("SRC-13")
    void itsAgeIsASeriesWhileItHangs() {
        var now = new @Nullable HangingTransaction[] {new HangingTransaction(40, 90 * SECOND, null)};
        var scrape = new Scrape();
        var metrics = new PipelineMetrics(
                scrape.registry("test"),
                new PipelineMetrics.Sources(
                        () -> 0,
                        () -> new Snapshot.InFlight(0, 0, 10, 1_000),
                        () -> new SourceView(true, 0, 0, List.of(), orders(now[0]), new SourceCounters()),
                        List::of,
                        Map::of,
                        () -> RunningFile.none(Instant.EPOCH),
                        Map::of,
                        List.of()));
        assertThat(scrape.answer(metrics).body().lines())
                .anySatisfy(line -> assertThat(line)
                        .startsWith("millrace_transaction_hanging_seconds{")
                        .contains("partition=\"3\"")
                        .endsWith(" 90.0"));
        now[0] = null;
        assertThat(scrape.answer(metrics).body()).doesNotContain("millrace_transaction_hanging_seconds{");
    }
}
