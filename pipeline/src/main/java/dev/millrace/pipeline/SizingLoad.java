package dev.millrace.pipeline;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// What a pipeline is sized for: `partitions` of all its topics, so many `members` of its group in all, an `outage` of
/// all stores to ride out, and how many times the load it is to take while it catches up.
///
/// `flow` is null where nobody said what comes in: then only what the file itself bounds is told.
public record SizingLoad(@Nullable Flow flow, int partitions, int members, Duration outage, double headroom) {

    /// What comes in, over all partitions. Every sink takes all of it, and keys are spread evenly.
    public record Flow(double rowsPerSecond, long bytesPerRow) {
        public Flow {
            if (!(rowsPerSecond > 0 && rowsPerSecond <= 1e12))
                throw new IllegalArgumentException(rowsPerSecond + " rows a second: more than 0, and at most 1e12");
            if (bytesPerRow < 1 || bytesPerRow > 1L << 30)
                throw new IllegalArgumentException(bytesPerRow + " bytes for a row: 1 to 1073741824");
        }

        public double bytesPerSecond() {
            return rowsPerSecond * bytesPerRow;
        }
    }

    public SizingLoad {
        if (partitions < 1 || partitions > 1_000_000)
            throw new IllegalArgumentException(partitions + " partitions: 1 to 1000000");
        if (members < 1 || members > 100_000) throw new IllegalArgumentException(members + " members: 1 to 100000");
        if (outage.isNegative() || outage.toDays() > 3650)
            throw new IllegalArgumentException("an outage of " + outage + ": 0 to 3650 days");
        if (!(headroom > 1 && headroom <= 1000))
            throw new IllegalArgumentException(
                    "a headroom of " + headroom + ": more than 1, or it never catches up, and at most 1000");
    }

    /// Of so many consumers each.
    int processes(int consumers) {
        return Math.ceilDiv(members, consumers);
    }

    public double outageSeconds() {
        return outage.toMillis() / 1e3;
    }

    /// While the load goes on.
    double catchUpSeconds() {
        return outageSeconds() / (headroom - 1);
    }
}
