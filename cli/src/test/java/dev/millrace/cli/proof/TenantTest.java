package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.Topics;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Two topics, each on a shard of its own: one shard is dead, and the other topic does not feel it.
@ExtendWith(LabExtension.class)
class TenantTest {
    private static final int SETTLED = 100;
    private static final int DEAD_ROWS = 160_000;
    private static final int LIVE_ROWS = 20_000;
    private static final int BUDGET_ROWS = 200_000;
    /// Rows of a chunk, and of a poll.
    private static final int ONE_HAND_OVER = 2_000;

    @Test
    @Tag("ADM-6")
    @Timeout(value = 180, unit = TimeUnit.SECONDS)
    void aDeadShardHoldsHalfOfTheBudgetAndDelaysNobodyElse(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var dead = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port());
                var live = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port())) {
            stage.execute("create table t (id bigint not null, p int not null)");
            var ill = stage.topic("ill");
            var well = stage.topic("well");
            // By their partitions: of the first topic all is the first shard's, of the second all the second's.
            stage.topics().create(ill, 1);
            stage.topics().create(well, 2);
            produce(stage.topics(), ill, 0, 0, SETTLED);
            produce(stage.topics(), well, 1, 0, SETTLED);
            var recipe = stage.recipe("[ " + ill + ", " + well + " ]")
                    .postgres(
                            stage.postgres().user(),
                            "t",
                            "",
                            "postgres://127.0.0.1:" + dead.port() + "/" + stage.name(),
                            "postgres://127.0.0.1:" + live.port() + "/" + stage.name())
                    .set("route.key", "partition")
                    .set("sinks.warehouse.batch", "{ linger: 100ms }")
                    // Beside the half of the dead shard, what waits for it in the source: a chunk, and what one poll
                    // gave.
                    .set("sinks.warehouse.chunk", "{ target_bytes: 8KiB }")
                    .set("source.kafka.properties", "{ max.poll.records: 500 }")
                    .set("admission.max_rows", Integer.toString(BUDGET_ROWS));
            var run = stage.start(recipe).ready();
            run.await("all committed", () -> stage.caughtUp(ill, well));
            assertThat(stuck(run).at("/partitions")).as("nothing is stuck").isEmpty();
            assertThat(stuck(run).at("/shards")).isEmpty();

            dead.refuse();
            produce(stage.topics(), ill, 0, SETTLED, DEAD_ROWS);
            run.await("it is known to be dead", () -> run.pages().code("/readyz") == 503);
            run.await("it holds what it may", () -> inFlight(run) >= BUDGET_ROWS / 2 - ONE_HAND_OVER);
            assertThat(heldByTheDead(run)).as("rows that the dead shard holds").isLessThanOrEqualTo(BUDGET_ROWS / 2);
            // What waits for it in the source is up to one hand-over more.
            assertThat(inFlight(run)).as("with what waits for it in the source").isLessThan(BUDGET_ROWS);
            produce(stage.topics(), well, 1, SETTLED, LIVE_ROWS);
            run.await("the other topic to its end", () -> {
                assertThat(heldByTheDead(run))
                        .as("rows that the dead shard holds")
                        .isLessThanOrEqualTo(BUDGET_ROWS / 2);
                return stage.caughtUp(well);
            });
            assertThat(stage.caughtUp(ill)).isFalse();

            run.await(
                    "the stuck partition is named",
                    () -> !stuck(run).at("/partitions").isEmpty());
            var said = stuck(run);
            assertThat(said.at("/shards").findValuesAsText("shard")).containsExactly("warehouse/s0");
            assertThat(said.at("/shards/0/usable").asBoolean()).isFalse();
            assertThat(said.at("/partitions").findValuesAsText("topic")).containsExactly(ill);
            assertThat(said.at("/partitions/0/batches/0/shard").asText()).isEqualTo("warehouse/s0");
            assertThat(said.at("/partitions/0/batches/0/last_failure").asText()).isNotBlank();
            assertThat(run.pages().status().at("/shards/0/usable").asBoolean()).isFalse();
            assertThat(run.pages().status().at("/shards/1/usable").asBoolean()).isTrue();

            dead.heal();
            run.await("all committed", () -> stage.caughtUp(ill, well));
            var report = run.stop(0);
            assertThat(report.drained()).isTrue();
            assertThat(stage.query("select count(distinct (id, p)) from t"))
                    .containsExactly(Integer.toString(2 * SETTLED + DEAD_ROWS + LIVE_ROWS));
        }
    }

    private static void produce(Topics topics, String topic, int partition, int first, int count) {
        topics.produce(Stage.rows(topic, partition, first, count));
    }

    private static JsonNode stuck(InProcess run) throws Exception {
        return new ObjectMapper().readTree(run.pages().body("/stuck"));
    }

    private static long inFlight(InProcess run) throws Exception {
        return run.pages().status().at("/in_flight/rows").asLong();
    }

    /// Sealed and open.
    private static long heldByTheDead(InProcess run) throws Exception {
        var shard = run.pages().status().at("/shards/0");
        var held = shard.at("/open_rows").asLong();
        for (var batch : shard.at("/batches")) held += batch.at("/rows").asLong();
        return held;
    }
}
