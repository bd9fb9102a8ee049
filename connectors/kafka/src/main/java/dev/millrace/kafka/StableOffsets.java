package dev.millrace.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// Finds transactions that hang: a last stable offset that does not move, with records behind it.
///
/// Every open transaction holds the last stable offset at its first record; so it hangs only when it stands there for
/// longer than `boundNanos`. It is told again after as long.
///
/// Thread ownership: the watch over the topics.
final class StableOffsets {
    /// What one look at a partition says.
    sealed interface Seen {
        record Nothing() implements Seen {}

        /// `news`: to be told, for the first time or again.
        record Hangs(long stableOffset, long sinceNanos, boolean news) implements Seen {}

        /// It was told that one hangs, and it does no more.
        record Ended(long stableOffset, long afterNanos) implements Seen {}
    }

    private record Stand(
            long stableOffset, long sinceNanos, @Nullable Long toldNanos) {}

    private final long boundNanos;
    private final Map<TopicPartition, Stand> stands = new HashMap<>();

    StableOffsets(long boundNanos) {
        this.boundNanos = boundNanos;
    }

    /// `end` was read after `stableOffset`, so records that came in between make a difference that the next look ends.
    Seen look(TopicPartition partition, long stableOffset, long end, long nowNanos) {
        var stand = stands.get(partition);
        if (stand != null && stand.stableOffset() == stableOffset && end > stableOffset)
            return stands(partition, stand, nowNanos);
        if (end > stableOffset) stands.put(partition, new Stand(stableOffset, nowNanos, null));
        else stands.remove(partition);
        return stand == null || stand.toldNanos() == null
                ? new Seen.Nothing()
                : new Seen.Ended(stand.stableOffset(), nowNanos - stand.sinceNanos());
    }

    private Seen stands(TopicPartition partition, Stand stand, long nowNanos) {
        if (nowNanos - stand.sinceNanos() < boundNanos) return new Seen.Nothing();
        var told = stand.toldNanos();
        var news = told == null || nowNanos - told >= boundNanos;
        if (news) stands.put(partition, new Stand(stand.stableOffset(), stand.sinceNanos(), nowNanos));
        return new Seen.Hangs(stand.stableOffset(), stand.sinceNanos(), news);
    }

    /// Forgets all others: they are somebody else's to watch.
    void keep(Set<TopicPartition> owned) {
        stands.keySet().retainAll(owned);
    }
}
