package dev.millrace.cli.proof;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// Produces orders without a pause until it is stopped, through whatever befalls the broker.
///
/// Thread ownership: the test's thread; it produces on one of its own.
final class SteadyLoad implements AutoCloseable {
    private static final int PIECE = 100;
    private static final long BETWEEN_MILLIS = 20;

    private final Orders orders;
    private final String bootstrapServers;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final Thread thread = Thread.ofPlatform().name("steady-load").unstarted(this::produce);

    private SteadyLoad(Orders orders, String bootstrapServers) {
        this.orders = orders;
        this.bootstrapServers = bootstrapServers;
    }

    /// About five thousand a second.
    static SteadyLoad start(Orders orders, String bootstrapServers) {
        var load = new SteadyLoad(orders, bootstrapServers);
        load.thread.start();
        return load;
    }

    private void produce() {
        var settings = Map.<String, Object>of(
                "bootstrap.servers", bootstrapServers, "acks", "all", "enable.idempotence", true, "linger.ms", 5);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            do {
                var taken = orders.take(PIECE);
                for (var i = 0; i < PIECE; i++) {
                    var id = taken.first() + i;
                    var _ = producer.send(taken.rows().get(i), (where, cause) -> {
                        if (cause == null) orders.acknowledged(id, where);
                        else failure.compareAndSet(null, cause);
                    });
                }
            } while (!stopped.await(BETWEEN_MILLIS, TimeUnit.MILLISECONDS));
            producer.flush();
        } catch (RuntimeException | InterruptedException cause) {
            failure.compareAndSet(null, cause);
        }
    }

    /// Returns when everything is acknowledged; fails if anything was not.
    @Override
    public void close() {
        stopped.countDown();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        var cause = failure.get();
        if (cause != null) throw new AssertionError("the load was not produced", cause);
    }
}
