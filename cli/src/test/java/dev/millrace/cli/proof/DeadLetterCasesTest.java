package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.ChaosProxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What others lost rows or nights to, with a real broker, a real table and a real dead-letter topic.
@ExtendWith(LabExtension.class)
class DeadLetterCasesTest {
    private static final int ROWS = 1_000;
    private static final int UNLUCKY = 437;

    /// Twice for the two halves of each step, and the whole batch and its repeat.
    private static final int WITHOUT_A_NAME = 2 + 2 * 10;

    private static Recipe oneBatch(Stage stage, String topic, String dead) {
        return stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error")
                .set("poison.topic", dead)
                .set("sinks.warehouse.batch", "{ linger: 1s, max_rows: 100000 }")
                .set("checkpoint.interval", "1100ms");
    }

    private static List<ProducerRecord<byte[], byte[]>> withOneBadRow(String topic, String bad) {
        var records = new ArrayList<>(Stage.rows(topic, 0, 0, UNLUCKY));
        records.add(Stage.row(topic, 0, bad));
        records.addAll(Stage.rows(topic, 0, UNLUCKY + 1, ROWS - UNLUCKY - 1));
        return records;
    }

    /// Runs 1,000 rows of which one is bad, and returns how many attempts that took, beyond one for each batch.
    private static double attemptsBesideBatches(Stage stage, String bad, String code) throws Exception {
        var topic = stage.topic("rows");
        var dead = stage.topic("dead");
        stage.topics().create(topic, 1);
        stage.topics().produce(withOneBadRow(topic, bad));
        var run = stage.start(oneBatch(stage, topic, dead)).ready();
        run.await("all committed", () -> stage.caughtUp(topic));
        var attempts = run.metrics().sum("millrace_attempts_total");
        var report = run.stop(0);

        assertThat(stage.count("t")).isEqualTo(ROWS - 1);
        assertThat(report.rows().delivered()).isEqualTo(ROWS - 1);
        assertThat(report.rows().duplicate()).isZero();
        assertThat(report.rows().deadLettered()).isEqualTo(1);
        var letters = new LetterBox(stage.topics(), dead).letters();
        assertThat(letters).singleElement().satisfies(letter -> {
            assertThat(letter.place()).isEqualTo(topic + "-0@" + UNLUCKY);
            assertThat(letter.code()).isEqualTo(code);
            assertThat(letter.is(stage.topics().readAll(topic).get(UNLUCKY))).isTrue();
        });
        return attempts - report.batchesDelivered();
    }

