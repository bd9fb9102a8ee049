package dev.millrace.kafka;

import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The dead-letter topic of one pipeline: sends poison rows there, each until the brokers have acknowledged it.
///
/// Its thread reads the original record again at its offset, and sends it; what fails is sent again after a while, for
/// ever, and keeps no other letter waiting. How many letters there may be is bounded by who sends them: a shard holds
/// when too many of its rows wait, and so does a partition.
///
/// Invariant: a letter is told as acknowledged once, after the brokers acknowledged it, or as abandoned once.
///
/// Thread ownership: shared; `start` is called once.
public final class DeadLetterTopic implements DeadLetters, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetterTopic.class);
    private static final int MOST_STEPS = 16;
    private static final long TELL_EVERY_NANOS = 10_000_000_000L;
    private static final IntervalFunction LADDER =
            IntervalFunction.ofExponentialBackoff(Duration.ofMillis(200), 2, Duration.ofSeconds(10));

    private final String topic;
    private final String pipeline;
    private final KafkaClients clients;
    private final NanoClock clock;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong gone = new AtomicLong();
    private final Object lock = new Object();
    // Guarded by `lock`, up to `toldAny`.
    private final Set<Sending> undone = new HashSet<>();
    private boolean closed;
    private @Nullable LetterThread letters;
    private @Nullable Thread thread;
    private boolean dead;
    private long toldNanos;
    private boolean toldAny;

    public DeadLetterTopic(String topic, String pipeline, KafkaSourceSettings settings, NanoClock clock) {
        this.topic = topic;
        this.pipeline = pipeline;
        this.clients = new KafkaClients(settings);
        this.clock = clock;
    }

    /// Looks whether the topic is there and can be written to, and makes it where it is not: with the cluster's
    /// defaults, but kept for ever. Then letters are sent. Returns false where a stop was asked for before that.
    ///
    /// `died` is told once, on any thread, if letters are sent no more by a fault of our own.
    ///
    /// Throws, within `startup_timeout`, with a line and an exit code.
    public boolean start(BooleanSupplier stopped, Consumer<Throwable> died) throws StartRefused {
        BooleanSupplier ends = () -> stopped.getAsBoolean() || closed();
        try (var admin = new AdminCalls(clients.admin(), clock, ends)) {
            new LetterTopicStart(topic, clients, admin, clock).run();
        } catch (AdminCalls.Stopped _) {
            return false;
        } catch (KafkaException wrong) {
            throw KafkaClients.refused(wrong);
        }
        return begin(died);
    }

    private boolean begin(Consumer<Throwable> died) throws StartRefused {
        var outcomes = new Outcomes(died);
        Originals originals = null;
        try {
            originals = new Originals(clients.originals(), clock);
            var parts = new LetterThread.Parts(clients::deadLetterProducer, originals, this::record, outcomes);
            var made = new LetterThread(parts, clients.deadLetterProducer(), clock);
            synchronized (lock) {
                if (!closed) {
                    letters = made;
                    for (var sending : undone) made.add(sending);
                    thread = Thread.ofPlatform()
                            .daemon()
                            .name("millrace-dead-letters")
                            .start(() -> run(made, outcomes));
                    return true;
                }
            }
            made.close();
            return false;
        } catch (KafkaException wrong) {
            if (originals != null) originals.close();
            throw KafkaClients.refused(wrong);
        }
    }

    private ProducerRecord<byte[], byte[]> record(Originals.Found.Read read) {
        var sending = read.sending();
        return DeadLetterRecord.of(topic, pipeline, sending.letter, read.original(), sending.withoutTimestamp);
    }

    private boolean closed() {
        synchronized (lock) {
            return closed;
        }
    }

    /// Waits until every letter is acknowledged or `untilNanos`. Returns whether all are; those who wait for them were
    /// told before.
    public boolean awaitAcknowledged(long untilNanos) throws InterruptedException {
        synchronized (lock) {
            while (!undone.isEmpty()) {
                var left = untilNanos - clock.nanoTime();
                if (left <= 0 || closed || dead) return false;
                TimeUnit.NANOSECONDS.timedWait(lock, left);
            }
        }
        return true;
    }

    @Override
    public void send(Letter letter, Done done) {
        var sending = new Sending(letter, done);
        synchronized (lock) {
            if (!closed) {
                undone.add(sending);
                if (letters != null) letters.add(sending);
                return;
            }
        }
        sending.abandoned();
    }

    /// Letters that are not acknowledged.
    public long waiting() {
        synchronized (lock) {
            return undone.size();
        }
    }

    public long acknowledged() {
        return acknowledged.get();
    }

    /// How many of the acknowledged ones went as they were encoded, since the original was gone.
    public long gone() {
        return gone.get();
    }

    private void run(LetterThread made, Outcomes outcomes) {
        try {
            while (!closed()) made.turn();
        } catch (InterruptedException | InterruptException _) {
            // Nobody but `close` interrupts it.
        } catch (Throwable fault) {
            outcomes.died(fault);
        }
        try {
            made.close();
        } catch (RuntimeException refused) {
            LOG.atWarn().addKeyValue("event", "dead_letters_close_failed").log("why=\"{}\"", refused.toString());
        }
    }

    // After its waiter was told: who waits for all of them to end goes on then.
    private void done(Sending sending) {
        synchronized (lock) {
            undone.remove(sending);
            if (undone.isEmpty()) lock.notifyAll();
        }
    }

    private final class Outcomes implements LetterThread.Outcomes {
        private final Consumer<Throwable> whenDead;

        Outcomes(Consumer<Throwable> whenDead) {
            this.whenDead = whenDead;
        }

        @Override
        public void acknowledged(Sending sending, boolean withoutOriginal) {
            if (!sending.acknowledged()) return;
            acknowledged.incrementAndGet();
            if (withoutOriginal) gone.incrementAndGet();
            done(sending);
        }

        @Override
        public void failed(Sending sending, Exception why) {
            again(sending, notTaken(why));
        }

        @Override
        public void unread(Sending sending, Exception why) {
            again(sending, new Failure(code(why), "reading the record again: " + why.getMessage(), false));
        }

        private void again(Sending sending, Failure failure) {
            var step = Math.min(++sending.failures, MOST_STEPS);
            sending.dueNanos = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LADDER.apply(step));
            synchronized (lock) {
                // What is closed abandons it.
                if (closed || letters == null) return;
            }
            tell(sending, failure);
            sending.failed(failure);
            synchronized (lock) {
                if (!closed && letters != null) letters.add(sending);
            }
        }

        @Override
        public void died(Throwable fault) {
            synchronized (lock) {
                if (dead) return;
                dead = true;
                lock.notifyAll();
            }
            LOG.atError()
                    .addKeyValue("event", "dead_letters_died")
                    .setCause(fault)
                    .log("topic={}", topic);
            whenDead.accept(fault);
        }
    }

    private void tell(Sending sending, Failure failure) {
        int waiting;
        synchronized (lock) {
            var now = clock.nanoTime();
            if (toldAny && now - toldNanos < TELL_EVERY_NANOS) return;
            toldAny = true;
            toldNanos = now;
            waiting = undone.size();
        }
        LOG.atError()
                .addKeyValue("event", "dead_letter_failed")
                .addKeyValue("topic", topic)
                .addKeyValue("waiting", waiting)
                .log("{}: {}", sending, failure);
    }

    private Failure notTaken(Exception why) {
        var remedy = why instanceof RecordTooLargeException
                ? "; raise its max.message.bytes"
                : why instanceof TopicAuthorizationException ? "; allow WRITE" : "";
        return new Failure(code(why), "dead-letter topic " + topic + ": " + why.getMessage() + remedy, true);
    }

    private static String code(Exception why) {
        return why instanceof AuthenticationException
                ? "authentication"
                : why.getClass().getSimpleName();
    }

    /// Sends nothing more; what is not acknowledged is abandoned. Within about a second.
    @Override
    public void close() {
        Thread ending;
        synchronized (lock) {
            closed = true;
            ending = thread;
            lock.notifyAll();
        }
        if (ending != null) end(ending);
        List<Sending> left;
        synchronized (lock) {
            left = List.copyOf(undone);
        }
        for (var sending : left) {
            sending.abandoned();
            done(sending);
        }
    }

    private static void end(Thread ending) {
        ending.interrupt();
        try {
            ending.join(Duration.ofSeconds(1));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
