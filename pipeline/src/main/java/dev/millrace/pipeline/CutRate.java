package dev.millrace.pipeline;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// How many inserts a shard gets in a second where each partition is cut for itself, and how long
/// cuts wait so that it does not get too many (EO-17).
///
/// Every partition is cut once a linger at most for its time, and a cut has rows for every lane of every shard:
/// a shard gets partitions × lanes ÷ linger inserts a second. Above `maxCuts` the linger is stretched to
/// partitions × lanes ÷ maxCuts seconds; a stretch beyond 30 s is refused. What is in flight is bounded by
/// the budget, so one insert carries its share of the budget at the most.
///
/// `refusal` is one line for a person, or null.
record CutRate(
        int partitions,
        int shards,
        int lanes,
        long askedNanos,
        long lingerNanos,
        double insertsPerSecondAndShard,
        long bytesPerInsert,
        @Nullable String refusal) {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long LONGEST_NANOS = 30_000_000_000L;

    /// `partitions` of the topics that the sink takes, over all members of the group that this
    /// process may come to own; 0 where there are none yet. `budgetBytes` is what may be in flight.
    static CutRate of(int partitions, int shards, int lanes, long lingerNanos, int maxCuts, long budgetBytes) {
        if (partitions < 0) throw new IllegalArgumentException("partitions " + partitions + " < 0");
        if (shards < 1) throw new IllegalArgumentException("shards " + shards + " < 1");
        if (lanes < 1) throw new IllegalArgumentException("lanes " + lanes + " < 1");
        if (lingerNanos < 1) throw new IllegalArgumentException("linger " + lingerNanos + " ns < 1");
        if (maxCuts < 1) throw new IllegalArgumentException("maxCuts " + maxCuts + " < 1");
        if (budgetBytes < 1) throw new IllegalArgumentException("budget " + budgetBytes + " < 1");
        var streams = (long) partitions * lanes;
        var least = (long) Math.ceil(streams * NANOS_PER_SECOND / maxCuts);
        var linger = Math.max(lingerNanos, least);
        var rate = streams * NANOS_PER_SECOND / linger;
        return new CutRate(
                partitions,
                shards,
                lanes,
                lingerNanos,
                linger,
                rate,
                budgetBytes / Math.max(1, streams * shards),
                linger > lingerNanos && linger > LONGEST_NANOS ? refusal(partitions, lanes, linger, maxCuts) : null);
    }

    private static String refusal(int partitions, int lanes, long linger, int maxCuts) {
        return String.format(
                Locale.ROOT,
                "%d partitions, each cut for itself%s, are more than batch.max_cuts %d a second and shard allows: cuts"
                        + " would wait %.1f s, and 30 s is the most; set delivery: at_least_once, which merges"
                        + " partitions, or raise batch.max_cuts to %d",
                partitions,
                lanes > 1 ? " and for each of " + lanes + " lanes" : "",
                maxCuts,
                linger / NANOS_PER_SECOND,
                (long) Math.ceil((long) partitions * lanes * NANOS_PER_SECOND / LONGEST_NANOS));
    }

    boolean stretched() {
        return lingerNanos > askedNanos;
    }

    /// What one insert carries at the most, of a row's size: never less than one row.
    long rowsPerInsert(long rowBytes, int maxRows) {
        if (rowBytes < 1) throw new IllegalArgumentException("row of " + rowBytes + " bytes");
        return Math.clamp(bytesPerInsert / rowBytes, 1, maxRows);
    }

    /// For a person who starts it.
    String line() {
        return String.format(
                Locale.ROOT,
                "%d partitions and %d shards%s: %.1f inserts a second and shard at most, of %d KiB at most, one for each"
                        + " %.1f s of a partition%s",
                partitions,
                shards,
                lanes > 1 ? " of " + lanes + " lanes" : "",
                insertsPerSecondAndShard,
                bytesPerInsert >> 10,
                lingerNanos / NANOS_PER_SECOND,
                stretched()
                        ? String.format(
                                Locale.ROOT,
                                " (batch.linger of %.1f s is stretched for batch.max_cuts)",
                                askedNanos / NANOS_PER_SECOND)
                        : "");
    }
}
