package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.cli.MillraceCommandLine;
import dev.millrace.lab.ChaosProxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The first record of a partition is stuck, in a shard of its own, and everything above it is done at once.
@ExtendWith(LabExtension.class)
class StuckHeadTest {
    private static final int SHARDS = 2;
    private static final int STUCK = 0;
    private static final int WELL = 1;
    private static final int ABOVE = 30_000;
    private static final int POLL = 200;
    private static final int SEGMENTS = 8;
    private static final int BATCH = 500;
    /// A batch, and by how much a chunk and a poll may pass it.
    private static final int SEGMENT = BATCH + 512 + POLL;
    private static final int MOST_CHARACTERS = 4_096;

    /// What is bounded is the number of ranges and of segments, so that a log of any length is not read into memory;
    /// done ones above the head are not written into the offset's metadata at all.
    @ParameterizedTest
    @ValueSource(strings = {"at_least_once", "effectively_once"})
    @Tag("CKP-9")
    @Tag("OPS-8")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName(
            "CASES 34: above a stuck record admission ends at a bound, metadata stays small, and the head is named")
    void aboveAStuckRecordAdmissionEndsAtABoundAndTheHeadIsNamed(
            String delivery, SharedLab lab, @TempDir Path directory) throws Exception {
        try (var stage = new Stage(lab);
                var way = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port())) {
            var merges = delivery.equals("at_least_once");
            // Whichever bound comes first counts: of ranges here, of segments there.
            var pending = merges ? 20 : 1_000;
            var other = stage.name() + "_well";
            stage.postgres().createDatabase(other);
            var table = "create table t (id integer primary key, p integer)";
            stage.execute(table);
            stage.postgres().execute(other, table);
            var topic = stage.topic("one");
            stage.topics().create(topic, 1);
            var recipe = stage.recipe("[ " + topic + " ]")
                    .postgres(
                            stage.postgres().user(),
                            "t",
                            ", on_conflict: ignore",
                            "postgres://127.0.0.1:" + way.port() + "/" + stage.name(),
                            stage.endpoint() + "_well")
                    .set("delivery", delivery)
                    .set("source.kafka.properties", "{ max.poll.records: " + POLL + " }")
                    .set("sinks.warehouse.batch", "{ max_rows: " + BATCH + ", linger: 50ms }")
                    .set("sinks.warehouse.chunk", "{ target_bytes: 4KiB }")
                    .set("checkpoint.max_pending", Integer.toString(pending))
                    .set("checkpoint.max_open_segments", Integer.toString(SEGMENTS));
            var file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
            var made = MillraceCommandLine.run("init", file.toString());
            assertThat(made.code()).as(made.toString()).isZero();
            var run = stage.start(recipe).ready();
            way.refuse();
            stage.topics().produce(rows(topic, STUCK, 0, 1));
            run.await("its shard takes nothing", () -> run.pages().code("/readyz") == 503);
            stage.topics().produce(rows(topic, WELL, 1, ABOVE));

            var reason = merges ? "pending" : "plan";
            run.await(
                    "it takes no more",
                    () -> run.metrics().sum("millrace_pauses_total", "reason=\"" + reason + '"') > 0);
            run.await("a while", () -> run.metrics().sum("millrace_frontier_blocked_seconds") > 3);
            assertThat(run.metrics().sum("millrace_rows_polled_total"))
                    .as("admitted, of a log of any length")
                    .isLessThanOrEqualTo(merges ? (pending + 2) * POLL : (SEGMENTS + 2) * SEGMENT);
            assertThat(run.pages().status().at("/in_flight/rows").asLong())
                    .as("in memory: the head, and what the next segment has so far")
                    .isBetween(1L, merges ? 1L : 1L + SEGMENT);
            var at = new TopicPartition(topic, 0);
            var committed = Stage.done(stage.admin()
                            .listConsumerGroupOffsets(stage.group())
                            .partitionsToOffsetAndMetadata())
                    .get(at);
            assertThat(committed).isNotNull().satisfies(one -> {
                assertThat(one.offset()).isZero();
                assertThat(one.metadata()).hasSizeLessThan(MOST_CHARACTERS);
            });
            assertThat(run.pages().status().at("/partitions/0/blocked_by").asText())
                    .isEqualTo(reason);
            assertThat(stuck(run).at("/shards").findValuesAsText("shard")).containsExactly("warehouse/s" + STUCK);
            if (merges) theHeadIsNamed(run);

            way.heal();
            run.await("all committed", () -> stage.caughtUp(topic));
            var report = run.stop(0);
            assertThat(report.rows().delivered()).isEqualTo(ABOVE + 1);
            assertThat(report.rows().duplicate()).isZero();
            assertThat(stage.count("t")).isOne();
            assertThat(stage.postgres().count(other, "t")).isEqualTo(ABOVE);
        }
    }

    private static JsonNode stuck(InProcess run) throws Exception {
        return new ObjectMapper().readTree(run.pages().body("/stuck"));
    }

    /// Once it has stood for ten seconds.
    private static void theHeadIsNamed(InProcess run) throws Exception {
        run.await("named", () -> !stuck(run).at("/partitions").isEmpty());
        var head = stuck(run).at("/partitions/0");
        assertThat(head.at("/watermark").asLong()).isZero();
        assertThat(head.at("/batches")).hasSize(1);
        assertThat(head.at("/batches/0/shard").asText()).isEqualTo("warehouse/s" + STUCK);
        assertThat(head.at("/batches/0/rows").asLong()).isOne();
        assertThat(head.at("/batches/0/attempts").asLong()).isPositive();
        assertThat(head.at("/batches/0/last_failure").asText()).isNotBlank();
    }

    /// Under keys that all go to this shard.
    private static List<ProducerRecord<byte[], byte[]>> rows(String topic, int shard, int first, int count) {
        var key = IntStream.range(0, 100)
                .mapToObj(number -> ("key-" + number).getBytes(StandardCharsets.UTF_8))
                .filter(candidate -> Utils.toPositive(Utils.murmur2(candidate)) % SHARDS == shard)
                .findFirst()
                .orElseThrow();
        return Stage.rows(topic, 0, first, count).stream()
                .map(row -> new ProducerRecord<>(topic, 0, key, row.value()))
                .toList();
    }
}
