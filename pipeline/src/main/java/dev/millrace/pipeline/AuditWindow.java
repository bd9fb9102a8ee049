package dev.millrace.pipeline;

import java.util.BitSet;
import java.util.List;

/// Some offsets of one partition: how many rows each shard has of each, held against the log.
///
/// Rows are counted first, into [#stored]; then the log is shown, record by record; then [#end]. In
/// this order no row is called extra because its record came in between.
///
/// Thread ownership: the thread that audits.
final class AuditWindow {
    /// Why a record has no row.
    enum Absence {
        MISSING,
        SKIPPED,
        DEAD_LETTERED
    }

    private final long from;
    private final int length;
    private final int[][] stored;
    private final List<ShardAudit> audits;
    private final boolean compacted;
    private final BitSet unknown;
    private final BitSet inLog;
    private long records;
    private long compactedRows;

    /// `compacted`: a row without a record may be of one that compaction took.
    AuditWindow(long from, int length, List<ShardAudit> audits, boolean compacted) {
        this.from = from;
        this.length = length;
        this.audits = audits;
        stored = new int[audits.size()][length];
        this.compacted = compacted;
        unknown = new BitSet(length);
        inLog = new BitSet(length);
    }

    /// How many rows a shard has of each offset, for whoever counts them.
    int[] stored(int shard) {
        return stored[shard];
    }

    /// Whether a record that belongs to a shard has a row there.
    boolean isStored(long offset, int shard) {
        return stored[shard][index(offset)] > 0;
    }

    private int index(long offset) {
        if (offset < from || offset >= from + length)
            throw new IllegalArgumentException("offset " + offset + " not in [" + from + ", " + (from + length) + ")");
        return (int) (offset - from);
    }

    /// A record of the log, of a shard that has its row.
    void found(long offset, int shard) {
        var rows = stored[shard][index(offset)];
        if (rows == 0) throw new IllegalStateException("offset " + offset + " has no row");
        seen(offset);
        audits.get(shard).found(offset, rows);
        // What is left at the end belongs to no record.
        stored[shard][index(offset)] = 0;
    }

    private void seen(long offset) {
        records++;
        inLog.set(index(offset));
    }

    /// A record of the log, of a shard that has no row of it.
    void absent(int shard, long offset, Absence why) {
        seen(offset);
        var audit = audits.get(shard);
        switch (why) {
            case MISSING -> audit.missing(offset);
            case SKIPPED -> audit.skipped();
            case DEAD_LETTERED -> audit.deadLettered();
        }
    }

    /// Offsets `[first, last)` that the log has no more.
    void gone(long first, long last) {
        if (first < last) unknown.set(index(first), index(last - 1) + 1);
    }

    /// The log was shown whole: rows that are left are extra, but where nobody knows.
    void end() {
        for (var shard = 0; shard < stored.length; shard++) {
            var rows = stored[shard];
            for (var i = 0; i < length; i++) {
                if (rows[i] == 0 || unknown.get(i)) continue;
                if (compacted && !inLog.get(i)) compactedRows += rows[i];
                else audits.get(shard).extra(from + i, rows[i]);
            }
        }
    }

    /// Rows that may be of records which compaction took.
    long compactedRows() {
        return compactedRows;
    }

    long records() {
        return records;
    }

    long unknown() {
        return unknown.cardinality();
    }
}
