package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.lab.ChaosProxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Two PostgreSQL sinks of one pipeline: each gets its rows, a commit waits for both, and the
/// figures say whose is whose.
@ExtendWith(LabExtension.class)
class SeveralSinksTest {
    private static final int ROWS = 500;

    /// More than 8 KiB have.
    private static final int ROWS_OF_A_CHUNK = 2_000;
    private static final String TABLE = "create table t (id bigint primary key, p int not null)";

    @Test
    @Tag("CKP-3")
    @Tag("DRN-2")
    @Tag("OPS-8")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void oneThatIsDownHoldsTheCommitAndTheOtherGoesOn(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var way = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port())) {
            stage.execute(TABLE);
            var lake = database(stage, "lake", TABLE);
            var topic = topic(stage, "both", 1);
            var run = stage.start(bothTake(stage, "[ " + topic + " ]", through(way, lake)))
                    .ready();
            stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
            run.await("all committed", () -> stage.caughtUp(topic));

            way.refuse();
            stage.topics().produce(Stage.rows(topic, 0, ROWS, ROWS));
            run.await("the other sink goes on", () -> stage.count("t") == 2 * ROWS);
            run.await("it is known to be down", () -> run.pages().code("/readyz") == 503);
            run.await("and named", () -> !stuck(run).at("/shards").isEmpty());
            assertThat(stuck(run).at("/shards").findValuesAsText("shard")).containsExactly("lake/s0");
            assertThat(stage.topics().committed(stage.group()))
                    .as("the commit holds")
                    .containsEntry(new TopicPartition(topic, 0), (long) ROWS);
            assertThat(stage.postgres().count(lake, "t")).isEqualTo(ROWS);
            var sinks = run.pages().status().at("/partitions/0/sinks");
            assertThat(sinks.findValuesAsText("sink")).containsExactly("warehouse", "lake");
            assertThat(sinks.at("/0/written").asLong()).isEqualTo(2 * ROWS);
            assertThat(sinks.at("/1/written").asLong()).isEqualTo(ROWS);
            assertThat(sinks.at("/1/in_flight").asLong()).isEqualTo(ROWS);
            assertThat(run.metrics().sum("millrace_rows_written_total", "sink=\"warehouse\""))
                    .isEqualTo(2 * ROWS);
            assertThat(run.metrics().sum("millrace_rows_written_total", "sink=\"lake\""))
                    .isEqualTo(ROWS);
            assertThat(run.metrics().sum("millrace_rows_polled_total")).isEqualTo(2 * ROWS);

            way.heal();
            run.await("all committed", () -> stage.caughtUp(topic));
            var report = run.stop(0);
            assertThat(report.drained()).isTrue();
            assertThat(report.rows().polled()).isEqualTo(2 * ROWS);
            assertThat(report.rows().delivered()).as("a row counts per sink").isEqualTo(4 * ROWS);
            assertThat(report.sinks()).extracting(Report.Sink::name).containsExactly("warehouse", "lake");
            for (var sink : report.sinks()) assertThat(sink.rows().delivered()).isEqualTo(2 * ROWS);
            assertThat(stage.postgres().count(lake, "t")).isEqualTo(2 * ROWS);
        }
    }

    @Test
    @Tag("DRN-2")
    @Tag("DRN-8")
    @Tag("DRN-9")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void aStopWhileOneIsDownSaysWhatEachHasAndTheNextStartDeliversTheRest(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var way = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port())) {
            stage.execute(TABLE);
            var lake = database(stage, "lake", TABLE);
            var topic = topic(stage, "both", 1);
            var run = stage.start(bothTake(stage, "[ " + topic + " ]", through(way, lake))
                            .set("drain.timeout", "1s"))
                    .ready();
            way.refuse();
            stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
            run.await("the other sink has it", () -> stage.count("t") == ROWS);
            run.await("it is known to be down", () -> run.pages().code("/readyz") == 503);

            var report = run.stop(3);
            assertThat(report.drained()).isFalse();
            assertThat(report.rows().polled()).isEqualTo(ROWS);
            var warehouse = report.sinks().get(0).rows();
            assertThat(warehouse).isEqualTo(new Report.Rows(ROWS, ROWS, 0, 0, 0, 0L, 0L));
            var left = report.sinks().get(1).rows();
            assertThat(left.polled()).isEqualTo(ROWS);
            assertThat(left.delivered()).isZero();
            assertThat(report.left()).isEqualTo(ROWS);
            assertThat(report.partitions().getFirst().blockedBy()).startsWith("lake/s0 batch ");

            way.heal();
            var next = stage.start(bothTake(stage, "[ " + topic + " ]", through(way, lake)));
            next.await("all committed", () -> stage.caughtUp(topic));
            var second = next.stop(0);
            assertThat(second.sinks().get(0).rows().duplicate())
                    .as("what one had is told as a repeat")
                    .isEqualTo(ROWS);
            assertThat(second.sinks().get(1).rows().delivered()).isEqualTo(ROWS);
            assertThat(stage.count("t")).isEqualTo(ROWS);
            assertThat(stage.postgres().count(lake, "t")).isEqualTo(ROWS);
        }
    }

    /// CASES 25, with sinks in the place of tables: what one sink does not take holds up its own
    /// topic only.
    @Test
    @Tag("ADM-6")
    @Tag("DRN-2")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void topicsAndColumnsOfTheirOwn(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var way = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port())) {
            stage.execute(TABLE);
            var lake = database(stage, "lake", "create table kept (p int)");
            var orders = topic(stage, "orders", 1);
            var payments = topic(stage, "payments", 1);
            var run = stage.start(bothTake(stage, "[ " + orders + ", " + payments + " ]", through(way, lake))
                            .sink(
                                    "lake",
                                    stage.postgres().user(),
                                    "kept",
                                    ", unknown_fields: ignore",
                                    through(way, lake))
                            .set("sinks.lake.topics", "[ " + payments + " ]"))
                    .ready();
            way.refuse();
            stage.topics().produce(Stage.rows(payments, 0, 10_000, 40));
            run.await("it is known to be down", () -> run.pages().code("/readyz") == 503);
            stage.topics().produce(Stage.rows(orders, 0, 0, ROWS));
            run.await("the topic that it does not take is committed", () -> stage.caughtUp(orders));
            assertThat(stage.caughtUp(payments)).isFalse();

            way.heal();
            run.await("all committed", () -> stage.caughtUp(orders, payments));
            assertThat(stage.count("t")).isEqualTo(ROWS + 40);
            assertThat(stage.postgres().query(lake, "select p, count(*) from kept group by p"))
                    .containsExactly("0|40");
            var report = run.stop(0);
            assertThat(report.rows().polled()).isEqualTo(ROWS + 40);
            assertThat(report.sinks().get(0).rows().polled()).isEqualTo(ROWS + 40);
            assertThat(report.sinks().get(1).rows().polled())
                    .as("of the topics that it takes")
                    .isEqualTo(40);
        }
    }

    @Test
    @Tag("POI-5")
    @Tag("POI-8")
    @Tag("POI-17")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void aRowThatOneSetsAsideTheOtherTakes(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute(TABLE);
            var lake =
                    database(stage, "lake", "create table t (id bigint primary key, p int not null, check (id <> 77))");
            var topic = topic(stage, "both", 1);
            var dead = stage.topic("dead");
            stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
            var run = stage.start(bothTake(stage, "[ " + topic + " ]", direct(stage, lake))
                    .set("poison", "{ action: dead_letter, topic: " + dead + " }"));
            run.await("all committed", () -> stage.caughtUp(topic));

            assertThat(stage.count("t")).isEqualTo(ROWS);
            assertThat(stage.postgres().query(lake, "select count(*), count(*) filter (where id = 77) from t"))
                    .containsExactly(ROWS - 1 + "|0");
            assertThat(stage.topics().readAll(dead)).singleElement().satisfies(letter -> {
                assertThat(new String(letter.value(), StandardCharsets.UTF_8)).isEqualTo("{\"id\":77,\"p\":0}");
                assertThat(new String(
                                letter.headers().lastHeader("millrace-sink").value(), StandardCharsets.UTF_8))
                        .isEqualTo("lake");
            });
            assertThat(run.metrics().sum("millrace_rows_dead_lettered_total", "sink=\"lake\""))
                    .isEqualTo(1);
            assertThat(run.metrics().sum("millrace_rows_dead_lettered_total", "sink=\"warehouse\""))
                    .isZero();
            var report = run.stop(0);
            assertThat(report.sinks().get(0).rows()).isEqualTo(new Report.Rows(ROWS, ROWS, 0, 0, 0, 0L, 0L));
            assertThat(report.sinks().get(1).rows()).isEqualTo(new Report.Rows(ROWS, ROWS - 1, 0, 0, 1, 0L, 0L));
        }
    }

    @Test
    @Tag("ADM-6")
    @Timeout(value = 180, unit = TimeUnit.SECONDS)
    void aDeadSinkHoldsHalfOfTheBudgetAtMost(SharedLab lab) throws Exception {
        var budget = 20_000;
        try (var stage = new Stage(lab);
                var way = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port())) {
            stage.execute(TABLE);
            var lake = database(stage, "lake", TABLE);
            var well = topic(stage, "well", 1);
            var ill = topic(stage, "ill", 1);
            var run = stage.start(bothTake(stage, "[ " + well + ", " + ill + " ]", through(way, lake))
                            .set("sinks.warehouse.topics", "[ " + well + " ]")
                            .set("sinks.lake.topics", "[ " + ill + " ]")
                            .set("sinks.lake.chunk", "{ target_bytes: 8KiB }")
                            .set("source.kafka.properties", "{ max.poll.records: 500 }")
                            .set("admission.max_rows", Integer.toString(budget)))
                    .ready();
            way.refuse();
            stage.topics().produce(Stage.rows(ill, 0, 0, budget));
            // With its half taken, or as many segments open as may be: which comes first is the machine's speed.
            run.await("its partition waits for it", () -> {
                for (var partition : run.pages().status().at("/partitions"))
                    if (partition.at("/waits_for").asText().equals("lake/s0"))
                        return List.of("target", "plan")
                                .contains(partition.at("/blocked_by").asText());
                return false;
            });
            stage.topics().produce(Stage.rows(well, 0, 0, 2 * budget));
            run.await("the other topic to its end", () -> {
                assertThat(held(run)).as("rows that the dead sink holds").isBetween(1L, budget / 2L + ROWS_OF_A_CHUNK);
                return stage.caughtUp(well);
            });
            assertThat(stage.caughtUp(ill)).isFalse();
            way.heal();
            run.await("all committed", () -> stage.caughtUp(well, ill));
            run.stop(0);
        }
    }

    /// Of the second sink's rows, what is encoded and has not ended.
    private static long held(InProcess run) throws Exception {
        var held = 0L;
        for (var partition : run.pages().status().at("/partitions"))
            for (var sink : partition.at("/sinks"))
                if (sink.at("/sink").asText().equals("lake"))
                    held += sink.at("/in_flight").asLong();
        return held;
    }

    private static Recipe bothTake(Stage stage, String topics, String lake) {
        return stage.recipe(topics, "t", ", on_conflict: ignore")
                .sink("lake", stage.postgres().user(), "t", ", on_conflict: ignore", lake)
                .set("sinks.lake.retry", "{ initial: 50ms, max: 300ms }");
    }

    private static String database(Stage stage, String suffix, String table) {
        var name = stage.name() + "_" + suffix;
        stage.postgres().createDatabase(name);
        stage.postgres().execute(name, table);
        return name;
    }

    private static String topic(Stage stage, String suffix, int partitions) {
        var topic = stage.topic(suffix);
        stage.topics().create(topic, partitions);
        return topic;
    }

    private static String through(ChaosProxy way, String database) {
        return "postgres://127.0.0.1:" + way.port() + "/" + database;
    }

    private static String direct(Stage stage, String database) {
        return "postgres://" + stage.postgres().host() + ":" + stage.postgres().port() + "/" + database;
    }

    private static JsonNode stuck(InProcess run) throws Exception {
        return new ObjectMapper().readTree(run.pages().body("/stuck"));
    }
}
