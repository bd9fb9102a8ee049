package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.RowTally;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// What became of one partition's rows in this process, in whichever epochs and by whichever members.
///
/// At rest, for each sink that takes the topic: polled = encoded + skipped + dead-lettered + dropped, where encoded is
/// the sink's [RowTally]; what waits or is being built is `waiting`.
///
/// Thread ownership: counted by the member that owns the partition, read by anybody.
final class PartitionAccount {
    static final int NOBODY = -1;
    private static final long UNKNOWN = -1;

    /// The rows of one sink.
    static final class SinkAccount {
        final String sink;
        final RowTally tally = new RowTally();
        private final Map<String, AtomicLong> skipped = new ConcurrentHashMap<>();
        private final Map<String, AtomicLong> poison = new ConcurrentHashMap<>();
        private final AtomicLong deadLettered = new AtomicLong();
        private final AtomicLong lettersOut = new AtomicLong();
        private final AtomicLong lettersLeft = new AtomicLong();

        SinkAccount(String sink) {
            this.sink = sink;
        }

        /// A row that never became one of the sink is on its way to the dead-letter topic.
        void letterSent() {
            lettersOut.incrementAndGet();
        }

        void letterAcknowledged() {
            deadLettered.incrementAndGet();
            lettersOut.decrementAndGet();
        }

        void letterAbandoned() {
            lettersLeft.incrementAndGet();
            lettersOut.decrementAndGet();
        }

        void skip(String reason) {
            count(skipped, reason);
        }

        /// A row that never became one of the sink, whatever is done with it.
        void poison(String reason) {
            count(poison, reason);
        }

        private static void count(Map<String, AtomicLong> byReason, String reason) {
            var count = byReason.get(reason);
            if (count == null) count = byReason.computeIfAbsent(reason, _ -> new AtomicLong());
            count.incrementAndGet();
        }
    }

    /// Where the owner stood at the end of its last turn.
    record Standing(
            long watermark,
            long position,
            int pending,
            long waiting,
            long headNanos,
            @Nullable String blockedBy) {}

    private record Hanging(
            long stableOffset, long sinceNanos, @Nullable Long producerId) {
        HangingTransaction view(long nowNanos) {
            return new HangingTransaction(stableOffset, Math.max(0, nowNanos - sinceNanos), producerId);
        }
    }

    final SourcePartition partition;
    final List<SinkAccount> sinks;
    private final AtomicLong polled = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private volatile int owner = NOBODY;
    private volatile long committed = UNKNOWN;
    private volatile @Nullable Standing standing;
    private volatile long end = UNKNOWN;
    private volatile long endNanos;
    private volatile @Nullable Hanging hanging;

    PartitionAccount(SourcePartition partition, List<SinkAccount> sinks) {
        this.partition = partition;
        this.sinks = List.copyOf(sinks);
    }

    void ownedBy(int member) {
        owner = member;
    }

    /// It left this process, or its member. Its lag is unknown from then on.
    void released(int member) {
        if (owner != member) return;
        owner = NOBODY;
        end = UNKNOWN;
        hanging = null;
    }

    int owner() {
        return owner;
    }

    void polled(long rows) {
        polled.addAndGet(rows);
    }

    void dropped(long rows) {
        if (rows > 0) dropped.addAndGet(rows);
    }

    void committed(long offset) {
        committed = offset;
    }

    void stands(Standing now) {
        standing = now;
    }

    /// What waited to be encoded was handed over or dropped: it is counted there from now on.
    void nothingWaits() {
        var at = standing;
        if (at != null)
            standing = new Standing(at.watermark(), at.position(), at.pending(), 0, at.headNanos(), at.blockedBy());
    }

    /// The next offset to be taken; negative while it is unknown.
    long position() {
        var at = standing;
        return at == null ? UNKNOWN : at.position();
    }

    /// The log's end as somebody just saw it.
    void end(long offset, long nowNanos) {
        end = offset;
        endNanos = nowNanos;
    }

    /// The log's end, as so many offsets past what was taken.
    void endsAfterPosition(long offsets, long nowNanos) {
        var at = standing;
        if (at != null) end(at.position() + offsets, nowNanos);
    }

    void endUnknown() {
        end = UNKNOWN;
    }

    void transactionHangs(long stableOffset, long sinceNanos, @Nullable Long producerId) {
        hanging = new Hanging(stableOffset, sinceNanos, producerId);
    }

    void noTransactionHangs() {
        hanging = null;
    }

    /// `endMaxAgeNanos`: an end that was read longer ago is unknown. One below what was polled since is not the end.
    PartitionView view(long nowNanos, long endMaxAgeNanos) {
        var at = standing;
        var owned = owner;
        var hangs = hanging;
        var seenEnd = end;
        if (seenEnd != UNKNOWN && nowNanos - endNanos > endMaxAgeNanos) seenEnd = UNKNOWN;
        var watermark = at == null ? UNKNOWN : at.watermark();
        var rows = sinks.stream().map(PartitionAccount::rows).toList();
        return new PartitionView(
                partition,
                owned,
                polled.get(),
                dropped.get(),
                at == null ? 0 : at.waiting(),
                rows,
                known(watermark),
                at == null ? null : (Long) at.position(),
                known(committed),
                at == null ? 0 : at.pending(),
                at == null || at.pending() == 0 ? 0 : Math.max(0, nowNanos - at.headNanos()),
                at == null ? null : at.blockedBy(),
                at == null || owned == NOBODY || seenEnd == UNKNOWN
                        ? null
                        : (Long) (Math.max(seenEnd, at.position()) - watermark),
                hangs == null || owned == NOBODY ? null : hangs.view(nowNanos));
    }

    private static @Nullable Long known(long offset) {
        return offset == UNKNOWN ? null : (Long) offset;
    }

    private static PartitionView.SinkRows rows(SinkAccount sink) {
        return new PartitionView.SinkRows(
                sink.sink,
                sink.tally,
                sums(sink.skipped),
                sums(sink.poison),
                sink.deadLettered.get(),
                sink.lettersOut.get(),
                sink.lettersLeft.get());
    }

    private static SortedMap<String, Long> sums(Map<String, AtomicLong> byReason) {
        var sums = new TreeMap<String, Long>();
        byReason.forEach((reason, count) -> sums.put(reason, count.get()));
        return sums;
    }
}
