package dev.millrace.cli.proof;

import dev.millrace.lab.Topics;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/// Rows that are produced without a pause while it runs, numbered from 0, and where each of them lies.
///
/// Invariant: a row is never sent twice, and is in its place here once the broker has acknowledged
/// it. Partitions are taken in turns, so that each has rows for each shard.
///
/// Thread ownership: the test's thread starts and stops it; what it tells, it tells any.
final class OnceLoad {
    private static final long SEED = 2_611;
    private static final int PIECE = 50;
    private static final int NOBODY = -1;

    private final String topic;
    private final int partitions;
    private final int rowsPerSecond;
    private final String bootstrapServers;
    private final int[][] places;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private CountDownLatch stopped = new CountDownLatch(0);
    private @Nullable Thread thread;
    private int next;

    OnceLoad(String topic, int partitions, int rowsPerSecond, String bootstrapServers) {
        this.topic = topic;
        this.partitions = partitions;
        this.rowsPerSecond = rowsPerSecond;
        this.bootstrapServers = bootstrapServers;
        places = new int[partitions][0];
    }

    /// Rows that were produced and acknowledged, while it is stopped.
    int produced() {
        return next;
    }

    void start() {
        stopped = new CountDownLatch(1);
        var started = Thread.ofPlatform().name("once-load").unstarted(this::produce);
        thread = started;
        started.start();
    }

    private void produce() {
        var settings = Map.<String, Object>of(
                "bootstrap.servers", bootstrapServers, "acks", "all", "enable.idempotence", true, "linger.ms", 5);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            do {
                for (var record : Topics.records(topic, SEED, next, PIECE)) {
                    var id = next++;
                    var its = new ProducerRecord<>(topic, id % partitions, record.key(), record.value());
                    var _ = producer.send(its, (where, cause) -> {
                        if (cause == null) lies(id, where.partition(), where.offset());
                        else failure.compareAndSet(null, cause);
                    });
                }
            } while (!stopped.await(1_000L * PIECE / rowsPerSecond, TimeUnit.MILLISECONDS));
            producer.flush();
        } catch (RuntimeException | InterruptedException cause) {
            failure.compareAndSet(null, cause);
        }
    }

    /// Returns when everything is acknowledged; fails if anything was not.
    void stop() throws InterruptedException {
        stopped.countDown();
        var running = thread;
        if (running != null) running.join();
        var cause = failure.get();
        if (cause != null) throw new AssertionError("the load was not produced", cause);
    }

    /// Rows of a transaction that is given up: offsets that hold nothing.
    void gap(Topics topics, int rows) {
        var given = Topics.records(topic, SEED, Integer.MAX_VALUE - rows, rows).stream()
                .map(row -> new ProducerRecord<>(
                        topic, row.key()[row.key().length - 1] % partitions, row.key(), row.value()))
                .toList();
        topics.produceAborted(given);
    }

    private synchronized void lies(int id, int partition, long offset) {
        var known = places[partition];
        var at = Math.toIntExact(offset);
        if (at >= known.length) {
            known = Arrays.copyOf(known, Math.max(1 << 12, 2 * at));
            Arrays.fill(known, places[partition].length, known.length, NOBODY);
            places[partition] = known;
        }
        known[at] = id;
    }

    /// Numbers of the rows that are known to lie at these offsets.
    synchronized BitSet ids(int partition, long from, long to) {
        var ids = new BitSet();
        var known = places[partition];
        for (var at = (int) from; at < Math.min(to, known.length); at++) if (known[at] != NOBODY) ids.set(known[at]);
        return ids;
    }

    /// Where a row lies whose number begins this text.
    synchronized String place(String row) {
        var id = number(row);
        var partition = id % partitions;
        for (var at = 0; at < places[partition].length; at++)
            if (places[partition][at] == id) return new TopicPartition(topic, partition) + "@" + at;
        return "nowhere";
    }

    private static int number(String row) {
        return Integer.parseInt(row.split("[|\t]", 2)[0]);
    }

    /// Whether a number, a tab and a text are a row that was produced.
    boolean isRow(String row) {
        var id = number(row);
        if (id < 0 || id >= next) return false;
        var value = new String(Topics.records(topic, SEED, id, 1).getFirst().value(), StandardCharsets.UTF_8);
        return value.equals("{\"id\":" + id + ",\"text\":\"" + row.substring(row.indexOf('\t') + 1) + "\"}");
    }
}
