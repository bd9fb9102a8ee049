package dev.millrace.pipeline;

import dev.millrace.config.AdmissionConfig;
import dev.millrace.config.BatchConfig;
import dev.millrace.kafka.SegmentShare;
import dev.millrace.pipeline.SizingLoad.Flow;
import java.util.Comparator;
import java.util.List;

/// What seals the batches of a shard under an even load, how large they are then, and how many of them there are in a
/// second, all processes together.
record SealRate(By by, double seconds, double rows, double bytes, double perSecond) {
    enum By {
        LINGER("batch.linger"),
        ROWS("batch.max_rows"),
        BYTES("batch.max_bytes"),
        SHARE("a partition's share of admission"),
        HALF("a shard's half of admission");

        private final String words;

        By(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    private record Bound(By by, double seconds) {}

    /// Where each partition is cut for itself. `lingerSeconds` is what [CutRate] makes of the linger; what a partition
    /// may collect is shared by its batches for all lanes of all shards of all `sinks` that are planned.
    static SealRate planned(
            Flow flow,
            int partitions,
            int partitionsOfProcess,
            int shards,
            int lanes,
            int sinks,
            double lingerSeconds,
            BatchConfig batch,
            AdmissionConfig admission) {
        var rowsPerSecond = flow.rowsPerSecond() / partitions / shards / lanes;
        var share = SegmentShare.of(admission.maxRows(), admission.maxBytes(), partitionsOfProcess);
        var collected = rowsPerSecond * shards * lanes * sinks;
        return first(
                List.of(
                        new Bound(By.LINGER, lingerSeconds),
                        new Bound(By.ROWS, batch.maxRows() / rowsPerSecond),
                        new Bound(By.BYTES, batch.maxBytes() / (rowsPerSecond * flow.bytesPerRow())),
                        new Bound(
                                By.SHARE,
                                Math.min(share.rows() / collected, share.bytes() / (collected * flow.bytesPerRow())))),
                partitions * lanes,
                rowsPerSecond,
                flow.bytesPerRow());
    }

    /// Where a process merges all of its partitions.
    static SealRate merged(
            Flow flow, int processes, int shards, int lanes, BatchConfig batch, AdmissionConfig admission) {
        var rowsPerSecond = flow.rowsPerSecond() / processes / shards / lanes;
        var half = Math.min(
                admission.maxRows() / 2.0 / lanes / rowsPerSecond,
                admission.maxBytes() / 2.0 / lanes / (rowsPerSecond * flow.bytesPerRow()));
        return first(
                List.of(
                        new Bound(By.LINGER, batch.linger().toMillis() / 1e3),
                        new Bound(By.ROWS, batch.maxRows() / rowsPerSecond),
                        new Bound(By.BYTES, batch.maxBytes() / (rowsPerSecond * flow.bytesPerRow())),
                        new Bound(By.HALF, half)),
                processes * lanes,
                rowsPerSecond,
                flow.bytesPerRow());
    }

    /// Of `streams` that fill batches of one shard side by side, `rowsPerSecond` each. A batch has a row.
    private static SealRate first(List<Bound> bounds, int streams, double rowsPerSecond, long bytesPerRow) {
        var bound =
                bounds.stream().min(Comparator.comparingDouble(Bound::seconds)).orElseThrow();
        var rows = Math.max(1, rowsPerSecond * bound.seconds());
        return new SealRate(bound.by(), bound.seconds(), rows, rows * bytesPerRow, streams * rowsPerSecond / rows);
    }

    /// How long a batch has to wait for so many rows, if nothing else seals it, in whole seconds.
    long secondsFor(long rowsWanted) {
        return (long) Math.ceil(rowsWanted * Math.max(seconds / rows, 1e-9));
    }
}
