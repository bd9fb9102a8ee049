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
import org.apache.kafka.common.TopicPartition;
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
    private static final Duration END = Duration.ofSeconds(2);
    private static final int RECORDS = 5_000;

    /// The first and the last offset from which reading fails. The record is one of them: the client passes markers and
    /// holes by itself, and unpacks a batch from its start. `last` is null where it was not found in time.
    record Found(RecordPlace from, @Nullable Long last) {
        /// As `source.kafka.skip` takes it, if `last` is known.
        @Override
        public String toString() {
            return last == null || last == from.offset() ? from.toString() : from + "-" + last;
        }
    }

    /// What reading from one offset comes to.
    private enum Seen {
        FITS,
        TOO_LARGE,
        NOTHING_IN_TIME
    }

    /// Null if none was found in time.
    @Nullable
    Found among(SortedMap<SourcePartition, Long> next) {
        var untilNanos = clock.nanoTime() + PATIENCE_NANOS;
        Consumer<ByteBuffer, ByteBuffer> consumer;
        try {
            consumer = alone.get();
        } catch (KafkaException unmade) {
            return null;
        }
        try {
            for (var one : next.entrySet()) {
                var at = CommitCall.kafka(one.getKey());
                var end = consumer.endOffsets(List.of(at), END).getOrDefault(at, 0L);
                var offset = firstThatDoesNotFit(consumer, at, one.getValue(), end, untilNanos);
                if (offset < 0) continue;
                return new Found(
                        new RecordPlace(at.topic(), at.partition(), offset), lastOf(consumer, at, offset, end));
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
            Consumer<ByteBuffer, ByteBuffer> consumer, TopicPartition at, long from, long end, long untilNanos) {
        seek(consumer, at, from);
        for (var read = 0; read < RECORDS && clock.nanoTime() - untilNanos < 0; ) {
            if (consumer.position(at) >= end) return -1;
            try {
                read += consumer.poll(POLL).count();
            } catch (OutOfMemoryError _) {
                return consumer.position(at);
            }
        }
        return -1;
    }

    /// The last offset from which reading fails as it does from `first`, or null. In ever longer steps, and then by
    /// halves between the last that failed and the first that did not.
    private @Nullable Long lastOf(Consumer<ByteBuffer, ByteBuffer> consumer, TopicPartition at, long first, long end) {
        var untilNanos = clock.nanoTime() + PATIENCE_NANOS;
        try {
            var fails = first;
            var fits = first + 1;
            for (var step = 1L; ; step *= 2) {
                var seen = from(consumer, at, fits, end, untilNanos);
                if (seen == Seen.NOTHING_IN_TIME) return null;
                if (seen == Seen.FITS) break;
                fails = fits;
                fits += step;
            }
            while (fits - fails > 1) {
                var middle = fails + (fits - fails) / 2;
                switch (from(consumer, at, middle, end, untilNanos)) {
                    case FITS -> fits = middle;
                    case TOO_LARGE -> fails = middle;
                    case NOTHING_IN_TIME -> {
                        return null;
                    }
                }
            }
            return fails;
        } catch (KafkaException unanswered) {
            return null;
        }
    }

    private Seen from(
            Consumer<ByteBuffer, ByteBuffer> consumer, TopicPartition at, long offset, long end, long untilNanos) {
        if (offset >= end) return Seen.FITS;
        seek(consumer, at, offset);
        while (clock.nanoTime() - untilNanos < 0) {
            try {
                var _ = consumer.poll(POLL);
            } catch (OutOfMemoryError _) {
                return Seen.TOO_LARGE;
            }
            if (consumer.position(at) > offset) return Seen.FITS;
        }
        return Seen.NOTHING_IN_TIME;
    }

    /// Anew: what was fetched before may have been left in the middle of a record.
    private static void seek(Consumer<ByteBuffer, ByteBuffer> consumer, TopicPartition at, long offset) {
        consumer.unsubscribe();
        consumer.assign(List.of(at));
        consumer.seek(at, offset);
    }
}
