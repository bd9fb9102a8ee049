package dev.millrace.bench;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/// What reading a topic once came to. `delays` are microseconds from the poll of a row's chunk until the
/// sink had it, a count for each row.
record Reading(Map<Figure, Long> figures, Histogram delays) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double GIGA = 1e9;
    private static final double MEGA = 1e6;
    private static final String DELAYS = "delays";

    Reading {
        figures = Map.copyOf(figures);
    }

    /// The line in which the process that read tells it.
    Words words() {
        var words = new HashMap<String, String>();
        figures.forEach((figure, value) -> words.put(figure.column(), Long.toString(value)));
        words.put(DELAYS, packed(delays));
        return new Words(words);
    }

    static Reading of(Words words) {
        var figures = new EnumMap<Figure, Long>(Figure.class);
        for (var figure : Figure.values()) figures.put(figure, words.number(figure.column()));
        return new Reading(figures, unpacked(words.text(DELAYS)));
    }

    static Histogram noDelays() {
        return new Histogram(3);
    }

    /// The same, with what somebody else has counted.
    Reading with(Map<Figure, Long> more) {
        var all = new EnumMap<Figure, Long>(figures);
        all.putAll(more);
        return new Reading(all, delays);
    }

    private static String packed(Histogram delays) {
        var bytes = ByteBuffer.allocate(delays.getNeededByteBufferCapacity());
        var length = delays.encodeIntoCompressedByteBuffer(bytes);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
    }

    private static Histogram unpacked(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(
                    ByteBuffer.wrap(Base64.getDecoder().decode(text)), 1);
        } catch (DataFormatException failure) {
            throw new BenchFailure("delays that nobody can read: " + failure.getMessage());
        }
    }

    long get(Figure figure) {
        return figures.getOrDefault(figure, 0L);
    }

    private double seconds(Figure figure) {
        return get(figure) / NANOS_PER_SECOND;
    }

    double wallSeconds() {
        return seconds(Figure.WALL_NANOS);
    }

    /// How much of one processor this was, 1 for all of it.
    double share(Figure figure) {
        return seconds(figure) / wallSeconds();
    }

    double rowsPerSecond() {
        return get(Figure.ROWS) / wallSeconds();
    }

    /// Of the process that read.
    double cpuPerGigabyte(long valueBytes) {
        return seconds(Figure.CPU_NANOS) / (valueBytes / GIGA);
    }

    double perGigabyte(Figure figure, long valueBytes) {
        return seconds(figure) / (valueBytes / GIGA);
    }

    double megabytesPerCpuSecond(long valueBytes) {
        return valueBytes / MEGA / seconds(Figure.CPU_NANOS);
    }

    double cpuNanosPerRow() {
        return (double) get(Figure.CPU_NANOS) / get(Figure.ROWS);
    }

    double allocatedPerRow() {
        return (double) get(Figure.ALLOCATED_BYTES) / get(Figure.ROWS);
    }

    /// Of the clock's time, in which every thread stood still for a collection.
    double pausePercent() {
        return 100.0 * get(Figure.PAUSE_NANOS) / get(Figure.WALL_NANOS);
    }
}
