package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitNote;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// Turns what was asked about into offsets of each partition, by what cluster and group say now.
///
/// Thread ownership: the thread that asks.
final class StretchBounds {
    private static final int CONFIGURATION = 2;

    private final KafkaSourceSettings settings;
    private final AdminCalls calls;
    private final long untilNanos;

    StretchBounds(KafkaSourceSettings settings, AdminCalls calls, long untilNanos) {
        this.settings = settings;
        this.calls = calls;
        this.untilNanos = untilNanos;
    }

    /// In the order of topics and partitions; `told` hears of each partition that is left out.
    /// Throws where none is left.
    List<LogStretch> of(StretchesAsked asked, Collection<String> told) throws Failed, StartRefused {
        var topics = topics(asked);
        var partitions = partitions(asked, topics);
        var committed = calls.committed(settings.groupId(), untilNanos);
        for (var partition : partitions) mustBeOfTopic(partition, committed.get(partition), topics);
        var from = offsets(asked.from(), partitions, committed);
        var to = offsets(asked.to(), partitions, committed);
        var compacted = compacted(topics.keySet(), told);
        var stretches = new ArrayList<LogStretch>();
        for (var partition : partitions) {
            var first = from.get(partition);
            var last = to.get(partition);
            if (first == null || last == null) {
                told.add(partition + ": the group has committed nothing");
                continue;
            }
            var done = committed.get(partition);
            stretches.add(new LogStretch(
                    partition.topic(),
                    partition.partition(),
                    first,
                    Math.max(first, last),
                    done == null ? -1 : done.offset(),
                    compacted.contains(partition.topic())));
        }
        if (stretches.isEmpty())
            throw new StartRefused(
                    CONFIGURATION,
                    "group " + settings.groupId() + " has committed nothing of " + String.join(", ", topics.keySet())
                            + ": say which offsets with --from and --to, or correct source.kafka.group_id");
        return stretches;
    }

    private Map<String, AdminCalls.Topic> topics(StretchesAsked asked) throws Failed, StartRefused {
        var names = names(asked);
        var there = new TreeMap<>(calls.describe(names, untilNanos));
        var missing = new TreeSet<>(names);
        missing.removeAll(there.keySet());
        if (!missing.isEmpty())
            throw new StartRefused(
                    CONFIGURATION,
                    "unknown topic at " + settings.bootstrapServers() + ": " + String.join(", ", missing)
                            + "; correct its name, or allow DESCRIBE on it");
        return there;
    }

    private Collection<String> names(StretchesAsked asked) throws Failed, StartRefused {
        for (var topic : asked.topics())
            if (!settings.topics().includes(topic))
                throw new StartRefused(CONFIGURATION, "topic " + topic + " is none of " + SourceCheckup.TOPICS);
        if (!asked.topics().isEmpty()) return asked.topics();
        return switch (settings.topics()) {
            case Subscription.Named(var names) -> names;
            case Subscription.Matching matching -> {
                var names = calls.names(untilNanos).stream()
                        .filter(matching::includes)
                        .toList();
                if (names.isEmpty())
                    throw new StartRefused(CONFIGURATION, SourceCheckup.TOPICS + " matches no topic that is there");
                yield names;
            }
        };
    }

    private static List<TopicPartition> partitions(StretchesAsked asked, Map<String, AdminCalls.Topic> topics)
            throws StartRefused {
        var partitions = new ArrayList<TopicPartition>();
        topics.forEach((name, topic) -> {
            for (var partition = 0; partition < topic.partitions(); partition++)
                if (asked.asks(partition)) partitions.add(new TopicPartition(name, partition));
        });
        for (var partition : asked.partitions())
            if (partitions.stream().noneMatch(one -> one.partition() == partition))
                throw new StartRefused(
                        CONFIGURATION,
                        "no partition " + partition + " in " + String.join(", ", topics.keySet()) + ": they are"
                                + " numbered from 0");
        partitions.sort(Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition));
        return partitions;
    }

    /// Those of these topics that are compacted, as far as the user may know.
    private Set<String> compacted(Collection<String> topics, Collection<String> told) throws Failed {
        var compacted = new HashSet<String>();
        for (var topic : topics) {
            try {
                if (calls.settings(topic, untilNanos)
                        .getOrDefault("cleanup.policy", "")
                        .contains("compact")) compacted.add(topic);
            } catch (Failed failed) {
                if (!SourceCheckup.denied(failed)) throw failed;
                told.add(topic + ": its settings are not told to this user; if it is compacted, rows of records that"
                        + " compaction took count as extra");
            }
        }
        return compacted;
    }

    /// Offsets of a topic that was deleted and made again count other records.
    private static void mustBeOfTopic(
            TopicPartition partition, @Nullable OffsetAndMetadata committed, Map<String, AdminCalls.Topic> topics)
            throws StartRefused {
        var topic = topics.get(partition.topic());
        if (topic == null || committed == null) return;
        var was = CommitNote.read(committed.metadata(), committed.offset()).topic();
        if (was == null || was.equals(topic.id()) || topic.id().equals(TopicId.UNKNOWN)) return;
        throw new StartRefused(
                CONFIGURATION,
                partition + ": the group's offset is of a topic of this name that was deleted (" + was.text()
                        + "; now it is " + topic.id().text() + "): its rows cannot be told from those of the new one");
    }

    /// None for a partition of which the group has committed nothing.
    private Map<TopicPartition, Long> offsets(
            OffsetBound bound, List<TopicPartition> partitions, Map<TopicPartition, OffsetAndMetadata> committed)
            throws Failed {
        return switch (bound) {
            case OffsetBound.Beginning() -> calls.offsets(partitions, OffsetSpec.earliest(), untilNanos);
            case OffsetBound.End() -> calls.offsets(partitions, OffsetSpec.latest(), untilNanos);
            case OffsetBound.Since(var time) -> {
                var found = new HashMap<>(
                        calls.offsets(partitions, OffsetSpec.forTimestamp(time.toEpochMilli()), untilNanos));
                var ends = calls.offsets(partitions, OffsetSpec.latest(), untilNanos);
                found.replaceAll((partition, offset) -> offset < 0 ? ends.getOrDefault(partition, 0L) : offset);
                yield found;
            }
            case OffsetBound.At(var offset) -> {
                var same = new HashMap<TopicPartition, Long>();
                for (var partition : partitions) same.put(partition, offset);
                yield same;
            }
            case OffsetBound.Committed() -> {
                var done = new HashMap<TopicPartition, Long>();
                for (var partition : partitions) {
                    var offset = committed.get(partition);
                    if (offset != null) done.put(partition, offset.offset());
                }
                yield done;
            }
        };
    }
}
