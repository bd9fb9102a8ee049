package dev.millrace.kafka;

import dev.millrace.sinkpool.NanoClock;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;

/// The loop that reads originals and sends dead letters: what is due is read again, what was read is sent.
///
/// At most [#MOST_SENT] letters, and [#MOST_SENT_BYTES] and one look more, are with the producer: what else waits
/// costs no copy of its record. A producer that failed for anything but the topic or the record is thrown away, since
/// some of its errors are for life.
///
/// Thread ownership: its own thread; the producer's calls back.
final class LetterThread {
    static final int MOST_SENT = 500;
    static final long MOST_SENT_BYTES = 32L << 20;

    private static final Duration LOOK = Duration.ofMillis(100);
    private static final long BUSY_NANOS = 20_000_000L;
    private static final long IDLE_NANOS = 500_000_000L;
    private static final long RECORD_BYTES = 512;

    /// Far above what the producer itself allows a send: its own thread must have ended.
    private static final long LONGEST_SILENCE_NANOS = 180_000_000_000L;

    /// Told from the producer's thread, or from this.
    interface Outcomes {
        void acknowledged(Sending sending, boolean withoutOriginal);

        /// The dead-letter topic does not take it for now.
        void failed(Sending sending, Exception why);

        /// Its record cannot be read again for now.
        void unread(Sending sending, Exception why);

        /// A fault of our own in an answer.
        void died(Throwable fault);
    }

    /// The clients, and how a letter looks.
    record Parts(
            Supplier<Producer<byte[], byte[]>> producers,
            Originals originals,
            Function<Originals.Found.Read, ProducerRecord<byte[], byte[]>> records,
            Outcomes outcomes) {}

    /// A producer, and whether it may be one that never sends anything again.
    private static final class Outgoing {
        final Producer<byte[], byte[]> producer;
        volatile boolean broken;

        Outgoing(Producer<byte[], byte[]> producer) {
            this.producer = producer;
        }
    }

    private final Parts parts;
    private final NanoClock clock;
    private final LinkedBlockingQueue<Sending> queue = new LinkedBlockingQueue<>();
    private final PriorityQueue<Sending> later = new PriorityQueue<>((a, b) -> Long.signum(a.dueNanos - b.dueNanos));
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicLong sentBytes = new AtomicLong();
    private volatile long answeredNanos;
    private @Nullable Outgoing outgoing;

    /// The producer is made already: that its settings are wrong shows when the process starts.
    LetterThread(Parts parts, Producer<byte[], byte[]> producer, NanoClock clock) {
        this.parts = parts;
        this.outgoing = new Outgoing(producer);
        this.clock = clock;
    }

    /// It is read and sent, now or when it is due. Any thread.
    void add(Sending sending) {
        queue.add(sending);
    }

    /// One turn of the loop.
    void turn() throws InterruptedException {
        var originals = parts.originals();
        take(originals);
        var busy = sent.get() >= MOST_SENT || sentBytes.get() >= MOST_SENT_BYTES;
        if (sent.get() > 0 && clock.nanoTime() - answeredNanos > LONGEST_SILENCE_NANOS)
            throw new IllegalStateException("the producer of dead letters does not answer");
        if (originals.wantsNothing() || busy) return;
        for (var found : originals.look(LOOK)) {
            switch (found) {
                case Originals.Found.Read read -> send(read);
                case Originals.Found.Unread(var sending, var why) ->
                    parts.outcomes().unread(sending, why);
            }
        }
    }

    private void take(Originals originals) throws InterruptedException {
        for (var head = later.peek(); head != null && due(head); head = later.peek()) {
            later.remove();
            if (!head.ended()) originals.want(head);
        }
        for (var next = queue.poll(waitNanos(originals), TimeUnit.NANOSECONDS); next != null; next = queue.poll()) {
            if (next.ended()) continue;
            if (next.failures == 0 || due(next)) originals.want(next);
            else later.add(next);
        }
    }

    private boolean due(Sending sending) {
        return clock.nanoTime() - sending.dueNanos >= 0;
    }

    private long waitNanos(Originals originals) {
        if (!originals.wantsNothing()) {
            if (sent.get() >= MOST_SENT || sentBytes.get() >= MOST_SENT_BYTES) return BUSY_NANOS;
            return originals.troubled() ? LOOK.toNanos() : 0;
        }
        var head = later.peek();
        return head == null ? IDLE_NANOS : Math.clamp(head.dueNanos - clock.nanoTime(), 0, IDLE_NANOS);
    }

    private void send(Originals.Found.Read read) {
        var sending = read.sending();
        if (sending.ended()) return;
        try {
            var record = parts.records().apply(read);
            var bytes = bytes(record);
            var with = outgoing();
            if (sent.getAndIncrement() == 0) answeredNanos = clock.nanoTime();
            sentBytes.addAndGet(bytes);
            try {
                var _ = with.producer.send(record, (_, refused) -> answered(read, bytes, with, refused));
            } catch (RuntimeException refused) {
                // Then nobody calls back.
                sent.decrementAndGet();
                sentBytes.addAndGet(-bytes);
                with.broken = true;
                throw refused;
            }
        } catch (InterruptException closed) {
            throw closed;
        } catch (KafkaException | IllegalStateException refused) {
            parts.outcomes().failed(sending, refused);
        }
    }

    private void answered(Originals.Found.Read read, long bytes, Outgoing with, @Nullable Exception refused) {
        // What is thrown here the producer would log, and a letter would wait for ever.
        try {
            answeredNanos = clock.nanoTime();
            sent.decrementAndGet();
            sentBytes.addAndGet(-bytes);
            if (refused == null) {
                parts.outcomes().acknowledged(read.sending(), read.original() == null);
                return;
            }
            if (maybeForItsTimestamp(refused)) read.sending().withoutTimestamp = true;
            if (breaks(refused)) with.broken = true;
            parts.outcomes().failed(read.sending(), refused);
        } catch (Throwable fault) {
            parts.outcomes().died(fault);
        }
    }

    /// Of several in one request the client tells no more than that they are invalid.
    private static boolean maybeForItsTimestamp(Exception refused) {
        return refused instanceof InvalidTimestampException || refused instanceof InvalidRecordException;
    }

    /// Whether it may say that this producer will never send anything again.
    static boolean breaks(Exception refused) {
        return !(refused instanceof RetriableException
                || refused instanceof RecordTooLargeException
                || maybeForItsTimestamp(refused)
                || refused instanceof TopicAuthorizationException
                || refused instanceof InvalidTopicException
                || refused instanceof PolicyViolationException);
    }

    private Outgoing outgoing() {
        var now = outgoing;
        if (now != null && now.broken) {
            outgoing = null;
            // What it still has is failed before this returns.
            now.producer.close(Duration.ZERO);
            now = null;
        }
        if (now == null) {
            now = new Outgoing(parts.producers().get());
            outgoing = now;
        }
        return now;
    }

    private static long bytes(ProducerRecord<byte[], byte[]> record) {
        var bytes = RECORD_BYTES + length(record.key()) + length(record.value());
        for (var header : record.headers()) bytes += header.key().length() + length(header.value());
        return bytes;
    }

    private static int length(byte @Nullable [] part) {
        return part == null ? 0 : part.length;
    }

    /// Gives the clients back, within about a second. What is out is failed, or acknowledged, meanwhile.
    void close() {
        // The clients' own errors set it again, and would not wait then.
        var _ = Thread.interrupted();
        try {
            var last = outgoing;
            if (last != null) last.producer.close(Duration.ofMillis(500));
        } finally {
            parts.originals().close();
        }
    }
}
