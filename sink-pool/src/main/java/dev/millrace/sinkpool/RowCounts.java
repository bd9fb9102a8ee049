package dev.millrace.sinkpool;

import dev.millrace.checkpoint.Resolution;
import java.util.List;
import java.util.stream.IntStream;

/// How many rows of one chunk ended how. `leftOut` are those that count as done and are not in the sink, by their place
/// in the chunk.
public record RowCounts(int written, int deadLettered, int skipped, int abandoned, int inDoubt, List<Integer> leftOut) {
    public RowCounts {
        leftOut = List.copyOf(leftOut);
        if (written < 0 || deadLettered < 0 || skipped < 0 || abandoned < 0 || inDoubt < 0)
            throw new IllegalArgumentException("a negative count: " + written + ", " + deadLettered + ", " + skipped
                    + ", " + abandoned + ", " + inDoubt);
        if (leftOut.size() != deadLettered + skipped)
            throw new IllegalArgumentException(
                    leftOut + " are left out, of " + deadLettered + " dead-lettered and " + skipped + " skipped rows");
    }

    /// All `rows` ended alike.
    public static RowCounts all(int rows, Ending ending) {
        return new RowCounts(
                ending == Ending.WRITTEN ? rows : 0,
                ending == Ending.DEAD_LETTERED ? rows : 0,
                ending == Ending.SKIPPED ? rows : 0,
                ending == Ending.ABANDONED ? rows : 0,
                ending == Ending.IN_DOUBT ? rows : 0,
                leftOut(rows, ending));
    }

    private static List<Integer> leftOut(int rows, Ending ending) {
        return switch (ending) {
            case DEAD_LETTERED, SKIPPED -> IntStream.range(0, rows).boxed().toList();
            case WRITTEN, ABANDONED, IN_DOUBT -> List.of();
        };
    }

    public int of(Ending ending) {
        return switch (ending) {
            case WRITTEN -> written;
            case DEAD_LETTERED -> deadLettered;
            case SKIPPED -> skipped;
            case ABANDONED -> abandoned;
            case IN_DOUBT -> inDoubt;
        };
    }

    public int rows() {
        return written + deadLettered + skipped + abandoned + inDoubt;
    }

    /// Done only if every row is: one that was given up replays its whole range.
    public Resolution resolution() {
        return abandoned + inDoubt > 0 ? Resolution.FAILED : Resolution.DONE;
    }
}
