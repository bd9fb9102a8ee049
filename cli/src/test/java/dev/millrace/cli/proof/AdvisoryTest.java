package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.Cue;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// An advisory PostgreSQL sink beside one that is waited for, each in a database of its own.
///
/// The advisory table has no key: a row that came twice would be there twice.
@ExtendWith(LabExtension.class)
class AdvisoryTest {
    private static final int ROWS = 1_000;
    private static final int MORE = 500;
    /// Every hundredth row is poison to the main sink.
    private static final String MAIN =
            "create table t (id bigint primary key, p int not null, constraint lucky check (id % 100 <> 7))";

    private static final String SHADOW = "create table t (id bigint not null, p int not null)";

    @Test
    @DisplayName("ADV-1: it sees exactly the rows that the main sink took, once, also of batches that were repeated")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void itSeesExactlyTheAcceptedRowsOnce(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var main = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port())) {
            var shadow = tables(stage, SHADOW);
            var topic = topic(stage);
            var run = stage.start(recipe(stage, topic, through(main, stage.name()), direct(stage, shadow)))
                    .ready();
            // The first batch is stored, and nobody hears of it; then the connections are cut.
            main.dropAnswer(Cue.POSTGRES_COMMITTED);
            stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
            run.await("all committed", () -> stage.caughtUp(topic));
            main.refuse();
            stage.topics().produce(Stage.rows(topic, 0, ROWS, MORE));
            run.await("its replica is cut", () -> run.pages().code("/readyz") == 503);
            main.heal();
            run.await("all committed", () -> stage.caughtUp(topic));
            run.await(
                    "the advisory sink has what it is to have",
                    () -> stage.postgres().count(shadow, "t") >= accepted().size());

            var report = run.stop(0);
            assertThat(ids(stage, stage.name())).isEqualTo(accepted());
            assertThat(ids(stage, shadow)).as("of the advisory sink").isEqualTo(accepted());
            assertThat(report.rows().deadLettered())
                    .isEqualTo(ROWS + MORE - accepted().size());
            var seen = report.advisory().getFirst();
            assertThat(seen.name()).isEqualTo("shadow");
            assertThat(seen.rowsSeen()).isEqualTo(ROWS + MORE);
            assertThat(seen.rowsWritten()).isEqualTo(accepted().size());
            assertThat(seen.rowsNotAccepted()).isEqualTo(report.rows().deadLettered());
            assertThat(report.sinks()).extracting(Report.Sink::name).containsExactly("warehouse");
        }
    }

    @Test
    @DisplayName("ADV-2: one that hangs holds up no commit, no polling, no readiness and no drain")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void oneThatHangsHoldsUpNothing(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var way = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port())) {
            var shadow = tables(stage, SHADOW);
            var topic = topic(stage);
            var run = stage.start(recipe(stage, topic, direct(stage, stage.name()), through(way, shadow))
                            .set("sinks.shadow.write", "{ timeout: 1h }")
                            .set("sinks.shadow.breaker", "{ slow_call: { longer_than: 30m } }")
                            .set("sinks.shadow.batch", "{ max_rows: 100, linger: 100ms }")
                            .set("drain.timeout", "30s"))
                    .ready();
            run.await("reached", () -> run.metrics().sum("millrace_advisory_reached") == 1);
            way.blackHole();
            for (var first = 0; first < ROWS; first += MORE) {
                stage.topics().produce(Stage.rows(topic, 0, first, MORE));
                run.await("committed", () -> stage.caughtUp(topic));
            }
            run.await(
                    "its writes hang",
                    () -> run.pages()
                            .status()
                            .at("/advisory/0/shards/0/batches")
                            .findValuesAsText("writing")
                            .contains("true"));
            unharmed(run);

            var report = run.stop(0);
            assertThat(report.drained()).isTrue();
            assertThat(report.drainSeconds()).isLessThan(report.drainBudgetSeconds());
            var seen = report.advisory().getFirst();
            assertThat(seen.rowsWritten()).isZero();
            assertThat(seen.rowsStopped())
                    .as("what it held at the end, of %s", seen)
                    .isPositive();
            assertThat(seen.rowsLeft()).isZero();
            assertThat(stage.postgres().count(shadow, "t")).isZero();
        }
    }

    @Test
    @DisplayName("ADV-2: one that refuses everything is tried once a batch; nothing is set aside, and nothing is stuck")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void oneThatRefusesIsTriedOnceABatch(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var shadow = tables(stage, "create table t (id bigint not null check (id < 0), p int not null)");
            var topic = topic(stage);
            var run = stage.start(recipe(stage, topic, direct(stage, stage.name()), direct(stage, shadow)))
                    .ready();
            stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
            run.await("all committed", () -> stage.caughtUp(topic));
            run.await("all refused", () -> rows(run, "failed") == ROWS - ROWS / 100);
            unharmed(run);
            var refused = run.metrics().sum("millrace_advisory_attempts_total", "outcome=\"refused\"");
            assertThat(run.metrics().sum("millrace_advisory_attempts_total"))
                    .as("one attempt a batch, and none else")
                    .isEqualTo(refused);
            assertThat(stage.topics().readAll(stage.topic("dead")))
                    .as("what the main sink set aside alone")
                    .hasSize(ROWS / 100);
            var report = run.stop(0);
            assertThat(report.advisory().getFirst().rowsFailed()).isEqualTo(ROWS - ROWS / 100);
        }
    }

    @Test
    @DisplayName("ADV-2: one that is down when the pipeline starts keeps it from nothing, and sees rows once it is up")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void oneThatIsDownAtTheStartIsNotWaitedFor(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var way = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port())) {
            var shadow = tables(stage, SHADOW);
            var topic = topic(stage);
            way.refuse();
            var run = stage.start(recipe(stage, topic, direct(stage, stage.name()), through(way, shadow)))
                    .ready();
            stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
            run.await("all committed", () -> stage.caughtUp(topic));
            unharmed(run);
            assertThat(rows(run, "unreached") + rows(run, "not_accepted")).isEqualTo(ROWS);

            way.heal();
            run.await("reached", () -> run.metrics().sum("millrace_advisory_reached") == 1);
            stage.topics().produce(Stage.rows(topic, 0, ROWS, MORE));
            run.await("all committed", () -> stage.caughtUp(topic));
            run.await("it sees rows", () -> rows(run, "written") == MORE - MORE / 100);
            run.stop(0);
            assertThat(ids(stage, shadow))
                    .isEqualTo(accepted().stream().filter(id -> id >= ROWS).toList());
        }
    }

    @Test
    @DisplayName("ADV-2: one that is down for the whole run changes neither exit code nor report of the others")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void oneThatIsDownForTheWholeRun(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var way = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port())) {
            var shadow = tables(stage, SHADOW);
            var topic = topic(stage);
            way.refuse();
            stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
            var run = stage.start(recipe(stage, topic, direct(stage, stage.name()), through(way, shadow)));
            run.await("all committed", () -> stage.caughtUp(topic));
            var report = run.stop(0);
            assertThat(report.drained()).isTrue();
            assertThat(report.caughtUp()).isTrue();
            assertThat(report.rows().polled()).isEqualTo(ROWS);
            assertThat(report.rows().delivered()).isEqualTo(ROWS - ROWS / 100);
            var seen = report.advisory().getFirst();
            assertThat(seen.reached()).isFalse();
            assertThat(seen.rowsSeen()).isEqualTo(ROWS);
            assertThat(seen.rowsWritten()).isZero();
        }
    }

    @Test
    @DisplayName("ADV-1: what becomes durable in the drain is handed on before the end")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void whatTheDrainFinishesIsHandedOn(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var shadow = tables(stage, SHADOW);
            var topic = topic(stage);
            // So that nothing is written before the stop.
            var run = stage.start(recipe(stage, topic, direct(stage, stage.name()), direct(stage, shadow))
                            .set("checkpoint.interval", "60s")
                            .set("sinks.warehouse.batch", "{ linger: 50s }"))
                    .ready();
            run.await("reached", () -> run.metrics().sum("millrace_advisory_reached") == 1);
            stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
            run.await("polled", () -> run.pages().metric("millrace_rows_polled_total") == ROWS);
            var report = run.stop(0);
            assertThat(report.rows().delivered()).isEqualTo(ROWS - ROWS / 100);
            var seen = report.advisory().getFirst();
            assertThat(seen.rowsNotAccepted()).isEqualTo(ROWS / 100);
            assertThat(seen.rowsNotDone()).isZero();
            assertThat(seen.rowsWritten() + seen.rowsStopped())
                    .as("handed on, of %s", seen)
                    .isEqualTo(ROWS - ROWS / 100);
            assertThat(stage.postgres().count(shadow, "t")).isGreaterThanOrEqualTo(seen.rowsWritten());
        }
    }

    @Test
    @DisplayName("ADV-2: one whose table is missing is told of, and ends nothing")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void oneWhoseTableIsMissingEndsNothing(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var log = LogLines.capture()) {
            var shadow = tables(stage, "create table other (id bigint)");
            var topic = topic(stage);
            var run = stage.start(recipe(stage, topic, direct(stage, stage.name()), direct(stage, shadow)))
                    .ready();
            stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
            run.await("all committed", () -> stage.caughtUp(topic));
            unharmed(run);
            assertThat(log.lines().stream().filter(line -> line.contains("advisory_unreached")))
                    .anySatisfy(line -> assertThat(line).contains("shadow", "does not exist"));
            assertThat(run.stop(0).advisory().getFirst().reached()).isFalse();
        }
    }

    /// Ready, nothing stuck, nothing in the budget, and no partition was ever paused for want of room.
    private static void unharmed(InProcess run) throws Exception {
        assertThat(run.pages().code("/readyz")).isEqualTo(200);
        assertThat(run.pages().body("/stuck").strip()).isEqualTo("{\"partitions\":[],\"shards\":[]}");
        var metrics = run.metrics();
        assertThat(metrics.sum("millrace_inflight_rows")).isZero();
        for (var reason : List.of("budget", "target", "pending"))
            assertThat(metrics.sum("millrace_pauses_total", "reason=\"" + reason + "\""))
                    .as("pauses for %s", reason)
                    .isZero();
        assertThat(metrics.of("millrace_shard_usable"))
                .as("of the main sink alone")
                .hasSize(1);
    }

    private static double rows(InProcess run, String outcome) throws Exception {
        return run.metrics().sum("millrace_advisory_rows_total", "outcome=\"" + outcome + "\"");
    }

    private static List<Integer> accepted() {
        return IntStream.range(0, ROWS + MORE)
                .filter(id -> id % 100 != 7)
                .boxed()
                .toList();
    }

    private static List<Integer> ids(Stage stage, String database) {
        return stage.postgres().query(database, "select id from t order by id").stream()
                .map(Integer::valueOf)
                .toList();
    }

    private static Recipe recipe(Stage stage, String topic, String main, String shadow) {
        var user = stage.postgres().user();
        return stage.recipe("[ " + topic + " ]")
                .postgres(user, "t", ", on_conflict: ignore", main)
                .sink("shadow", user, "t", "", shadow)
                .set("sinks.shadow.advisory", "true")
                .set("poison", "{ action: dead_letter, topic: " + stage.topic("dead") + " }");
    }

    /// Returns the advisory sink's database.
    private static String tables(Stage stage, String shadow) {
        var database = stage.name() + "_shadow";
        stage.execute(MAIN);
        stage.postgres().createDatabase(database);
        stage.postgres().execute(database, shadow);
        return database;
    }

    private static String topic(Stage stage) {
        var topic = stage.topic("rows");
        stage.topics().create(topic, 1);
        return topic;
    }

    private static String through(ChaosProxy way, String database) {
        return "postgres://127.0.0.1:" + way.port() + "/" + database;
    }

    private static String direct(Stage stage, String database) {
        return "postgres://" + stage.postgres().host() + ":" + stage.postgres().port() + "/" + database;
    }
}
