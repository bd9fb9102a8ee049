package dev.millrace.kafka;

import static dev.millrace.kafka.Bench.MS;
import static dev.millrace.kafka.Bench.P0;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.millrace.sinkpool.MemoryIntake;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class HotPathTest {
    private static final int ROWS = 20_000;

    @Test
    @Tag("OPS-2")
    @DisplayName("OPS-2: from poll to chunk nothing is allocated for a record but its place in a slab")
    void nothingIsAllocatedForARecord() {
        var sink = new SinkFeed(
                "sink", _ -> true, PassThroughEncoder::singleLine, new KeyRouter(1), 1, 1, 1 << 20, 20 * MS);
        var bench = new Bench(Bench.settings(), List.of(sink), new MemoryIntake().hold());
        bench.assign(P0, 0);
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var least = Long.MAX_VALUE;
        for (var round = 0; round < 5; round++) {
            var first = (long) round * ROWS;
            var polled = new SourceEvent.Polled(
                    List.of(new SourceEvent.Batch(P0, TestRecords.of("orders", 0, first, ROWS), first + ROWS, 0)));
            var before = threads.getCurrentThreadAllocatedBytes();
            bench.tell(polled);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            bench.after(20 * MS);
        }
        // One slab of a megabyte and its index; a single small object for each record would add 320,000 bytes.
        assertThat(least).isLessThan((1 << 20) + (1 << 20) / 48 * 8 + 150_000);
    }
}
