package dev.millrace.bench;

import dev.millrace.kafka.KafkaClients;
import dev.millrace.kafka.KafkaSourceSettings;
import dev.millrace.pipeline.BlackholeSink;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/// The least that a consumer can do: poll with the product's own consumer, and go through the records. Where it
/// is asked to, it reads every value's bytes into the running sum of `blackhole`; else it adds up their lengths.
///
/// It counts a newline for each record, since a row of the suite ends with one.
///
/// Thread ownership: the child's main thread.
final class BareLoop {
    private static final Duration POLL = Duration.ofSeconds(10);

    private final String topic;
    private final int partitions;
    private final long records;
    private final boolean reads;
    private final KafkaClients clients;
    private final Meter meter;

    /// Asked for are `servers`, `topic`, `partitions`, `records`, whether it `reads`, and processes of the
    /// meter.
    BareLoop(Words asked) {
        topic = asked.text("topic");
        partitions = (int) asked.number("partitions");
        records = asked.number("records");
        reads = asked.fact("reads");
        clients = new KafkaClients(KafkaSourceSettings.of(
                asked.text("servers"), new KafkaSourceSettings.Subscription.Named(List.of(topic)), "bench-bare"));
        meter = new Meter(asked);
    }

    Reading read() {
        Meter.tidy();
        try (var consumer = clients.consumer(0, partitions)) {
            var all = IntStream.range(0, partitions)
                    .mapToObj(n -> new TopicPartition(topic, n))
                    .toList();
            consumer.assign(all);
            consumer.seekToBeginning(all);
            return read(consumer);
        }
    }

    private Reading read(Consumer<ByteBuffer, ByteBuffer> consumer) {
        var own = Thread.currentThread().getName();
        var rows = 0L;
        var sum = 0L;
        var bytes = 0L;
        while (rows < records) {
            var polled = consumer.poll(POLL);
            if (polled.isEmpty()) throw new BenchFailure("topic " + topic + " ended after " + rows + " of " + records);
            if (!meter.begun()) meter.begin(own::equals);
            for (var record : polled) {
                bytes += record.serializedValueSize() + 1;
                if (reads) sum += sum(record.value()) + '\n';
            }
            rows += polled.count();
        }
        return meter.end(counted(rows, sum, bytes), Reading.noDelays());
    }

    private static Map<Figure, Long> counted(long rows, long sum, long bytes) {
        return new EnumMap<>(Map.of(
                Figure.ROWS,
                rows,
                Figure.SUM,
                sum,
                Figure.ROW_BYTES,
                bytes,
                Figure.REPEATED,
                0L,
                Figure.DEAD_LETTERED,
                0L));
    }

    @SuppressWarnings("ByteBufferBackingArray") // Its offset is looked at.
    private static long sum(ByteBuffer value) {
        var from = value.arrayOffset() + value.position();
        return BlackholeSink.sum(value.array(), from, from + value.remaining());
    }
}
