package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.NanoClock;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Reads single records again, by a consumer that is in no group.
///
/// Thread ownership: one thread at a time.
final class Originals implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);

    private final Consumer<byte[], byte[]> consumer;
    private final NanoClock clock;

    Originals(Consumer<byte[], byte[]> consumer, NanoClock clock) {
        this.consumer = consumer;
        this.clock = clock;
    }

    /// The record at this offset; null if retention or compaction took it. Throws a [RetriableException] if the broker
    /// does not say within `untilNanos`.
    @Nullable
    ConsumerRecord<byte[], byte[]> read(SourcePartition partition, long offset, long untilNanos) {
        var at = new TopicPartition(partition.topic(), partition.partition());
        if (!consumer.assignment().contains(at)) consumer.assign(List.of(at));
        consumer.seek(at, offset);
        while (true) {
            try {
                for (var record : consumer.poll(POLL).records(at)) {
                    if (record.offset() == offset) return record;
                    if (record.offset() > offset) return null;
                }
                // A hole at the end of what there is: the position has passed it.
                if (consumer.position(at, POLL) > offset) return null;
            } catch (OffsetOutOfRangeException _) {
                return null;
            }
            if (NanoClock.reached(untilNanos, clock.nanoTime()))
                throw new TimeoutException(partition + "@" + offset + " could not be read again in time");
        }
    }

    @Override
    public void close() {
        consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ofMillis(200)));
    }
}
