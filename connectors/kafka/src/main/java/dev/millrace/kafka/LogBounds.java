package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What it means that a position is not in its log: retention took what is before the log's start, or the log is
/// shorter than what was read.
///
/// Before a log is called truncated, the topic's identity is read: one that was made anew is shorter too.
///
/// Thread ownership: the source thread.
final class LogBounds {
    private static final Logger LOG = LoggerFactory.getLogger(LogBounds.class);
    private static final Duration ASK = Duration.ofSeconds(3);

    private record Cut(long position, long logEnd) {}

    /// Asks for the identity of these topics; [#identified] is told.
    interface Identity {
        void ask(Set<String> topics);
    }

    private final Consumer<ByteBuffer, ByteBuffer> consumer;
    private final Map<TopicPartition, SourcePartition> owned;
    private final MemberEvents events;
    private final Identity identity;
    private final Map<TopicPartition, Cut> cuts = new HashMap<>();

    /// `owned` is the member's own map, which goes on changing.
    LogBounds(
            Consumer<ByteBuffer, ByteBuffer> consumer,
            Map<TopicPartition, SourcePartition> owned,
            MemberEvents events,
            Identity identity) {
        this.consumer = consumer;
        this.owned = owned;
        this.events = events;
        this.identity = identity;
    }

    void truncated(LogTruncationException found) {
        found.offsetOutOfRangePartitions().forEach((partition, position) -> {
            var divergent = found.divergentOffsets().get(partition);
            cut(partition, position, divergent == null ? -1 : divergent.offset());
        });
    }

    void outOfRange(OffsetOutOfRangeException found) {
        var positions = found.offsetOutOfRangePartitions();
        Map<TopicPartition, Long> starts;
        Map<TopicPartition, Long> ends;
        try {
            starts = consumer.beginningOffsets(positions.keySet(), ASK);
            ends = consumer.endOffsets(positions.keySet(), ASK);
        } catch (RetriableException later) {
            // The next poll finds the same, and asks again.
            LOG.atWarn()
                    .addKeyValue("event", "log_bounds_late")
                    .log("partitions={} why=\"{}\"", positions.keySet(), later.getMessage());
            return;
        }
        positions.forEach((partition, position) -> {
            var mine = owned.get(partition);
            var start = starts.get(partition);
            var end = ends.get(partition);
            if (mine == null || start == null || end == null) return;
            if (position < start) {
                consumer.pause(List.of(partition));
                events.now(new SourceEvent.OffsetsLost(mine, position, start));
            } else if (position > end) {
                cut(partition, position, end);
            }
        });
    }

    private void cut(TopicPartition partition, long position, long logEnd) {
        consumer.pause(List.of(partition));
        cuts.put(partition, new Cut(position, logEnd));
        identity.ask(Set.of(partition.topic()));
    }

    /// These topics were looked at, and what changed of them stands in the inbox.
    void identified(Map<String, TopicId> topics) {
        if (cuts.isEmpty()) return;
        events.takeInbox();
        var each = cuts.entrySet().iterator();
        while (each.hasNext()) {
            var entry = each.next();
            if (!topics.containsKey(entry.getKey().topic())) continue;
            var partition = owned.get(entry.getKey());
            var cut = entry.getValue();
            if (partition != null) events.now(new SourceEvent.LogTruncated(partition, cut.position(), cut.logEnd()));
            each.remove();
        }
    }

    void gone(Collection<TopicPartition> partitions) {
        for (var partition : partitions) cuts.remove(partition);
    }
}
