package dev.millrace.cli.proof;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// Sends a [PoisonMix] at a constant rate, each record to its place. What a broker that is away holds up is made
/// up for when it is back.
///
/// Thread ownership: the test's thread; it sends on one of its own.
final class SoakLoad implements AutoCloseable {
    private static final long BETWEEN_MILLIS = 20;

    private final PoisonMix mix;
    private final String topic;
    private final int rowsPerSecond;
    private final String bootstrapServers;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Thread thread = Thread.ofPlatform().daemon().name("soak-load").unstarted(this::send);

    private SoakLoad(PoisonMix mix, String topic, int rowsPerSecond, String bootstrapServers) {
        this.mix = mix;
        this.topic = topic;
        this.rowsPerSecond = rowsPerSecond;
        this.bootstrapServers = bootstrapServers;
    }

    static SoakLoad start(PoisonMix mix, String topic, int rowsPerSecond, String bootstrapServers) {
        var load = new SoakLoad(mix, topic, rowsPerSecond, bootstrapServers);
        load.thread.start();
        return load;
    }

    private void send() {
        var settings = Map.<String, Object>of(
                "bootstrap.servers", bootstrapServers, "acks", "all", "enable.idempotence", true, "linger.ms", 5);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            var began = System.nanoTime();
            var next = 0;
            while (next < mix.rows() && !stopped.await(BETWEEN_MILLIS, TimeUnit.MILLISECONDS)) {
                var due = (System.nanoTime() - began) / 1e9 * rowsPerSecond;
                while (next < Math.min(due, mix.rows())) send(producer, next++);
            }
            producer.flush();
        } catch (RuntimeException | InterruptedException cause) {
            failure.compareAndSet(null, cause);
        }
    }

    private void send(KafkaProducer<byte[], byte[]> producer, int id) {
        var _ = producer.send(mix.record(topic, id), (where, refused) -> {
            if (refused != null) failure.compareAndSet(null, refused);
            else if (mix.id(where.partition(), where.offset()) != id)
                failure.compareAndSet(null, new AssertionError(id + " lies at " + where));
        });
    }

    /// Whether all of it is acknowledged. Fails if anything was not.
    boolean done() {
        var over = !thread.isAlive();
        var cause = failure.get();
        if (cause != null) throw new AssertionError("the load was not produced", cause);
        return over;
    }

    @Override
    public void close() {
        stopped.countDown();
    }
}
