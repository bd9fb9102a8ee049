package dev.millrace.cli;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// Produces the demo's orders at a steady rate, on a thread of its own. The same seed makes the same orders.
///
/// The last of them come slowly until [#hurry]: a replica that is back shows it at the next batch, and there has to be
/// one.
final class DemoOrders implements AutoCloseable {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long FIRST_ORDER_SECONDS = 1_764_374_400L;
    private static final String[] CUSTOMERS = {"ada", "blaise", "charles", "edsger", "grace", "john", "kurt", "lynn"};

    /// The last orders, which may come slowly: a twentieth, and at least so many.
    private static final int LAST_AT_LEAST = 100;

    private static final long SLOW_NANOS = NANOS_PER_SECOND / 5;

    private final String bootstrapServers;
    private final int events;
    private final int rate;
    private final long seed;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final Thread thread = Thread.ofPlatform().name("demo-orders").unstarted(this::produce);
    private volatile boolean hurried;
    private volatile boolean closed;

    DemoOrders(String bootstrapServers, int events, int rate, long seed) {
        this.bootstrapServers = bootstrapServers;
        this.events = events;
        this.rate = rate;
        this.seed = seed;
    }

    void start() {
        thread.start();
    }

    /// Nothing is waited for any more: the rest at the full rate.
    void hurry() {
        hurried = true;
    }

    boolean done() {
        return acknowledged.get() == events;
    }

    @Nullable
    Exception failure() {
        return failure.get();
    }

    private void produce() {
        var settings = Map.<String, Object>of(
                "bootstrap.servers", bootstrapServers, "acks", "all", "enable.idempotence", true, "linger.ms", 5);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            var chance = new SplittableRandom(seed);
            var began = System.nanoTime();
            var last = events - Math.max(LAST_AT_LEAST, events / 20);
            for (var id = 0; id < events && !closed; id++) {
                waitUntil(began + id * NANOS_PER_SECOND / rate);
                if (id >= last) waitUnlessHurried(System.nanoTime() + SLOW_NANOS);
                var _ = producer.send(order(id, chance), (_, cause) -> {
                    if (cause == null) acknowledged.incrementAndGet();
                    else failure.compareAndSet(null, cause);
                });
            }
            producer.flush();
        } catch (RuntimeException cause) {
            failure.compareAndSet(null, cause);
        }
    }

    private void waitUnlessHurried(long nanos) {
        for (var left = nanos - System.nanoTime(); left > 0 && !closed && !hurried; left = nanos - System.nanoTime())
            LockSupport.parkNanos(Math.min(left, NANOS_PER_SECOND / 50));
    }

    private void waitUntil(long nanos) {
        for (var left = nanos - System.nanoTime(); left > 0 && !closed; left = nanos - System.nanoTime())
            LockSupport.parkNanos(left);
    }

    private static ProducerRecord<byte[], byte[]> order(int id, SplittableRandom chance) {
        var cents = chance.nextInt(100, 100_000);
        var customer = CUSTOMERS[chance.nextInt(CUSTOMERS.length)];
        var seconds = FIRST_ORDER_SECONDS + id / 100;
        var value = "{\"order_id\":" + id + ",\"customer\":\"" + customer + "\",\"amount\":" + cents / 100 + "."
                + cents % 100 / 10 + cents % 10 + ",\"placed_at\":\"" + Instant.ofEpochSecond(seconds) + "\"}";
        return new ProducerRecord<>(
                DemoParts.TOPIC,
                ("order-" + id).getBytes(StandardCharsets.UTF_8),
                value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
