package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The bench of the hot path, counted without its clock.
final class AppendToSealTest {
    private static final int ROUNDS = 30;

    @ParameterizedTest
    @ValueSource(ints = {1024, 100})
    @Tag("OPS-2")
    @DisplayName("OPS-2: from append to seal no record allocates an object, only its place in a slab")
    void noRecordAllocatesAnObject(int valueBytes) {
        var bench = new AppendToSeal();
        bench.valueBytes = valueBytes;
        bench.fetch();
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var least = Long.MAX_VALUE;
        // Compiled code allocates less than the interpreter: the least of some rounds is what holds.
        for (var round = 0; round < ROUNDS; round++) {
            var before = threads.getCurrentThreadAllocatedBytes();
            var slabs = bench.run();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before - slabs);
        }
        assertThat((double) least / AppendToSeal.RECORDS).isLessThan(HotPath.LESS_THAN_AN_OBJECT);
    }
}
