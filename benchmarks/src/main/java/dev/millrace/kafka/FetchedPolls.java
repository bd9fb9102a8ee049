package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/// All records of one topic, in the fetch responses that the product's own consumer got them in, as events of a source
/// machine that may be told them again and again.
///
/// Thread ownership: one caller at a time.
public final class FetchedPolls {
    private static final Duration POLL = Duration.ofSeconds(10);
    private static final TopicId ID = new TopicId("bbbbbbbbbbbbbbbbbbbbbb");

    private final List<SourceEvent.Assigned> assigned = new ArrayList<>();
    private final List<SourceEvent.Polled> polled = new ArrayList<>();
    private final Set<SourcePartition> partitions = new HashSet<>();
    private int records;

    private FetchedPolls() {}

    /// Reads the topic, which holds `records` records, from its beginning.
    public static FetchedPolls read(String bootstrapServers, String topic, int partitions, int records) {
        var polls = new FetchedPolls();
        var clients = new KafkaClients(KafkaSourceSettings.of(
                bootstrapServers, new KafkaSourceSettings.Subscription.Named(List.of(topic)), "bench-append"));
        try (var consumer = clients.consumer(0, partitions)) {
            var all = IntStream.range(0, partitions)
                    .mapToObj(n -> new TopicPartition(topic, n))
                    .toList();
            consumer.assign(all);
            consumer.seekToBeginning(all);
            for (var partition : all) {
                var start = new CommitEntry(0, -1, "");
                polls.partitions.add(ours(partition));
                polls.assigned.add(new SourceEvent.Assigned(ours(partition), start, start));
            }
            while (polls.records < records) {
                var some = consumer.poll(POLL);
                if (some.isEmpty())
                    throw new IllegalStateException(topic + " ended after " + polls.records + " of " + records);
                polls.add(some);
            }
        }
        return polls;
    }

    private void add(ConsumerRecords<ByteBuffer, ByteBuffer> some) {
        var batches = new ArrayList<SourceEvent.Batch>();
        for (var partition : some.partitions()) {
            var list = some.records(partition);
            var next = list.getLast().offset() + 1;
            var epoch = list.getLast().leaderEpoch().orElse(-1);
            batches.add(new SourceEvent.Batch(ours(partition), new KafkaRecords(list), next, epoch));
        }
        polled.add(new SourceEvent.Polled(batches));
        records += some.count();
    }

    private static SourcePartition ours(TopicPartition partition) {
        return new SourcePartition(partition.topic(), ID, partition.partition());
    }

    public int records() {
        return records;
    }

    public Set<SourcePartition> partitions() {
        return partitions;
    }

    public List<SourceEvent.Assigned> assigned() {
        return assigned;
    }

    public List<SourceEvent.Polled> polled() {
        return polled;
    }
}
