package dev.millrace.kafka;

import dev.millrace.sinkpool.NanoClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/// Reads a dead-letter topic from its beginning to the end that it had when the reader was made, as often as asked, by
/// a consumer that is in no group and commits nothing.
///
/// Thread ownership: one thread.
final class DeadLetterReader implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration ANSWER = Duration.ofSeconds(30);

    private final Consumer<byte[], byte[]> consumer;
    private final NanoClock clock;
    private final BooleanSupplier stopped;
    private final Map<TopicPartition, Long> ends;

    /// Asks for the ends, and throws Kafka's own exception where nobody tells them.
    DeadLetterReader(
            Consumer<byte[], byte[]> consumer, String topic, int partitions, NanoClock clock, BooleanSupplier stopped) {
        this.consumer = consumer;
        this.clock = clock;
        this.stopped = stopped;
        var all = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .collect(Collectors.toSet());
        this.ends = new HashMap<>(consumer.endOffsets(all, ANSWER));
    }

    /// Shows each record to `each`, in the order of each partition, until that returns false or the ends are reached.
    /// Returns whether they were. Throws a [TimeoutException] where the brokers give nothing for half a minute.
    boolean read(Predicate<ConsumerRecord<byte[], byte[]>> each) {
        consumer.assign(ends.keySet());
        // An assignment that is the same as before keeps what was paused.
        consumer.resume(ends.keySet());
        consumer.seekToBeginning(ends.keySet());
        var open = new HashSet<>(ends.keySet());
        var movedNanos = clock.nanoTime();
        while (true) {
            open.removeIf(this::finished);
            if (open.isEmpty()) return true;
            if (stopped.getAsBoolean()) return false;
            var records = consumer.poll(POLL);
            for (var partition : records.partitions()) {
                for (var record : records.records(partition)) {
                    if (record.offset() < end(partition) && !each.test(record)) return false;
                }
            }
            var now = clock.nanoTime();
            if (!records.isEmpty()) movedNanos = now;
            else if (NanoClock.reached(NanoClock.due(movedNanos, ANSWER.toNanos()), now))
                throw new TimeoutException("nothing came from " + open + " for " + ANSWER.toSeconds() + " s");
        }
    }

    // A position passes over what holds no record: markers of transactions, and what compaction took.
    private boolean finished(TopicPartition partition) {
        if (consumer.position(partition, ANSWER) < end(partition)) return false;
        consumer.pause(Set.of(partition));
        return true;
    }

    private long end(TopicPartition partition) {
        return ends.getOrDefault(partition, 0L);
    }

    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ofMillis(500)));
    }
}
