package dev.millrace.testkit;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardCounts.Attempt;

/// All that is sent under one token: its rows, who sent it, and how often each of its blocks was
/// stored.
///
/// Thread ownership: the run.
final class SentBatch {
    /// One shard of one process run, how its rows are dealt to shards, what production counts for
    /// it, whether it sends in the order of offsets, and whether it repeats a batch only where
    /// that is recognised (WRT-11).
    record Sender(long run, int route, ShardCounts counts, boolean inOrder, boolean pins) {
        /// Attempts after which production can't know that nothing was stored.
        long doubtful() {
            var out = 0L;
            for (var how : Attempt.values()) if (how != Attempt.WRITTEN) out += counts.attempts(how);
            return out;
        }
    }

    final Sender sender;
    final BatchRows rows;
    final long hash;

    /// The token of the batch that it is, or is a part of.
    final String root;

    private final String token;

    final int[] partitions;
    final long[] offsets;
    final long[] epochs;
    final int blockRows;
    private final int[] stored;

    /// What its store takes it for: another that had the same token before.
    private SentBatch takenFor = this;

    private boolean acknowledged;
    private boolean doubtful;
    private boolean expired;
    private boolean written;
    private int doubled;

    SentBatch(Sender sender, BatchRows rows, String token, long hash, int[] partitions, int blockRows) {
        var mark = token.indexOf('#');
        this.token = token;
        this.root = mark < 0 ? token : token.substring(0, mark);
        this.sender = sender;
        this.rows = rows;
        this.hash = hash;
        this.partitions = partitions;
        this.blockRows = Math.min(blockRows, rows.rows());
        offsets = new long[rows.rows()];
        epochs = new long[rows.rows()];
        var at = 0;
        for (var slice : rows.slices())
            for (var i = slice.fromRow(); i < slice.toRow(); i++) {
                offsets[at] = slice.chunk().offset(i);
                epochs[at++] = slice.chunk().epoch();
            }
        stored = new int[(rows.rows() + this.blockRows - 1) / this.blockRows];
    }

    @Override
    public String toString() {
        return token + " of run " + sender.run() + ", "
                + rows.slices().getFirst().chunk().segment() + ", rows " + offsets[0] + " to "
                + offsets[offsets.length - 1] + " (" + offsets.length + ")";
    }

    int blocks() {
        return stored.length;
    }

    int from(int block) {
        return block * blockRows;
    }

    int to(int block) {
        return Math.min(offsets.length, from(block) + blockRows);
    }

    /// Returns how often this block had been stored before.
    int store(int block) {
        return stored[block]++;
    }

    void lose(int block) {
        stored[block]--;
    }

    boolean wasStored(int block) {
        return stored[block] > 0;
    }

    /// The most copies of its rows that are more than one, and not by the network's doing.
    long rowsRepeated() {
        var rows = 0L;
        for (var block = 0; block < stored.length; block++)
            rows += (long) Math.max(0, stored[block] - 1 - doubled) * (to(block) - from(block));
        return rows;
    }

    /// The network delivered a request of it twice.
    void doubled() {
        doubled++;
    }

    /// Its shard knows that it is in.
    void written() {
        written = true;
    }

    boolean isWritten() {
        return written;
    }

    /// A sender that still listened was told that it is in.
    void acknowledge() {
        acknowledged = true;
    }

    /// An attempt of it ended unknown.
    void doubt() {
        doubtful = true;
    }

    boolean doubtful() {
        return doubtful;
    }

    boolean acknowledged() {
        return acknowledged;
    }

    void takenFor(SentBatch other) {
        takenFor = other;
    }

    SentBatch takenFor() {
        return takenFor;
    }

    /// The store knew its token, and forgot it.
    void expire() {
        expired = true;
    }

    boolean expired() {
        return expired;
    }
}
