package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.NanoClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/// Finds the one record for which memory does not suffice, after a poll ended without any: reads what it was to give
/// again, partition by partition and record by record, by a consumer in no group.
///
/// What does not fit is refused as one piece, so asking again costs others no more than asking once. Where each record
/// alone fits, it was the poll as a whole that did not.
///
/// Thread ownership: the thread that asks.
record Oversized(Supplier<Consumer<ByteBuffer, ByteBuffer>> alone, NanoClock clock) {
    private static final long PATIENCE_NANOS = 5_000_000_000L;
    private static final Duration POLL = Duration.ofMillis(500);
    private static final int RECORDS = 5_000;

    /// Its place; null if none was found in time.
    @Nullable
    RecordPlace among(SortedMap<SourcePartition, Long> next) {
        var untilNanos = clock.nanoTime() + PATIENCE_NANOS;
        Consumer<ByteBuffer, ByteBuffer> consumer;
        try {
            consumer = alone.get();
        } catch (KafkaException unmade) {
            return null;
        }
        try {
            for (var one : next.entrySet()) {
                var offset = firstThatDoesNotFit(consumer, one.getKey(), one.getValue(), untilNanos);
                if (offset >= 0)
                    return new RecordPlace(one.getKey().topic(), one.getKey().partition(), offset);
            }
        } catch (KafkaException unanswered) {
            return null;
        } finally {
            consumer.close(CloseOptions.timeout(Duration.ofMillis(200)));
        }
        return null;
    }

    /// Its offset, or −1.
    private long firstThatDoesNotFit(
            Consumer<ByteBuffer, ByteBuffer> consumer, SourcePartition partition, long from, long untilNanos) {
        var at = CommitCall.kafka(partition);
        consumer.assign(List.of(at));
        consumer.seek(at, from);
        for (var read = 0; read < RECORDS && clock.nanoTime() - untilNanos < 0; ) {
            try {
                var records = consumer.poll(POLL);
                if (records.nextOffsets().isEmpty()) return -1;
                read += records.count();
            } catch (OutOfMemoryError _) {
                return consumer.position(at);
            }
        }
        return -1;
    }
}
