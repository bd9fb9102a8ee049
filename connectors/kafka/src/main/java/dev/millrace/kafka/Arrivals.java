package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Partitions that were assigned and are not read yet: each waits, paused, for its committed
/// offset and for the identity of its topic.
///
/// A partition without a committed offset is new in a group that has offsets (the group's own
/// start is settled before anybody joins), so it is read from its beginning, and that is said.
///
/// Thread ownership: the source thread.
final class Arrivals {
    private static final Logger LOG = LoggerFactory.getLogger(Arrivals.class);
    private static final Duration LOCATE = Duration.ofSeconds(3);

    /// One that can be read from now on.
    record Arrived(
            SourcePartition partition,
            CommitEntry start,
            @Nullable CommitEntry committed) {}

    private static final class Arriving {
        @Nullable
        CommitEntry start;

        @Nullable
        CommitEntry committed;

        @Nullable
        TopicId topicId;
    }

    private final Consumer<ByteBuffer, ByteBuffer> consumer;
    private final Map<TopicPartition, Arriving> arriving = new HashMap<>();

    Arrivals(Consumer<ByteBuffer, ByteBuffer> consumer) {
        this.consumer = consumer;
    }

    /// In the assigned callback: paused at once, so that nothing is fetched before its place is known.
    void assigned(Collection<TopicPartition> partitions) {
        if (partitions.isEmpty()) return;
        consumer.pause(partitions);
        for (var partition : partitions) arriving.put(partition, new Arriving());
    }

    void gone(Collection<TopicPartition> partitions) {
        for (var partition : partitions) arriving.remove(partition);
    }

    boolean isEmpty() {
        return arriving.isEmpty();
    }

    Set<String> topics() {
        var topics = new HashSet<String>();
        for (var partition : arriving.keySet()) topics.add(partition.topic());
        return topics;
    }

    void identified(Map<String, TopicId> topics) {
        arriving.forEach((partition, one) -> {
            var id = topics.get(partition.topic());
            if (id != null) one.topicId = id;
        });
    }

    /// Reads where those begin that do not know it yet, while no commit of this member is out.
    /// What does not come in time is asked again at the next turn.
    void locate() {
        var unknown = new HashSet<TopicPartition>();
        arriving.forEach((partition, one) -> {
            if (one.start == null) unknown.add(partition);
        });
        if (unknown.isEmpty()) return;
        try {
            Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(unknown, LOCATE);
            var fresh = new ArrayList<TopicPartition>();
            for (var partition : unknown) {
                var offset = committed.get(partition);
                if (offset == null) fresh.add(partition);
                else place(partition, entry(offset), entry(offset));
            }
            if (!fresh.isEmpty())
                consumer.beginningOffsets(fresh, LOCATE).forEach((partition, offset) -> {
                    LOG.atInfo()
                            .addKeyValue("event", "new_partition")
                            .log("partition={} from_its_beginning={}", partition, offset);
                    place(partition, new CommitEntry(offset, -1, ""), null);
                });
        } catch (RetriableException | StaleMemberEpochException | UnknownMemberIdException late) {
            // The group may move on while it is asked: the next poll says where to.
            LOG.atWarn()
                    .addKeyValue("event", "start_offsets_late")
                    .log("partitions={} why=\"{}\"", unknown, late.getMessage());
        }
    }

    private static CommitEntry entry(OffsetAndMetadata offset) {
        var metadata = offset.metadata();
        return new CommitEntry(offset.offset(), offset.leaderEpoch().orElse(-1), metadata == null ? "" : metadata);
    }

    private void place(TopicPartition partition, CommitEntry start, @Nullable CommitEntry committed) {
        var one = arriving.get(partition);
        if (one == null) return;
        one.start = start;
        one.committed = committed;
        // With the leader epoch, the client asks the broker whether the log still is the one that was read.
        Optional<Integer> leaderEpoch = start.leaderEpoch() < 0 ? Optional.empty() : Optional.of(start.leaderEpoch());
        consumer.seek(partition, new OffsetAndMetadata(start.offset(), leaderEpoch, ""));
    }

    /// Those that know both their place and their topic; they are no longer waited for.
    List<Arrived> take() {
        if (arriving.isEmpty()) return List.of();
        var arrived = new ArrayList<Arrived>();
        var each = arriving.entrySet().iterator();
        while (each.hasNext()) {
            var entry = each.next();
            var one = entry.getValue();
            var start = one.start;
            var topicId = one.topicId;
            if (start == null || topicId == null) continue;
            var at = entry.getKey();
            arrived.add(new Arrived(new SourcePartition(at.topic(), topicId, at.partition()), start, one.committed));
            each.remove();
        }
        return arrived;
    }
}
