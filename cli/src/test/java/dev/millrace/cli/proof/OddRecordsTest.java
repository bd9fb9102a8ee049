package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Records at the edges of what Kafka holds, and their exact bytes in the table.
@ExtendWith(LabExtension.class)
class OddRecordsTest {
    private static final int HUGE = 10 << 20;
    private static final int TOMBSTONES = 3;

    @Test
    @Tag("SRC-5")
    @Tag("FMT-1")
    @Tag("CKP-2")
    @Tag("ADM-1")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void everyRecordBecomesItsExactBytesWhateverItsShape(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (v bytea not null)");
            var topic = stage.topic("odd");
            stage.topics().create(topic, 2, Map.of("max.message.bytes", Integer.toString(HUGE + (1 << 20))));
            produce(stage, odd(topic));

            var run = stage.start(smallBudget(stage.recipe("[ " + topic + " ]", "t", ", raw_column: v"))).ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            var metrics = run.metrics();
            var report = run.stop(0);

            var rows = stage.topics().readAll(topic).stream()
                    .map(ConsumerRecord::value)
                    .filter(value -> value != null)
                    .map(OddRecordsTest::fingerprint)
                    .sorted()
                    .toList();
            assertThat(stage.query("select length(v) || ':' || md5(v) from t")).hasSameElementsAs(rows).hasSize(rows.size());
            assertThat(report.rows().skipped()).isEqualTo(TOMBSTONES);
            assertThat(report.rows().delivered()).isEqualTo(rows.size());
            assertThat(metrics.sum("millrace_rows_skipped_total")).isEqualTo(TOMBSTONES);
            assertThat(report.caughtUp()).isTrue();
        }
    }

    @Test
    @Tag("SRC-5")
    @Tag("FMT-1")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void aSinkThatKeepsNothingIsGivenEachOfThem(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = stage.topic("odd");
            stage.topics().create(topic, 2, Map.of("max.message.bytes", Integer.toString(HUGE + (1 << 20))));
            var records = odd(topic);
            produce(stage, records);

            var run = stage.start(smallBudget(stage.recipe("[ " + topic + " ]").blackhole())
                            .set("format", "{ raw: { on_tombstone: row } }"))
                    .ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            var report = run.stop(0);

            assertThat(report.rows().delivered()).isEqualTo(records.size());
            assertThat(report.rows().skipped()).isZero();
            assertThat(report.batchesDelivered()).as("each of the two large ones goes alone").isGreaterThanOrEqualTo(3);
        }
    }

    /// A large record alone is more than all that may be in flight.
    private static Recipe smallBudget(Recipe recipe) {
        return recipe.set("format", "{ raw: {} }")
                .set("sinks.warehouse.batch", "{ max_bytes: 1MiB, linger: 100ms }")
                .set("sinks.warehouse.chunk", "{ target_bytes: 64KiB }")
                .set("admission.max_bytes", "4MiB")
                .set("poison.action", "stop");
    }

    private static List<ProducerRecord<byte[], byte[]>> odd(String topic) {
        var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (var i = 0; i < TOMBSTONES; i++) records.add(record(topic, "gone-" + i, null));
        records.add(record(topic, "empty", new byte[0]));
        records.add(record(topic, null, bytes("no key")));
        records.add(record(topic, null, new byte[0]));
        records.add(record(topic, "", bytes("an empty key")));
        var all = new byte[256];
        for (var i = 0; i < all.length; i++) all[i] = (byte) i;
        records.add(record(topic, "every byte", all));
        records.add(record(topic, "what COPY escapes", bytes("\\N\t\\.\n\r\\x00\\\\\b\u000b\f\n\\.\n")));
        var many = record(topic, "a thousand headers", bytes("many"));
        for (var i = 0; i < 1_000; i++) many.headers().add("header-" + i, bytes("value-" + i));
        records.add(many);
        var twins = record(topic, "twins", bytes("headers of one name"));
        for (var i = 0; i < 3; i++) twins.headers().add("twin", i == 1 ? null : bytes("value"));
        records.add(twins);
        records.add(record(topic, "huge", noise(1)));
        for (var i = 0; i < 200; i++) records.add(record(topic, "key-" + i, bytes("small-" + i)));
        records.add(record(topic, null, noise(2)));
        return records;
    }

    private static byte[] noise(long seed) {
        var noise = new byte[HUGE];
        new Random(seed).nextBytes(noise);
        return noise;
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, @Nullable String key, byte @Nullable [] value) {
        return new ProducerRecord<>(topic, key == null ? null : bytes(key), value);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void produce(Stage stage, List<ProducerRecord<byte[], byte[]>> records) throws Exception {
        var settings = Map.<String, Object>of(
                "bootstrap.servers", stage.bootstrapServers(),
                "max.request.size", HUGE + (1 << 20),
                "buffer.memory", 4L * HUGE);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (var record : records) producer.send(record).get(30, TimeUnit.SECONDS);
        }
    }

    private static String fingerprint(byte[] value) {
        try {
            var md5 = MessageDigest.getInstance("MD5").digest(value);
            return value.length + ":" + HexFormat.of().formatHex(md5);
        } catch (java.security.NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
