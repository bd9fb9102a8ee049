package dev.millrace.kafka;

import dev.millrace.sinkpool.RowTally;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/// What became of the rows that one advisory sink was to see, in all partitions and whichever epochs.
///
/// At rest: seen = dropped, for all reasons + what its shards wrote and gave up. What its shards have or had is in the
/// tally, and so is what is kept for it; of those dropped after they were encoded it counts too.
///
/// Thread ownership: shared; counted by source threads, read by anybody.
public final class AdvisoryAccount {
    /// Why the source did not hand a row on.
    public enum Drop {
        /// Its sink has not been reached since the start, so nothing can be encoded for it.
        UNREACHED,
        /// Its budget or its shard was full.
        NO_ROOM,
        /// An acknowledged sink has not got the row: it was dead-lettered or skipped.
        NOT_ACCEPTED,
        /// The row's range failed or was taken away: it replays, and is seen again then.
        NOT_DONE,
        /// The advisory sink's own encoder does not make a row of it.
        NOT_ENCODED
    }

    private final RowTally tally = new RowTally();
    private final AtomicLong seen = new AtomicLong();
    private final Map<Drop, AtomicLong> dropped = new EnumMap<>(Drop.class);

    public AdvisoryAccount() {
        for (var why : Drop.values()) dropped.put(why, new AtomicLong());
    }

    RowTally tally() {
        return tally;
    }

    void saw(long rows) {
        seen.addAndGet(rows);
    }

    void drop(Drop why, long rows) {
        Objects.requireNonNull(dropped.get(why)).addAndGet(rows);
    }

    /// Rows of its topics that were looked at.
    public long seen() {
        return seen.get();
    }

    public long dropped(Drop why) {
        return Objects.requireNonNull(dropped.get(why)).get();
    }

    /// Rows that are kept for it or that its shards hold.
    public long inFlight() {
        return tally.inFlight();
    }

    public long written() {
        return tally.written();
    }
}
