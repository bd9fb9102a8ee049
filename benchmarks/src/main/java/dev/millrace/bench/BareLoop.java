package dev.millrace.bench;

import dev.millrace.kafka.KafkaClients;
import dev.millrace.kafka.KafkaSourceSettings;
import dev.millrace.pipeline.BlackholeSink;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/// The least that a consumer can do: poll with the product's own consumer, go through the records, and read every
/// value's bytes into the running sum of `blackhole`, or none of them.
///
/// It counts a newline for each record, since a row of format `raw` ends with one.
///
/// Thread ownership: the bench's thread.
final class BareLoop implements Arm {
    private static final Duration POLL = Duration.ofSeconds(10);

    private final KafkaClients clients;
    private final BenchTopic topic;
    private final Stopwatch watch;
    private final Sums sums;

    BareLoop(String bootstrapServers, BenchTopic topic, Stopwatch watch, Sums sums) {
        this.clients = new KafkaClients(KafkaSourceSettings.of(
                bootstrapServers,
                new KafkaSourceSettings.Subscription.Named(List.of(topic.name())),
                "bench-bare-" + topic.name()));
        this.topic = topic;
        this.watch = watch;
        this.sums = sums;
    }

    @Override
    public String title() {
        return sums == Sums.EVERY_BYTE ? "(a) bare poll loop" : "    the same, no sum";
    }

    @Override
    public Sums sums() {
        return sums;
    }

    @Override
    public Pass read() {
        watch.reset();
        try (var consumer = clients.consumer(0)) {
            var partitions = IntStream.range(0, BenchTopic.PARTITIONS)
                    .mapToObj(n -> new TopicPartition(topic.name(), n))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            return read(consumer);
        }
    }

    private Pass read(Consumer<ByteBuffer, ByteBuffer> consumer) {
        var reads = sums == Sums.EVERY_BYTE;
        var rows = 0L;
        var sum = 0L;
        while (rows < topic.records()) {
            var records = consumer.poll(POLL);
            if (records.isEmpty())
                throw new BenchFailure("topic " + topic.name() + " ended after " + rows + " of " + topic.records());
            if (!watch.begun()) watch.begin();
            for (var record : records) {
                if (reads) sum += sum(record.value()) + '\n';
                else sum += record.serializedValueSize();
            }
            rows += records.count();
        }
        return watch.end(rows, sum);
    }

    @SuppressWarnings("ByteBufferBackingArray") // Its offset is looked at.
    private static long sum(ByteBuffer value) {
        var from = value.arrayOffset() + value.position();
        return BlackholeSink.sum(value.array(), from, from + value.remaining());
    }
}
