package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.cli.MillraceCommandLine;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.LabClickHouse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// `millrace verify` against tables of the real engine's, filled by a pipeline from a real broker,
/// and then tampered with.
@ExtendWith(LabExtension.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class VerifyTest {
    private static final String COORDINATES =
            ", coordinates: { topic: _topic, partition: _partition, offset: _offset }";
    private static final String COLUMNS =
            "id UInt64, p UInt8, _topic LowCardinality(String), _partition UInt32, _offset UInt64";

    @TempDir
    private Path directory = Path.of("");

    private Path file = Path.of("");

    private MillraceCommandLine.Ended verify(String... more) {
        var all = new ArrayList<>(List.of("verify", file.toString()));
        all.addAll(List.of(more));
        return MillraceCommandLine.run(all.toArray(String[]::new));
    }

    /// What `--json` prints of a kind, a line each.
    private static List<JsonNode> told(MillraceCommandLine.Ended ended, String kind) throws Exception {
        var json = new ObjectMapper();
        var found = new ArrayList<JsonNode>();
        for (var line : ended.out().lines().toList()) {
            var node = json.readTree(line);
            if (node.get("kind").asText().equals(kind)) found.add(node);
        }
        return found;
    }

    private static long sum(MillraceCommandLine.Ended ended, String figure) throws Exception {
        return told(ended, "shard").stream()
                .mapToLong(shard -> shard.get(figure).asLong())
                .sum();
    }

    private static List<String> places(MillraceCommandLine.Ended ended, String list) throws Exception {
        var places = new ArrayList<String>();
        for (var shard : told(ended, "shard"))
            for (var at : shard.get(list)) places.add(shard.get("partition").asInt() + "@" + at.asText());
        return places;
    }

    private Recipe recipe(Stage stage, LabClickHouse store, String topic, String more) throws Exception {
        var recipe = stage.recipe("[ " + topic + " ]")
                .set("poison.topic", stage.topic("dead"))
                .set("sinks.warehouse.clickhouse", "{ database: default, table: orders, user: default" + more + " }");
        for (var shard = 0; shard < store.shards(); shard++) {
            var urls = new ArrayList<String>();
            for (var replica = 0; replica < store.replicas(); replica++)
                urls.add("\"" + store.front(shard, replica).url() + "\"");
            recipe.set("sinks.warehouse.shards.s" + shard, "[ " + String.join(", ", urls) + " ]");
        }
        file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
        return recipe;
    }

    private static void create(LabClickHouse store) {
        store.execute("CREATE TABLE orders (" + COLUMNS + ") ENGINE = MergeTree ORDER BY (_topic, _partition, _offset)"
                + " SETTINGS non_replicated_deduplication_window = 10000");
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, int partition, int id, @Nullable String value) {
        return new ProducerRecord<>(
                topic,
                partition,
                ("key-" + id).getBytes(StandardCharsets.UTF_8),
                value == null ? null : value.getBytes(StandardCharsets.UTF_8));
    }

    private static List<ProducerRecord<byte[], byte[]>> records(String topic, int partition, int first, int count) {
        return IntStream.range(first, first + count)
                .mapToObj(id -> record(topic, partition, id, "{\"id\":" + id + ",\"p\":" + partition + "}"))
                .toList();
    }

    private static void fill(Stage stage, Recipe recipe, String topic) throws Exception {
        try (var run = stage.start(recipe).ready()) {
            run.await("all committed", () -> stage.caughtUp(topic));
            run.stop(0);
        }
    }

    @Test
    @DisplayName(
            "EO-12: nothing is missing, doubled or extra of what a pipeline wrote: dead letters, tombstones, markers"
                    + " and aborted records are told apart; what is tampered with is named")
    void whatIsTamperedWithIsNamed(SharedLab lab) throws Exception {
        assumeTrue(EngineLibrary.available());
        try (var stage = new Stage(lab);
                var store = LabClickHouse.shared(2, 2)) {
            create(store);
            var topic = stage.topic("orders");
            stage.topics().create(topic, 2);
            // Partition 0: 0 to 99 rows, 100 a tombstone, 101 and 102 dead letters (before and at the encoder),
            // 103 to 112 aborted and 113 their marker, 114 to 133 rows and 134 their marker.
            stage.topics().produce(records(topic, 0, 0, 100));
            stage.topics()
                    .produce(List.of(
                            record(topic, 0, 100, null),
                            record(topic, 0, 101, "nonsense"),
                            record(topic, 0, 102, "{\"id\":\"bad\",\"p\":0}")));
            stage.topics().produceAborted(records(topic, 0, 500, 10));
            stage.topics().produceCommitted(records(topic, 0, 600, 20));
            stage.topics().produce(records(topic, 1, 1000, 50));
            fill(stage, recipe(stage, store, topic, COORDINATES), topic);

            var clean = verify();
            assertThat(clean.code()).as(clean.err() + clean.out()).isZero();
            assertThat(clean.out()).endsWith("173 records: missing 0, doubled 0, extra 0" + System.lineSeparator());
            var told = verify("--json", "--from", "beginning", "--to", "end");
            assertThat(told.code()).isZero();
            assertThat(sum(told, "expected")).isEqualTo(170);
            assertThat(sum(told, "found")).isEqualTo(170);
            assertThat(sum(told, "dead_lettered")).isEqualTo(2);
            assertThat(sum(told, "skipped")).isEqualTo(1);
            assertThat(told(told, "shard"))
                    .hasSize(4)
                    .allSatisfy(shard -> assertThat(shard.get("found").asLong())
                            .as("both shards have a part")
                            .isPositive());

            // Gone.
            store.execute("ALTER TABLE orders DELETE WHERE _partition = 0 AND _offset IN (3, 4, 120) SETTINGS"
                    + " mutations_sync = 2");
            var missing = verify("--json");
            assertThat(missing.code()).isEqualTo(1);
            assertThat(sum(missing, "missing")).isEqualTo(3);
            assertThat(String.join(" ", places(missing, "missing_at"))).contains("3", "4", "120");
            assertThat(sum(missing, "doubled") + sum(missing, "extra")).isZero();
            assertThat(verify("--from", "5", "--to", "120").code()).isZero();
            assertThat(verify("--partition", "1").code()).isZero();
            assertThat(verify("--topic", topic, "--partition", "0", "--from", "120", "--to", "121")
                            .out())
                    .contains("missing  120");
            assertThat(verify().out()).contains("missing 3, doubled 0, extra 0");

            // Twice, in the shard where it belongs.
            store.execute("INSERT INTO orders SELECT * FROM orders WHERE _partition = 1 AND _offset = 7");
            // Never there: an aborted record's offset, and one behind the log's end.
            store.engine(0).execute("INSERT INTO orders VALUES (1, 1, '" + topic + "', 0, 105)");
            store.engine(1).execute("INSERT INTO orders VALUES (1, 1, '" + topic + "', 1, 4000)");
            // In a shard where it does not belong, besides the one where it does.
            var away = store.engine(0).queryLong("SELECT count() FROM orders WHERE _partition = 1 AND _offset = 9");
            store.engine((int) away).execute("INSERT INTO orders VALUES (1, 1, '" + topic + "', 1, 9)");

            var all = verify("--json");
            assertThat(all.code()).isEqualTo(1);
            assertThat(sum(all, "missing")).isEqualTo(3);
            assertThat(sum(all, "doubled")).isEqualTo(1);
            assertThat(places(all, "doubled_at")).containsExactly("1@7");
            assertThat(places(all, "extra_at")).containsExactlyInAnyOrder("0@105", "1@9");
            assertThat(places(verify("--json", "--to", "5000"), "extra_at"))
                    .containsExactlyInAnyOrder("0@105", "1@9", "1@4000");

            // Retention took what was missing.
            Stage.done(stage.admin()
                    .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(130)))
                    .all());
            var unknown = verify("--json", "--partition", "0", "--from", "0");
            assertThat(unknown.code()).as(unknown.out()).isZero();
            assertThat(told(unknown, "sum").getFirst().get("unknown").asLong()).isEqualTo(130);
            assertThat(sum(unknown, "found")).isEqualTo(4);
        }
    }

    @Test
    @DisplayName(
            "EO-12: servers that share nothing are read together: rows are on either, and doubled where both have them;"
                    + " one that is silent is no missing row")
    void serversThatShareNothingAreReadTogether(SharedLab lab) throws Exception {
        assumeTrue(EngineLibrary.available());
        try (var stage = new Stage(lab);
                var store = LabClickHouse.unshared(1, 2)) {
            create(store);
            var topic = stage.topic("orders");
            stage.topics().create(topic, 1);
            stage.topics().produce(records(topic, 0, 0, 40));
            var recipe = recipe(stage, store, topic, COORDINATES);
            fill(stage, recipe, topic);
            // Half of the rows move to the server that does not have them.
            var first = store.engine(0, 0).count("orders") > 0 ? 0 : 1;
            store.engine(0, first).execute("ALTER TABLE orders DELETE WHERE _offset >= 20 SETTINGS mutations_sync = 2");
            for (var offset = store.engine(0, 1 - first).count("orders") > 0 ? 40 : 20; offset < 40; offset++)
                store.engine(0, 1 - first)
                        .execute("INSERT INTO orders VALUES (" + offset + ", 0, '" + topic + "', 0, " + offset + ")");
            assertThat(verify().code()).isZero();

            store.engine(0, 1 - first).execute("INSERT INTO orders VALUES (5, 0, '" + topic + "', 0, 5)");
            var doubled = verify("--json");
            assertThat(doubled.code()).isEqualTo(1);
            assertThat(places(doubled, "doubled_at")).containsExactly("0@5");

            store.front(0, 1).kill();
            var silent = verify();
            assertThat(silent.code()).isEqualTo(5);
            assertThat(silent.err()).contains(store.front(0, 1).url().toString(), "part of the rows");
            assertThat(silent.out()).isEmpty();
        }
    }

    @Test
    @DisplayName("EO-12: rows of records that compaction took are none too many, and what it left is looked at")
    void whatCompactionTookIsNotExtra(SharedLab lab) throws Exception {
        assumeTrue(EngineLibrary.available());
        try (var stage = new Stage(lab);
                var store = LabClickHouse.shared(1, 1)) {
            create(store);
            var topic = stage.topic("compacted");
            stage.topics()
                    .create(
                            topic,
                            1,
                            Map.of(
                                    "cleanup.policy", "compact",
                                    "min.cleanable.dirty.ratio", "0.01",
                                    "min.compaction.lag.ms", "0",
                                    "max.compaction.lag.ms", "100",
                                    "segment.ms", "100"));
            for (var round = 0; round < 5; round++) stage.topics().produce(records(topic, 0, 0, 20));
            var recipe = recipe(stage, store, topic, COORDINATES);
            fill(stage, recipe, topic);
            // It may have begun before they were read.
            var stored = store.engine(0).queryLong("SELECT count() FROM orders WHERE _offset < 100");
            Deadline.in(Duration.ofSeconds(60))
                    .until(
                            "holes in the log",
                            () -> {
                                // The active segment is never compacted: one more record makes another of it.
                                stage.topics().produce(records(topic, 0, 0, 1));
                                return stage.topics().readAll(topic).stream()
                                                .filter(record -> record.offset() < 100)
                                                .count()
                                        < stored;
                            },
                            () -> "records: " + stage.topics().readAll(topic).size());
            var told = verify("--json", "--to", "100");
            assertThat(told.code()).as(told.out()).isZero();
            var partition = told(told, "partition").getFirst();
            assertThat(partition.get("records").asLong()).isLessThan(stored);
            assertThat(partition.get("compacted_rows").asLong())
                    .isEqualTo(stored - partition.get("records").asLong());
        }
    }

    @Test
    @DisplayName("EO-12: what poison.action: skip left out before it was sent is not missing; what a shard lost is")
    void whatWasLeftOutIsNotMissing(SharedLab lab) throws Exception {
        assumeTrue(EngineLibrary.available());
        try (var stage = new Stage(lab);
                var store = LabClickHouse.shared(1, 1)) {
            create(store);
            var topic = stage.topic("orders");
            stage.topics().create(topic, 1);
            stage.topics().produce(records(topic, 0, 0, 10));
            stage.topics()
                    .produce(List.of(record(topic, 0, 10, "nonsense"), record(topic, 0, 11, "{\"id\":-1,\"p\":0}")));
            var skips = recipe(stage, store, topic, COORDINATES).set("poison.action", "skip");
            fill(stage, skips, topic);
            assertThat(verify().code())
                    .as("under dead_letter there would be letters")
                    .isEqualTo(1);
            Files.writeString(file, skips.text());
            var told = verify("--json");
            assertThat(told.code()).as(told.out() + told.err()).isZero();
            assertThat(sum(told, "skipped")).isEqualTo(2);
            store.execute("ALTER TABLE orders DELETE WHERE _offset = 4 SETTINGS mutations_sync = 2");
            assertThat(places(verify("--json"), "missing_at")).containsExactly("0@4");
        }
    }

    @Test
    @DisplayName(
            "EO-12: what can't be verified is told with the remedy, with exit code 2; what can't be reached, with 5")
    void whatCantBeVerifiedIsTold(SharedLab lab) throws Exception {
        assumeTrue(EngineLibrary.available());
        try (var stage = new Stage(lab);
                var store = LabClickHouse.shared(1, 1)) {
            var topic = stage.topic("orders");
            stage.topics().create(topic, 1);
            recipe(stage, store, topic, "");
            assertThat(refused(2)).contains("clickhouse.coordinates", "_offset");
            recipe(stage, store, topic, COORDINATES);
            assertThat(refused(2)).contains("no table default.orders");
            store.execute(
                    "CREATE TABLE orders (id UInt64, _topic String, _partition UInt32) ENGINE = MergeTree ORDER BY id");
            assertThat(refused(2)).contains("no column _offset");
            store.execute("DROP TABLE orders SYNC");
            create(store);
            assertThat(refused(2)).contains("has committed nothing", "--to");
            assertThat(verify("--to", "end").code()).isZero();
            assertThat(refused(2, "--to", "yesterday")).contains("committed", "2026-01-31T10:00:00Z");
            assertThat(refused(2, "--topic", "other")).contains("other", "source.kafka.topics");
            assertThat(refused(2, "--partition", "7")).contains("no partition 7");
            assertThat(refused(2, "--sink", "other")).contains("no sink other", "warehouse");
            assertThat(refused(2, "--timeout", "soon")).contains("--timeout soon");
            assertThat(verify("--to", "2999-01-01T00:00:00Z", "--from", "2998-01-01T00:00:00+01:00")
                            .code())
                    .isZero();

            stage.topics().produce(records(topic, 0, 0, 3));
            var tail = verify("--to", "end");
            assertThat(tail.code()).isEqualTo(1);
            assertThat(tail.out()).contains("missing 3", "3 of the missing are not below what the group has committed");

            store.front(0, 0).kill();
            assertThat(refused(5, "--to", "end"))
                    .contains(store.front(0, 0).url().toString());

            stage.execute("create table t (id integer primary key, p integer)");
            file = Files.writeString(
                    directory.resolve("postgres.yaml"),
                    stage.recipe("[ " + topic + " ]", "t", ", on_conflict: ignore")
                            .text());
            assertThat(refused(2)).contains("PostgreSQL", "no coordinates");
        }
    }

    private String refused(int code, String... more) {
        var ended = verify(more);
        assertThat(ended.code()).as(ended.err() + ended.out()).isEqualTo(code);
        assertThat(ended.out()).isEmpty();
        return ended.err();
    }
}
