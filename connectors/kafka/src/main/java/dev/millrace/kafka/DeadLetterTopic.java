package dev.millrace.kafka;

import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The dead-letter topic of one pipeline: sends poison rows there, each until the brokers have acknowledged it.
///
/// Its thread reads the original record again at its offset, and sends it; what fails is sent again after a while, for
/// ever. Nothing here is bounded but by what hands letters over: a shard holds when too many of its rows wait.
///
/// Thread ownership: `send` from any thread; the clients belong to its own.
public final class DeadLetterTopic implements DeadLetters, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetterTopic.class);
    private static final long READ_NANOS = 5_000_000_000L;
    private static final long LONGEST_WAIT_NANOS = 500_000_000L;
    private static final int MOST_STEPS = 16;
    private static final long TELL_EVERY_NANOS = 10_000_000_000L;
    private static final IntervalFunction LADDER =
            IntervalFunction.ofExponentialBackoff(Duration.ofMillis(200), 2, Duration.ofSeconds(10));

    /// A letter on its way.
    private static final class Sending {
        final Letter letter;
        final Done done;
        int failures;
        long dueNanos;

        Sending(Letter letter, Done done) {
            this.letter = letter;
            this.done = done;
        }
    }

    private final String topic;
    private final String pipeline;
    private final KafkaClients clients;
    private final NanoClock clock;
    private final LinkedBlockingQueue<Sending> queue = new LinkedBlockingQueue<>();
    private final Set<Sending> undone = ConcurrentHashMap.newKeySet();
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong gone = new AtomicLong();
    private final Thread thread;
    private volatile boolean closed;
    private long toldNanos;
    private boolean toldAny;

    public DeadLetterTopic(String topic, String pipeline, KafkaSourceSettings settings, NanoClock clock) {
        this.topic = topic;
        this.pipeline = pipeline;
        this.clients = new KafkaClients(settings);
        this.clock = clock;
        this.thread = Thread.ofPlatform().daemon().name("millrace-dead-letters").unstarted(this::run);
    }

    /// Looks whether the topic is there, and makes it where it is not: with the cluster's defaults, but kept for ever.
    /// Throws, within `startup_timeout`, with a line and an exit code. Then letters are sent.
    public void start() throws StartRefused {
        try (var admin = new AdminCalls(clients.admin(), clock, () -> closed)) {
            var until = clock.nanoTime() + clients.startupTimeoutNanos();
            if (admin.describe(List.of(topic), until).isEmpty()) {
                admin.create(topic, Map.of("retention.ms", "-1"), until);
                LOG.atInfo()
                        .addKeyValue("event", "dead_letter_topic_created")
                        .log("topic={} retention=unlimited", topic);
            }
        } catch (AdminCalls.Stopped _) {
            return;
        } catch (AdminCalls.Failed failed) {
            var passing = failed.why() instanceof RetriableException;
            throw new StartRefused(
                    passing ? 5 : 2,
                    "poison.topic " + topic + ": " + failed.why().getMessage()
                            + (passing ? "" : "; create it, or set poison.action to skip or stop"));
        }
        thread.start();
    }

    /// Waits until every letter is acknowledged or `untilNanos`. Returns whether all are.
    public boolean awaitAcknowledged(long untilNanos) throws InterruptedException {
        synchronized (undone) {
            while (!undone.isEmpty()) {
                var left = untilNanos - clock.nanoTime();
                if (left <= 0) return false;
                TimeUnit.NANOSECONDS.timedWait(undone, left);
            }
        }
        return true;
    }

    @Override
    public void send(Letter letter, Done done) {
        var sending = new Sending(letter, done);
        undone.add(sending);
        queue.add(sending);
        if (closed) abandon(sending);
    }

    /// Letters that are not acknowledged.
    public long waiting() {
        return undone.size();
    }

    public long acknowledged() {
        return acknowledged.get();
    }

    /// How many of the acknowledged ones went as they were encoded, since the original was gone.
    public long gone() {
        return gone.get();
    }

    private void run() {
        try (var producer = clients.deadLetterProducer();
                var originals = new Originals(clients.originals(), clock)) {
            var later = new PriorityQueue<Sending>((a, b) -> Long.signum(a.dueNanos - b.dueNanos));
            while (!closed) {
                for (var sending : next(later)) {
                    if (closed) return;
                    if (sending.dueNanos - clock.nanoTime() > 0 && sending.failures > 0) later.add(sending);
                    else send(sending, producer, originals);
                }
            }
        } catch (InterruptedException | InterruptException _) {
            // Closed.
        } catch (RuntimeException died) {
            LOG.atError()
                    .addKeyValue("event", "dead_letters_died")
                    .setCause(died)
                    .log("topic={}", topic);
            for (var sending : undone) sending.done.failed(failure(died));
        }
    }

    private List<Sending> next(PriorityQueue<Sending> later) throws InterruptedException {
        var out = new ArrayList<Sending>();
        var now = clock.nanoTime();
        for (var head = later.peek(); head != null && head.dueNanos - now <= 0; head = later.peek()) {
            out.add(head);
            later.remove();
        }
        var head = later.peek();
        var wait = head == null ? LONGEST_WAIT_NANOS : Math.min(LONGEST_WAIT_NANOS, head.dueNanos - now);
        var first = out.isEmpty() ? queue.poll(wait, TimeUnit.NANOSECONDS) : queue.poll();
        if (first != null) out.add(first);
        queue.drainTo(out, 500);
        return out;
    }

    private void send(Sending sending, Producer<byte[], byte[]> producer, Originals originals) {
        var letter = sending.letter;
        try {
            var original = originals.read(letter.partition(), letter.offset(), clock.nanoTime() + READ_NANOS);
            var record = DeadLetterRecord.of(topic, pipeline, letter, original);
            var _ = producer.send(record, (_, refused) -> {
                if (refused == null) acknowledged(sending, original == null);
                else again(sending, refused);
            });
        } catch (InterruptException stopped) {
            throw stopped;
        } catch (KafkaException | IllegalStateException refused) {
            again(sending, refused);
        }
    }

    private void acknowledged(Sending sending, boolean withoutOriginal) {
        if (!take(sending)) return;
        acknowledged.incrementAndGet();
        if (withoutOriginal) gone.incrementAndGet();
        sending.done.acknowledged();
    }

    private void again(Sending sending, Exception why) {
        if (closed) {
            abandon(sending);
            return;
        }
        sending.failures++;
        var step = Math.min(sending.failures, MOST_STEPS);
        sending.dueNanos = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LADDER.apply(step));
        var failure = failure(why);
        tell(sending, failure);
        sending.done.failed(failure);
        queue.add(sending);
    }

    private synchronized void tell(Sending sending, Failure failure) {
        var now = clock.nanoTime();
        if (toldAny && now - toldNanos < TELL_EVERY_NANOS) return;
        toldAny = true;
        toldNanos = now;
        LOG.atError()
                .addKeyValue("event", "dead_letter_failed")
                .addKeyValue("topic", topic)
                .addKeyValue("waiting", undone.size())
                .log("{}@{}: {}", sending.letter.partition(), sending.letter.offset(), failure);
    }

    private static Failure failure(Exception why) {
        var kind = why instanceof AuthenticationException
                ? "authentication"
                : why.getClass().getSimpleName();
        return new Failure(kind, "dead-letter topic: " + why.getMessage(), true);
    }

    private void abandon(@Nullable Sending sending) {
        if (sending != null && take(sending)) sending.done.abandoned();
    }

    private boolean take(Sending sending) {
        if (!undone.remove(sending)) return false;
        if (undone.isEmpty()) {
            synchronized (undone) {
                undone.notifyAll();
            }
        }
        return true;
    }

    /// Sends nothing more; what is not acknowledged is abandoned. Within about a second.
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            if (thread.getState() != Thread.State.NEW) thread.join(Duration.ofSeconds(1));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        for (var sending : new HashSet<>(undone)) abandon(sending);
    }
}
