package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.ChaosProxy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Much is waiting in Kafka, and the process has little memory.
@ExtendWith(LabExtension.class)
class MemoryTest {
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final int MIB = 1 << 20;
    private static final int HEAP_MIB = 96;
    private static final int PARTITIONS = 64;
    private static final int DIRECT_MIB = 16;
    /// Classes, compiled code, stacks, and what the collector and the system keep of their own.
    private static final int REST_MIB = 240;

    /// The log is twice the heap, and the sink answers nothing: every partition is paused, and nothing grows. What is
    /// fetched is outside the budget, and as much as `max.partition.fetch.bytes` for each partition: with the
    /// 1 MiB of [#small] that would be two thirds of the heap, which is told at the start.
    @Test
    @Tag("SRC-14")
    @Timeout(value = 240, unit = TimeUnit.SECONDS)
    @DisplayName("CASES 35: a lag of twice the heap in 64 partitions, with a sink that is down, is not kept in memory")
    void aDeepLagWithEveryPartitionPausedIsNotKeptInMemory(SharedLab lab, @TempDir Path directory) throws Exception {
        var records = 4_000;
        var size = 2 * HEAP_MIB * MIB / records;
        try (var stage = new Stage(lab);
                var proxy = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port())) {
            stage.execute("create table t (v bytea not null)");
            var topic = stage.topic("deep");
            stage.topics().create(topic, PARTITIONS);
            produce(stage, topic, records, size);
            var endpoint = "postgres://127.0.0.1:" + proxy.port() + "/" + stage.name();
            var recipe = small(stage.recipe("[ " + topic + " ]"))
                    .postgres(stage.postgres().user(), "t", ", raw_column: v", endpoint)
                    .set("sinks.warehouse.write", "{ timeout: 5s }")
                    .set("delivery", "at_least_once")
                    .set(
                            "source.kafka.properties",
                            "{ max.poll.records: 10, max.partition.fetch.bytes: 131072, fetch.max.bytes: 2097152 }");
            try (var process = run(recipe, directory, HEAP_MIB)) {
                var pages = new AdminPages(recipe.port());
                await(process, "ready", () -> pages.code("/readyz") == 200);
                await(process, "rows", () -> stage.count("t") > 0);
                proxy.blackHole();
                await(
                        process,
                        "it holds what a shard may",
                        () -> pages.metric("millrace_pauses_total") > 0
                                && pages.status().at("/in_flight/bytes").asLong() >= 3L * MIB);
                var taken = new Standstill(() -> pages.metric("millrace_rows_polled_total"));
                await(process, "a while without a row", taken::lasts);
                assertThat(taken.at)
                        .as("paused, with a log that is far from read")
                        .isPositive()
                        .isLessThan(records);
                assertBounded(process);
                proxy.heal();
                await(process, "all committed", () -> stage.caughtUp(topic));
                assertBounded(process);
                process.terminate();
                assertThat(process.awaitExit(LONG)).as(process::evidence).isZero();
                assertThat(stage.count("t")).isGreaterThanOrEqualTo(records);
            }
        }
    }

    /// A number that grows until it stands: what was on its way when the sink fell silent still comes.
    private static final class Standstill {
        private final NumberAt number;
        private double at = -1;
        private Deadline until = Deadline.in(Duration.ZERO);

        interface NumberAt {
            double now() throws Exception;
        }

        Standstill(NumberAt number) {
            this.number = number;
        }

        boolean lasts() throws Exception {
            var now = number.now();
            if (now != at) {
                at = now;
                until = Deadline.in(Duration.ofSeconds(3));
            }
            return until.passed();
        }
    }

    private static void assertBounded(MillraceProcess process) throws IOException {
        assertThat(process.peakResidentKib() / 1024)
                .as("MiB resident at most")
                .isLessThan(HEAP_MIB + DIRECT_MIB + REST_MIB);
    }

    /// A batch of some KiB unpacks to many times the heap, record by record, and passes; one record that alone is more
    /// than the heap has ends the process, with the place and what to do. It is left out where the file says so,
    /// and passes with a heap that holds it.
    @Test
    @Tag("SRC-14")
    @Timeout(value = 240, unit = TimeUnit.SECONDS)
    @DisplayName("CASES 35: a compression bomb passes record by record, or ends the process by name")
    void aCompressionBombPassesOrEndsTheProcessByName(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = stage.topic("bomb");
            stage.topics().create(topic, 1);
            bomb(stage, topic, "zstd", 200, 2 * MIB);
            var small = small(stage.recipe("[ " + topic + " ]").blackhole());
            try (var process = run(small, directory, HEAP_MIB)) {
                await(process, "all committed", () -> stage.caughtUp(topic));
                bomb(stage, topic, "gzip", 1, 2 * HEAP_MIB * MIB);
                assertThat(process.awaitExit(LONG)).as(process::evidence).isEqualTo(5);
                assertThat(process.stderr())
                        .as(process::evidence)
                        .contains("out of memory")
                        .contains(topic + "-0@200: that record is larger than the memory left")
                        .contains("-Xmx")
                        .contains("source.kafka.skip: [" + topic + "-0@200]");
                assertThat(stage.topics().committed(stage.group()))
                        .as("what was done before it is committed, and nothing after")
                        .containsEntry(new TopicPartition(topic, 0), 200L);
            }
            bomb(stage, topic, "gzip", 1, MIB);
            var without = small(stage.recipe("[ " + topic + " ]").blackhole())
                    .set("source.kafka.skip", "[ " + topic + "-0@200 ]");
            try (var process = run(without, directory, HEAP_MIB)) {
                await(process, "what is behind it is committed", () -> stage.caughtUp(topic));
                process.terminate();
                assertThat(process.awaitExit(LONG)).as(process::evidence).isZero();
                assertThat(process.stderr()).contains("event=offsets_skipped");
                assertThat(process.stdout()).contains("\"offsets_skipped\": 1", "\"polled\": 1,");
            }
            bomb(stage, topic, "gzip", 1, 2 * HEAP_MIB * MIB);
            var large = small(stage.recipe("[ " + topic + " ]").blackhole());
            try (var process = run(large, directory, 16 * HEAP_MIB)) {
                await(process, "all committed", () -> stage.caughtUp(topic));
                process.terminate();
                assertThat(process.awaitExit(LONG)).as(process::evidence).isZero();
            }
        }
    }

    private static Recipe small(Recipe recipe) {
        return recipe.set("format", "{ raw: {} }")
                .set("sinks.warehouse.batch", "{ max_bytes: 2MiB, linger: 100ms }")
                .set("admission.max_bytes", "8MiB")
                .set(
                        "source.kafka.properties",
                        "{ max.poll.records: 10, max.partition.fetch.bytes: 1048576, fetch.max.bytes: 4194304 }");
    }

    private static MillraceProcess run(Recipe recipe, Path directory, int heapMib) throws IOException {
        var file = Files.createTempFile(directory, "pipeline", ".yaml");
        Files.writeString(file, recipe.text());
        return MillraceProcess.run(file, "-Xmx" + heapMib + "m", "-XX:MaxDirectMemorySize=" + DIRECT_MIB + "m");
    }

    private static void await(MillraceProcess process, String what, Callable<Boolean> holds) throws Exception {
        process.await(LONG, what, holds);
    }

    /// One batch of records that are all the same byte.
    private static void bomb(Stage stage, String topic, String codec, int records, int size) throws Exception {
        var settings = Map.<String, Object>of(
                "bootstrap.servers",
                stage.bootstrapServers(),
                "compression.type",
                codec,
                "linger.ms",
                1_000,
                "batch.size",
                MIB,
                "max.request.size",
                Math.max(MIB, size + MIB),
                "buffer.memory",
                2L * size + 64 * MIB);
        var value = new byte[size];
        Arrays.fill(value, (byte) 'x');
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            var sent = new ArrayList<java.util.concurrent.Future<?>>();
            for (var i = 0; i < records; i++) sent.add(producer.send(new ProducerRecord<>(topic, value)));
            producer.flush();
            for (var one : sent) one.get(60, TimeUnit.SECONDS);
        }
    }

    private static void produce(Stage stage, String topic, int records, int size) {
        var value = "x".repeat(size).getBytes(StandardCharsets.UTF_8);
        for (var i = 0; i < records; i += 200) {
            var some = new ArrayList<ProducerRecord<byte[], byte[]>>();
            for (var n = 0; n < 200; n++) some.add(new ProducerRecord<>(topic, n % PARTITIONS, null, value));
            stage.topics().produce(some);
        }
    }
}
