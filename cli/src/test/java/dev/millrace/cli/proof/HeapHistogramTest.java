package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What [SoakTest] takes for the live heap.
class HeapHistogramTest {
    private static final int KEPT = 32 << 20;

    /// Only there to be counted.
    private static final class Planted {
        private final byte[] bytes = new byte[KEPT / 8];

        int size() {
            return bytes.length;
        }
    }

    @Test
    void whatIsKeptIsCountedAndNamedAndWhatIsNotIsNot(@TempDir Path directory) throws Exception {
        var own = new Jcmd(ProcessHandle.current().pid(), directory.resolve("told"));
        var before = HeapHistogram.of(own);
        var kept = new ArrayList<Planted>();
        var dropped = 0L;
        for (var i = 0; i < 8; i++) {
            kept.add(new Planted());
            for (var j = 0; j < 8; j++) dropped += new Planted().size();
        }
        var after = HeapHistogram.of(own);
        assertThat(kept.stream().mapToLong(Planted::size).sum()).isEqualTo(KEPT);
        assertThat(dropped).isEqualTo(8L * KEPT);
        assertThat(after.bytes() - before.bytes()).isBetween(KEPT / 2L, 4L * KEPT);
        assertThat(after.of(Planted.class.getName()).instances()).isEqualTo(8);
        assertThat(after.grownSince(before)).startsWith("[B: ");
    }

    @Test
    void aClassOfTwoLoadersCountsOnce() {
        var histogram = HeapHistogram.parse(List.of(
                " num     #instances         #bytes  class name (module)",
                "-------------------------------------------------------",
                "   1:            10            240  java.lang.Thread (java.base@25)",
                "   2:             3            100  some.Thing",
                "   3:             2             60  some.Thing",
                "Total            15            400"));
        assertThat(histogram.bytes()).isEqualTo(400);
        assertThat(histogram.of("some.Thing")).isEqualTo(new HeapHistogram.Count(5, 160));
        assertThat(histogram.of("java.lang.Thread").instances()).isEqualTo(10);
        assertThat(histogram.of("none").bytes()).isZero();
    }
}
