package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.Fault;
import dev.millrace.lab.clickhouse.LabClickHouse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A topic into a ClickHouse table of the real engine's, as it stands in a file.
@ExtendWith(LabExtension.class)
class ClickHouseTest {
    private static final int ROWS = 2000;
    private static final int POISON = 3;

    @ParameterizedTest
    @ValueSource(strings = {"row_binary", "json_each_row"})
    @Tag("CH-1")
    @Tag("CH-4")
    @Tag("POI-12")
    @Tag("FMT-3")
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void everyGoodRowIsStoredOnceAndEveryBadOneIsADeadLetter(String format, SharedLab lab) throws Exception {
        assumeTrue(EngineLibrary.available());
        try (var stage = new Stage(lab);
                var store = LabClickHouse.shared(2, 2)) {
            store.execute("CREATE TABLE orders (id UInt64, p UInt8) ENGINE = MergeTree ORDER BY id"
                    + " SETTINGS non_replicated_deduplication_window = 10000");
            var topic = stage.topic("orders");
            stage.topics().create(topic, 2);
            stage.topics().produce(records(topic));
            for (var front : store.fronts())
                front.fault(Fault.loseAnswer().onInserts().times(1));

            var run = stage.start(recipe(stage, store, topic, format)).ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            var report = run.stop(0);

            assertThat(report.rows().delivered()).isEqualTo(ROWS);
            assertThat(report.rows().deadLettered()).isEqualTo(POISON);
            assertThat(store.count("orders")).isEqualTo(ROWS);
            var distinct = store.engines().stream()
                    .mapToLong(engine -> engine.queryLong("SELECT uniqExact(id) FROM orders"))
                    .sum();
            assertThat(distinct).isEqualTo(ROWS);
        }
    }

    private static List<ProducerRecord<byte[], byte[]>> records(String topic) {
        var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (var partition = 0; partition < 2; partition++)
            records.addAll(Stage.rows(topic, partition, partition * ROWS / 2, ROWS / 2));
        for (var bad = 0; bad < POISON; bad++)
            records.add(300 * (bad + 1), Stage.row(topic, 0, "{\"id\":\"bad" + bad + "\",\"p\":0}"));
        return records;
    }

    private static Recipe recipe(Stage stage, LabClickHouse store, String topic, String format) {
        var recipe = stage.recipe("[ " + topic + " ]")
                .set("route.key", "partition")
                .set("poison.topic", stage.topic("dead"))
                .set(
                        "sinks.warehouse.clickhouse",
                        "{ database: default, table: orders, user: default, format: " + format + " }");
        for (var shard = 0; shard < store.shards(); shard++)
            recipe.set(
                    "sinks.warehouse.shards.s" + shard,
                    "[ \"" + store.front(shard, 0).url() + "\", \""
                            + store.front(shard, 1).url() + "\" ]");
        return recipe;
    }
}