    @Test
    @Tag("POI-11")
    @Tag("POI-17")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName("CASE-17: a row that the database names costs one dead letter and at most four requests")
    void aRowThatIsNamedCostsFewRequests(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key, p integer check (p < 7))");
            assertThat(attemptsBesideBatches(stage, "{\"id\":437,\"p\":7}", "23514"))
                    .isLessThanOrEqualTo(3);
        }
    }

    @Test
    @Tag("POI-1")
    @Tag("POI-17")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName("CASE-17: a row that nobody names costs one dead letter and a request or two for each halving")
    void aRowThatNobodyNamesCostsTwoForEachHalving(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            // Looked at when the transaction ends, and then no line of COPY is told.
            stage.execute("create table lucky (p integer primary key); insert into lucky values (0);"
                    + "create table t (id integer primary key,"
                    + " p integer references lucky deferrable initially deferred)");
            assertThat(attemptsBesideBatches(stage, "{\"id\":437,\"p\":7}", "23503"))
                    .isLessThanOrEqualTo(WITHOUT_A_NAME);
        }
    }

    @Test
    @Tag("POI-7")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName("CASE-17: a row that cannot become a row of the table costs one dead letter and no request")
    void aRowThatIsNoneCostsNoRequest(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key, p integer)");
            assertThat(attemptsBesideBatches(stage, "{\"id\":\"x\",\"p\":0}", "wrong_type"))
                    .isLessThanOrEqualTo(0);
        }
    }

    @Test
    @Tag("POI-3")
    @Tag("POI-8")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName("CASE-19: an outage with 200 batches waiting drains nothing into the dead-letter topic")
    void anOutageIsNotDrainedIntoTheTopic(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var proxy = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port())) {
            stage.execute("create table t (id integer primary key, p integer check (p <> 7))");
            var topic = stage.topic("rows");
            var box = new LetterBox(stage.topics(), stage.topic("dead"));
            stage.topics().create(topic, 1);
            var run = stage.start(stage.recipe("[ " + topic + " ]")
                            .postgres(stage.postgres().user(), "t", ", on_conflict: ignore", through(proxy, stage))
                            .set("poison.topic", box.topic())
                            .set("sinks.warehouse.batch", "{ linger: 100ms, max_rows: 50 }")
                            .set("sinks.warehouse.inflight", "{ max_per_shard: 4 }")
                            .set("sinks.warehouse.breaker", "{ failures: 2, open_for: 200ms, open_for_max: 200ms }"))
                    .ready();
            stage.topics().produce(Stage.rows(topic, 0, 0, 100));
            run.await("the first rows", () -> stage.caughtUp(topic));

            proxy.refuse();
            var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
            for (var id = 100; id < 10_100; id++)
                records.add(Stage.row(topic, 0, "{\"id\":" + id + ",\"p\":" + (id % 1000 == 7 ? 7 : 0) + "}"));
            stage.topics().produce(records);
            run.await("nothing can be reached", () -> run.pages().code("/readyz") == 503);
            var failed = run.metrics().sum("millrace_attempts_total", "outcome=\"unavailable\"");
            run.await(
                    "many attempts fail",
                    () -> run.metrics().sum("millrace_attempts_total", "outcome=\"unavailable\"") >= failed + 10);
            assertThat(box.letters()).as("an outage says nothing of a row").isEmpty();

            proxy.heal();
            run.await("all committed", () -> stage.caughtUp(topic));
            var report = run.stop(0);
            assertThat(report.rows().deadLettered()).isEqualTo(10);
            assertThat(stage.count("t")).isEqualTo(10_090);
            assertThat(box.letters())
                    .as("what the database refuses when it is there")
                    .hasSize(10)
                    .allSatisfy(letter -> assertThat(letter.code()).isEqualTo("23514"));
        }
    }

    private static String through(ChaosProxy proxy, Stage stage) {
        return "postgres://" + proxy.host() + ":" + proxy.port() + "/" + stage.name();
    }

    @Test
    @Tag("POI-13")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName(
            "CASE-19: a schema that changed under the rows is no poison: the shard holds, loudly, and nothing is set aside")
    void aSchemaThatChangedIsNoPoison(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var log = LogLines.capture()) {
            stage.execute("create table t (id integer primary key, p integer)");
            var topic = stage.topic("rows");
            var box = new LetterBox(stage.topics(), stage.topic("dead"));
            stage.topics().create(topic, 1);
            var run = stage.start(oneBatch(stage, topic, box.topic())).ready();
            stage.topics().produce(Stage.rows(topic, 0, 0, ROWS));
            run.await("the first rows", () -> stage.caughtUp(topic));

            stage.execute("alter table t add constraint later check (id < " + ROWS + ")");
            stage.topics().produce(Stage.rows(topic, 0, ROWS, ROWS));
            run.await("it holds", () -> run.metrics().sum("millrace_shard_blocked") == 1);
            assertThat(run.pages().code("/readyz")).isEqualTo(503);
            assertThat(run.pages().body("/stuck")).contains("23514", "constraint later");
            assertThat(log.lines()).anySatisfy(line -> assertThat(line).contains("poison.max_rate"));
            assertThat(box.letters()).isEmpty();

            stage.execute("alter table t drop constraint later");
            run.await("all committed", () -> stage.caughtUp(topic));
            assertThat(run.stop(0).rows().deadLettered()).isZero();
            assertThat(stage.count("t")).isEqualTo(2 * ROWS);
            assertThat(box.letters()).isEmpty();
        }
    }

    @Test
    @Tag("POI-15")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName(
            "CASE-24: a batch that is too large is split into as few parts as fit, and a row that alone is goes aside once")
    void whatIsTooLargeIsSplitAndGoesAsideOnce(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            // A server that takes at most a megabyte at once, and says so without naming a row.
            stage.execute("create table t (id integer primary key, v text);"
                    + "create function full_up() returns trigger language plpgsql as $$ begin"
                    + " if (select sum(length(v)) from added) > 1000000 then"
                    + " raise exception 'too much' using errcode = '54000'; end if; return null; end $$;"
                    + "create trigger full_up after insert on t referencing new table as added"
                    + " for each statement execute function full_up()");
            var topic = stage.topic("large");
            var box = new LetterBox(stage.topics(), stage.topic("dead"));
            stage.topics().create(topic, 1, Map.of("max.message.bytes", "2000000"));
            stage.topics().produce(List.of(large(topic, 0, 10)));
            var run = stage.start(oneBatch(stage, topic, box.topic())).ready();
            run.await("the first row", () -> stage.caughtUp(topic));
            var before = run.metrics().sum("millrace_attempts_total");

            var eight = new ArrayList<ProducerRecord<byte[], byte[]>>();
            for (var id = 1; id <= 8; id++) eight.add(large(topic, id, 300_000));
            Large.produce(stage.bootstrapServers(), eight);
            run.await("the eight", () -> stage.caughtUp(topic));
            assertThat(stage.count("t")).isEqualTo(9);
            assertThat(run.metrics().sum("millrace_attempts_total") - before)
                    .as("the whole, two halves, four quarters")
                    .isLessThanOrEqualTo(7);

            Large.produce(stage.bootstrapServers(), List.of(large(topic, 9, 1_200_000)));
            run.await("set aside", () -> stage.caughtUp(topic));
            var report = run.stop(0);
            assertThat(report.rows().deadLettered()).isEqualTo(1);
            assertThat(stage.count("t")).isEqualTo(9);
            assertThat(box.letters()).singleElement().satisfies(letter -> {
                assertThat(letter.is(stage.topics().readAll(topic).getLast())).isTrue();
                assertThat(letter.code()).isEqualTo("54000");
            });
        }
    }

    @Test
    @Tag("POI-15")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName("CASE-24: a value that no index of the table takes goes aside alone, as too_large")
    void aValueThatNoIndexTakesGoesAside(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key, v text); create index on t (v)");
            var topic = stage.topic("large");
            var box = new LetterBox(stage.topics(), stage.topic("dead"));
            stage.topics().create(topic, 1, Map.of("max.message.bytes", "2000000"));
            var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
            for (var id = 0; id < 20; id++) records.add(large(topic, id, id == 13 ? 1_200_000 : 1_000));
            Large.produce(stage.bootstrapServers(), records);
            var run = stage.start(oneBatch(stage, topic, box.topic())).ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            assertThat(run.stop(0).rows().deadLettered()).isEqualTo(1);
            assertThat(stage.count("t")).isEqualTo(19);
            assertThat(box.letters()).singleElement().satisfies(letter -> {
                assertThat(letter.is(stage.topics().readAll(topic).get(13))).isTrue();
                assertThat(letter.code()).isEqualTo("too_large");
                assertThat(letter.said("reason")).startsWith("54000: ");
            });
        }
    }

    @Test
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName(
            "POI-16: a row is set aside when it was refused alone as often as poison.attempts says, and not before")
    void aRowSpendsItsAttempts(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            // What a sequence gives is not taken back with the transaction: so the row with 8 is refused twice.
            stage.execute("create table t (id integer primary key, p integer); create sequence tries;"
                    + "create function no() returns trigger language plpgsql as $$ begin"
                    + " if new.p = 7 or (new.p = 8 and nextval('tries') <= 2) then raise exception 'not now'; end if;"
                    + " return new; end $$;"
                    + "create trigger no before insert on t for each row execute function no()");
            var topic = stage.topic("rows");
            var box = new LetterBox(stage.topics(), stage.topic("dead"));
            stage.topics().create(topic, 1);
            stage.topics().produce(withOneBadRow(topic, "{\"id\":437,\"p\":7}"));
            var run = stage.start(oneBatch(stage, topic, box.topic()).set("poison.attempts", "2"))
                    .ready();
            run.await("set aside", () -> stage.caughtUp(topic));
            assertThat(box.letters()).singleElement().satisfies(letter -> {
                assertThat(letter.code()).isEqualTo("P0001");
                assertThat(letter.said("attempts")).isEqualTo("2");
            });

            stage.topics().produce(Stage.rows(topic, 0, 2 * ROWS, 10));
            stage.topics().produce(List.of(Stage.row(topic, 0, "{\"id\":438438,\"p\":8}")));
            run.await("all committed", () -> stage.caughtUp(topic));
            assertThat(run.stop(0).rows().deadLettered()).isEqualTo(1);
            assertThat(stage.query("select id from t where p = 8")).containsExactly("438438");
        }
    }

    private static ProducerRecord<byte[], byte[]> large(String topic, int id, int length) {
        return Stage.row(topic, 0, "{\"id\":" + id + ",\"v\":\"" + Large.noise(id, length) + "\"}");
    }
}
