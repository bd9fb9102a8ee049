package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;

/// Reads the records of dead letters again, by a consumer that is in no group.
///
/// All partitions are read at once, so one that cannot be read holds up no letter of another; its own fail when
/// nothing of it came for [#PATIENCE_NANOS]. Within a partition letters are found in the order of their offsets.
///
/// Thread ownership: one thread at a time.
final class Originals implements AutoCloseable {
    static final long PATIENCE_NANOS = 5_000_000_000L;

    private static final long NOWHERE = -1;

    /// What one look gave of a letter.
    sealed interface Found {
        Sending sending();

        /// `original` is null if retention or compaction took it.
        record Read(Sending sending, @Nullable ConsumerRecord<byte[], byte[]> original) implements Found {}

        /// The broker does not say.
        record Unread(Sending sending, KafkaException why) implements Found {}
    }

    /// The letters of one partition, by offset, and where its consumer reads next.
    private static final class Wanted {
        final TreeMap<Long, List<Sending>> byOffset = new TreeMap<>();
        long next = NOWHERE;
        long progressNanos;
    }

    private final Consumer<byte[], byte[]> consumer;
    private final NanoClock clock;
    private final Map<TopicPartition, Wanted> wanted = new HashMap<>();
    private @Nullable KafkaException trouble;
    private long lookedNanos;

    Originals(Consumer<byte[], byte[]> consumer, NanoClock clock) {
        this.consumer = consumer;
        this.clock = clock;
    }

    void want(Sending sending) {
        var of = wanted.computeIfAbsent(kafka(sending.letter.partition()), _ -> new Wanted());
        if (of.byOffset.isEmpty()) of.progressNanos = clock.nanoTime();
        of.byOffset
                .computeIfAbsent(sending.letter.offset(), _ -> new ArrayList<>())
                .add(sending);
    }

    boolean wantsNothing() {
        return wanted.isEmpty();
    }

    private static TopicPartition kafka(SourcePartition partition) {
        return new TopicPartition(partition.topic(), partition.partition());
    }

    /// Looks for what is wanted, waiting at most this long for the first of it. What is found is wanted no more.
    List<Found> look(Duration longest) {
        excuse(clock.nanoTime());
        if (!consumer.assignment().equals(wanted.keySet())) consumer.assign(wanted.keySet());
        wanted.forEach((at, of) -> {
            var first = of.byOffset.firstKey();
            if (of.next == first) return;
            consumer.seek(at, first);
            of.next = first;
        });
        var found = new ArrayList<Found>();
        poll(longest, found);
        var now = clock.nanoTime();
        wanted.forEach((_, of) -> {
            if (now - of.progressNanos >= PATIENCE_NANOS) giveUp(of, slow(), found);
        });
        wanted.values().removeIf(of -> of.byOffset.isEmpty());
        lookedNanos = now;
        return found;
    }

    // Nothing comes while nobody looks.
    private void excuse(long now) {
        if (now - lookedNanos < PATIENCE_NANOS / 2) return;
        for (var of : wanted.values()) of.progressNanos = now;
    }

    private void poll(Duration longest, List<Found> found) {
        try {
            took(consumer.poll(longest), found);
            trouble = null;
        } catch (OffsetOutOfRangeException outside) {
            outside.offsetOutOfRangePartitions().forEach((at, offset) -> gone(at, offset, found));
        } catch (TopicAuthorizationException refused) {
            wanted.forEach((at, of) -> {
                if (refused.unauthorizedTopics().contains(at.topic())) giveUp(of, refused, found);
            });
        } catch (InterruptException closed) {
            throw closed;
        } catch (KafkaException passing) {
            // It may be the fault of one partition, or of all: those that get nothing fail in a while.
            trouble = passing;
        }
    }

    private KafkaException slow() {
        var why = trouble;
        return why == null ? new TimeoutException("the record could not be read again in time") : why;
    }

    /// The last look ended in an error, so that the next may come at once to the same.
    boolean troubled() {
        return trouble != null;
    }

    private void took(ConsumerRecords<byte[], byte[]> records, List<Found> found) {
        for (var entry : records.nextOffsets().entrySet()) {
            var of = wanted.get(entry.getKey());
            if (of == null) continue;
            for (var record : records.records(entry.getKey())) {
                goneBefore(of, record.offset(), found);
                var here = of.byOffset.remove(record.offset());
                if (here != null) for (var sending : here) found.add(new Found.Read(sending, record));
            }
            // What compaction left out at the end of what came.
            of.next = entry.getValue().offset();
            goneBefore(of, of.next, found);
            of.progressNanos = clock.nanoTime();
        }
    }

    private static void goneBefore(Wanted of, long offset, List<Found> found) {
        while (!of.byOffset.isEmpty() && of.byOffset.firstKey() < offset) {
            var first = Objects.requireNonNull(of.byOffset.pollFirstEntry());
            for (var sending : first.getValue()) found.add(new Found.Read(sending, null));
        }
    }

    // Only the offset that was asked for is known to be outside of the log.
    private void gone(TopicPartition at, long offset, List<Found> found) {
        var of = wanted.get(at);
        if (of == null || of.next != offset) return;
        goneBefore(of, offset + 1, found);
        of.next = NOWHERE;
        of.progressNanos = clock.nanoTime();
    }

    private static void giveUp(Wanted of, KafkaException why, List<Found> found) {
        of.byOffset.values().forEach(here -> {
            for (var sending : here) found.add(new Found.Unread(sending, why));
        });
        of.byOffset.clear();
    }

    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ofMillis(200)));
    }
}
