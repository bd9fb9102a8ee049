package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.LabClickHouse;
import dev.millrace.pipeline.ExitCode;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What `require` refuses, what mends it, and where the level is told, on a real engine and a real broker.
@ExtendWith(LabExtension.class)
@Tag("EO-11")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class RequiredLevelTest {
    private static Recipe recipe(Stage stage, LabClickHouse store, int replicas, String require) {
        var topic = stage.topic("orders");
        var endpoints = new StringBuilder("[ ");
        for (var replica = 0; replica < replicas; replica++)
            endpoints
                    .append(replica == 0 ? "" : ", ")
                    .append('"')
                    .append(store.front(0, replica).url())
                    .append('"');
        return stage.recipe("[ " + topic + " ]")
                .set("delivery", "effectively_once")
                .set("require", require)
                .set("poison.topic", stage.topic("dead"))
                .set("sinks.warehouse.clickhouse", "{ database: default, table: orders, user: default }")
                .set("sinks.warehouse.shards.s0", endpoints + " ]");
    }

    private static void refused(Stage stage, Recipe recipe, String... words) throws Exception {
        var failure = stage.start(recipe).startFailure();
        assertThat(failure.exitCode()).isEqualTo(ExitCode.BAD_CONFIGURATION);
        assertThat(failure.getMessage()).contains(words).doesNotContain("\n");
    }

    @Test
    @DisplayName("EO-11: a level that does not hold is refused with what to run, and holds after that")
    void refusedUntilMended(SharedLab lab) throws Exception {
        assumeTrue(EngineLibrary.available());
        try (var stage = new Stage(lab);
                var store = LabClickHouse.unshared(1, 2)) {
            store.execute("CREATE TABLE orders (id UInt64, p UInt8) ENGINE = MergeTree ORDER BY id");
            stage.topics().create(stage.topic("orders"), 2);
            stage.topics().produce(Stage.rows(stage.topic("orders"), 0, 0, 100));
            refused(
                    stage,
                    recipe(stage, store, 1, "L1"),
                    "sink warehouse: L0, and require asks for L1: warehouse/s0: default.orders remembers no tokens: "
                            + "ALTER TABLE `default`.`orders` MODIFY SETTING non_replicated_deduplication_window = 10000");
            store.execute("ALTER TABLE orders MODIFY SETTING non_replicated_deduplication_window = 10000");
            refused(
                    stage,
                    recipe(stage, store, 2, "L2"),
                    "sink warehouse: L1, and require asks for L2: the replicas of warehouse/s0 share no tokens");
            refused(
                    stage,
                    recipe(stage, store, 1, "L3"),
                    "sink warehouse: L2, and require asks for L3: ",
                    "clickhouse.coordinates");

            var run = stage.start(recipe(stage, store, 1, "L2")).ready();
            assertThat(run.pages().body("/status"))
                    .contains("\"sinks\":[{\"name\":\"warehouse\",\"level\":\"L2\",\"why\":\"warehouse/s0 remembers ");
            run.await(
                    "all committed",
                    () -> stage.topics().committed(stage.group()).values().stream()
                            .anyMatch(offset -> offset == 100));
            assertThat(run.stop(0).sinks().getFirst().level()).isEqualTo("L2");
        }
    }
}
