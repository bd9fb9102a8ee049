package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitNote;
import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.sinkpool.NanoClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/// Reads what a source's group has committed, whether it has members or not. Changes nothing.
///
/// Thread ownership: the thread that asks.
public final class GroupOffsets {
    private final KafkaSourceSettings settings;
    private final NanoClock clock;

    /// Connects nowhere.
    public GroupOffsets(KafkaSourceSettings settings, NanoClock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /// For each partition of the topics that the source reads, and of those that it does not, what
    /// the group has committed of them; in order.
    ///
    /// Throws, within `startup_timeout`, with a line for a person and an exit code: 2 for what has
    /// to be mended, 5 where nobody answers.
    public List<CommittedOffset> read() throws StartRefused {
        var until = clock.nanoTime() + settings.startupTimeoutNanos();
        try (var calls = new AdminCalls(new KafkaClients(settings).admin(), clock, () -> false)) {
            return read(calls, until);
        } catch (Failed failed) {
            throw SourceLog.refusal(failed.getMessage() + " at " + settings.bootstrapServers(), failed.why());
        } catch (AdminCalls.Stopped _) {
            throw new StartRefused(5, "stopped");
        } catch (KafkaException wrong) {
            throw KafkaClients.refused(wrong);
        }
    }

    private List<CommittedOffset> read(AdminCalls calls, long until) throws Failed {
        var committed = calls.committed(settings.groupId(), until);
        var names = new TreeSet<>(topics(calls, until));
        for (var partition : committed.keySet()) names.add(partition.topic());
        // One that was deleted stays in the group for a while.
        var topics = calls.describe(names, until);
        var partitions = new ArrayList<TopicPartition>();
        topics.forEach((name, topic) -> {
            for (var partition = 0; partition < topic.partitions(); partition++) {
                var one = new TopicPartition(name, partition);
                if (committed.containsKey(one) || settings.topics().includes(name)) partitions.add(one);
            }
        });
        partitions.sort(Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition));
        var starts = calls.offsets(partitions, OffsetSpec.earliest(), until);
        var ends = calls.offsets(partitions, OffsetSpec.latest(), until);
        var found = new ArrayList<CommittedOffset>();
        for (var partition : partitions) {
            var topic = topics.get(partition.topic());
            if (topic == null) continue;
            var its = committed.get(partition);
            var text = its == null ? "" : its.metadata();
            found.add(new CommittedOffset(
                    partition.topic(),
                    partition.partition(),
                    its == null ? -1 : its.offset(),
                    starts.getOrDefault(partition, 0L),
                    ends.getOrDefault(partition, 0L),
                    its == null ? new CommitNote.Nothing() : CommitNote.read(text, its.offset()),
                    text.length(),
                    topic.id()));
        }
        return found;
    }

    private Collection<String> topics(AdminCalls calls, long until) throws Failed {
        return switch (settings.topics()) {
            case Subscription.Named(var names) -> names;
            case Subscription.Matching matching ->
                calls.names(until).stream().filter(matching::includes).toList();
        };
    }
}
