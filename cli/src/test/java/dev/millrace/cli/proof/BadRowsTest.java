package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Values that a table does not keep as they are, one after another between good ones: each ends alone,
/// byte for byte in the dead-letter topic with a reason of its own, and no good one waits for anybody.
@ExtendWith(LabExtension.class)
class BadRowsTest {
    private static final String TABLE = """
            create type mood as enum ('sad', 'glad');
            create table t (
              id integer primary key, must text not null, small smallint, num numeric(10, 2), day date, at timestamptz,
              name varchar(5), ratio double precision, flag boolean, mood mood, ip inet, doc jsonb, tags text[])""";

    /// A value, a byte for each character and null for a tombstone, and the word or SQLSTATE that it ends
    /// with. With a column, the reason names it.
    private record Bad(@Nullable String value, String code, String column) {
        Bad(@Nullable String value, String code) {
            this(value, code, "");
        }

        byte @Nullable [] bytes() {
            return value == null ? null : value.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    private static Bad in(String column, String value, String code) {
        return new Bad("{\"id\":7000,\"must\":\"m\",\"" + column + "\":" + value + "}", code, column);
    }

    private static List<Bad> bad() {
        return List.of(
                // CASE-20: one that is no text, a bad date, one that only the server can refuse.
                new Bad("{\"\u00ff", "bad_utf8"),
                in("day", "\"2026-02-30\"", "out_of_range"),
                in("ip", "\"10.0.0.999\"", "22P02"),
                in("mood", "\"merry\"", "22P02"),
                // CASE-41 and INPUT-11: never wrapped.
                in("small", "32768", "out_of_range"),
                in("small", "-40000", "out_of_range"),
                new Bad("{\"id\":2147483648,\"must\":\"m\"}", "out_of_range"),
                // CASE-42 and INPUT-13: no unit is guessed, nothing is clamped.
                in("at", "1767225600123", "wrong_type"),
                in("at", "\"1767225600123\"", "bad_format"),
                in("at", "\"2026-06-30T23:59:60Z\"", "out_of_range"),
                in("at", "\"2026-11-29T10:00:00.1234567Z\"", "too_precise"),
                in("day", "\"0000-00-00\"", "out_of_range"),
                in("day", "\"2026-11-29T10:00:00Z\"", "bad_format"),
                // CASE-43 and INPUT-12: nothing is rounded.
                in("num", "1.239", "too_precise"),
                in("num", "123456789", "out_of_range"),
                in("small", "1.5", "fraction"),
                in("ratio", "0.10000000000000000000000000001", "too_precise"),
                // CASE-44, INPUT-1 and INPUT-15: nothing is made up.
                new Bad(null, "tombstone"),
                new Bad("null", "not_an_object"),
                new Bad("{\"id\":7001}", "missing", "must"),
                new Bad("{\"id\":7002,\"must\":null}", "null", "must"),
                // CASE-45 and INPUT-14.
                in("colour", "\"red\"", "unknown_field"),
                // INPUT-3 to INPUT-9.
                new Bad("", "empty"),
                new Bad("{\"id\":7003,\"must\":\"m", "truncated"),
                new Bad("{\"id\":1,\"must\":\"m\"}{\"id\":2,\"must\":\"m\"}", "trailing"),
                in("must", "\"n\"", "duplicate_key"),
                in("doc", "{\"a\":1,\"a\":2}", "duplicate_key"),
                in("doc", "[".repeat(100_000) + "]".repeat(100_000), "too_deep"),
                in("num", "1".repeat(900_000), "number_too_long"),
                in("num", "1e400", "out_of_range"),
                in("ratio", "1e400", "out_of_range"),
                in("ratio", "NaN", "not_a_number"),
                in("ratio", "Infinity", "not_a_number"),
                in("ratio", "\"NaN\"", "wrong_type"),
                in("name", "\"a\\u0000b\"", "nul_character"),
                in("name", "\"\\ud800\"", "lone_surrogate"),
                in("name", "\"longer\"", "too_long"),
                // INPUT-16.
                in("tags", "\"a\"", "wrong_type"),
                in("tags", "{\"a\":1}", "wrong_type"),
                in("name", "7", "wrong_type"),
                in("flag", "1", "wrong_type"));
    }

    @Test
    @Tag("FMT-3")
    @Tag("PG-2")
    @Tag("POI-5")
    @Tag("POI-7")
    @Tag("POI-8")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName(
            "CASE-20 CASE-41 CASE-42 CASE-43 CASE-44 CASE-45 INPUT-1 INPUT-3 INPUT-4 INPUT-5 INPUT-6 INPUT-7 INPUT-8"
                    + " INPUT-9 INPUT-11 INPUT-12 INPUT-13 INPUT-14 INPUT-15 INPUT-16: each bad row is set aside alone")
    void eachIsSetAsideAlone(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute(TABLE);
            var topic = stage.topic("mixed");
            var dead = stage.topic("dead");
            stage.topics().create(topic, 1);
            var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
            for (var one : bad()) {
                records.add(good(topic, records.size()));
                records.add(new ProducerRecord<>(topic, 0, null, one.bytes()));
            }
            records.add(good(topic, records.size()));
            stage.topics().produce(records);

            var run = stage.start(stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error")
                            .set("format", "{ json: { on_tombstone: dead_letter } }")
                            .set("poison.action", "dead_letter")
                            .set("poison.topic", dead))
                    .ready();
            run.await("all committed", () -> stage.caughtUp(topic));

            assertThat(stage.count("t")).isEqualTo(bad().size() + 1);
            assertLetters(stage.topics().readAll(dead), bad());
            var expected = new TreeMap<String, Double>();
            for (var one : bad()) if (!one.code().equals("22P02")) expected.merge(one.code(), 1.0, Double::sum);
            var metrics = run.metrics();
            expected.forEach(
                    (reason, rows) -> assertThat(metrics.sum("millrace_rows_poison_total", "reason=\"" + reason + "\""))
                            .as(reason)
                            .isEqualTo(rows));
            assertThat(metrics.sum("millrace_rows_poison_total")).isEqualTo(bad().size() - 2);
            assertThat(metrics.sum("millrace_rows_dead_lettered_total")).isEqualTo(bad().size());
            assertThat(run.pages()
                            .status()
                            .at("/partitions/0/sinks/0/poison/fraction")
                            .asInt())
                    .isOne();
            var report = run.stop(0);
            assertThat(report.rows().deadLettered()).isEqualTo(bad().size());
            assertThat(report.rows().delivered()).isEqualTo(bad().size() + 1);
            assertThat(report.rows().skipped()).isZero();
        }
    }

    /// Its id is its offset.
    private static ProducerRecord<byte[], byte[]> good(String topic, int offset) {
        return Stage.row(topic, 0, "{\"id\":" + offset + ",\"must\":\"m\"}");
    }

    private static void assertLetters(List<ConsumerRecord<byte[], byte[]>> letters, List<Bad> bad) {
        assertThat(letters).hasSize(bad.size());
        var byOffset = letters.stream()
                .collect(Collectors.groupingBy(letter -> Integer.parseInt(header(letter, "millrace-offset"))));
        for (var i = 0; i < bad.size(); i++) {
            var one = bad.get(i);
            var letter = byOffset.getOrDefault(2 * i + 1, List.of()).getFirst();
            assertThat(letter.value()).isEqualTo(one.bytes());
            assertThat(header(letter, "millrace-code")).isEqualTo(one.code());
            if (one.code().equals("missing") || one.code().equals("null"))
                assertThat(header(letter, "millrace-reason")).contains("column " + one.column());
        }
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    /// A tombstone of an empty key is one, too.
    @Test
    @Tag("CKP-2")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    @DisplayName("CASE-44 INPUT-1: a tombstone is skipped or no row at all, as the file says, and its offset is done")
    void aTombstoneIsWhatTheFileSays(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer, must text)");
            var topic = stage.topic("tombs");
            stage.topics().create(topic, 1);
            stage.topics()
                    .produce(List.of(
                            good(topic, 0),
                            new ProducerRecord<>(topic, 0, null, null),
                            new ProducerRecord<>(topic, 0, new byte[] {'k'}, null),
                            new ProducerRecord<>(topic, 0, new byte[0], null),
                            new ProducerRecord<>(topic, 0, new byte[0], bytes("{\"id\":null}")),
                            good(topic, 1)));
            var recipe = stage.recipe("[ " + topic + " ]", "t", "").set("poison.topic", stage.topic("dead"));
            var run = stage.start(recipe).ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            var report = run.stop(0);
            assertThat(report.rows().skipped()).isEqualTo(3);
            assertThat(report.rows().deadLettered()).isZero();
            assertThat(stage.query("select id, must from t order by id nulls last"))
                    .containsExactly("0|m", "1|m", "|");

            stage.execute("truncate t");
            stage.topics().commit(stage.group(), Map.of(new TopicPartition(topic, 0), 0L));
            var again = stage.start(recipe.set("format", "{ json: { on_tombstone: dead_letter } }"))
                    .ready();
            again.await("all committed", () -> stage.caughtUp(topic));
            assertThat(again.metrics().sum("millrace_rows_poison_total", "reason=\"tombstone\""))
                    .isEqualTo(3);
            var told = again.stop(0);
            assertThat(told.rows().skipped()).isZero();
            assertThat(told.rows().deadLettered()).isEqualTo(3);
            assertThat(stage.count("t")).isEqualTo(3);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    @Tag("FMT-3")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    @DisplayName("CASE-45: an unknown field is left out where the file says so, and counted by its name")
    void anUnknownFieldIsLeftOutWhereTheFileSaysSo(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key)");
            var topic = stage.topic("drifting");
            stage.topics().create(topic, 1);
            stage.topics()
                    .produce(List.of(
                            Stage.row(topic, 0, "{\"id\":1,\"colour\":\"red\"}"),
                            Stage.row(topic, 0, "{\"id\":2,\"colour\":{\"r\":1},\"size\":null}"),
                            Stage.row(topic, 0, "{\"id\":3}")));
            var run = stage.start(stage.recipe("[ " + topic + " ]", "t", ", unknown_fields: ignore"))
                    .ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            assertThat(stage.count("t")).isEqualTo(3);
            assertThat(run.metrics().sum("millrace_unknown_fields_total", "sink=\"warehouse\""))
                    .isEqualTo(3);
            var named = run.pages().status().at("/unknown_fields/warehouse");
            assertThat(named.size()).isEqualTo(2);
            assertThat(named.at("/colour").asInt()).isEqualTo(2);
            assertThat(named.at("/size").asInt()).isOne();
            run.stop(0);
        }
    }

    @Test
    @Tag("POI-13")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName("CASE-19 CASE-45: a field that all records have of a sudden costs 100 rows, and not the backlog")
    void aFieldThatAllRecordsHaveCostsAHundredRows(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key)");
            var topic = stage.topic("grown");
            var dead = stage.topic("dead");
            stage.topics().create(topic, 1);
            stage.topics().produce(Stage.rows(topic, 0, 0, 5000));
            var recipe = stage.recipe("[ " + topic + " ]", "t", "").set("poison.topic", dead);
            var run = stage.start(recipe).begun();
            run.await(
                    "held",
                    () -> run.metrics()
                                    .of("millrace_pauses_total", "reason=\"drift\"")
                                    .containsValue(1.0)
                            && run.pages().body("/status").contains("poison.max_rate"));
            assertThat(run.pages().code("/readyz")).isEqualTo(503);
            var report = run.stop(3);
            assertThat(report.rows().deadLettered()).isEqualTo(100);
            assertThat(stage.topics().readAll(dead)).hasSize(100);
            assertThat(stage.count("t")).isZero();

            stage.execute("alter table t add p integer");
            stage.topics().commit(stage.group(), Map.of(new TopicPartition(topic, 0), 0L));
            var next = stage.start(recipe).ready();
            next.await("all committed", () -> stage.caughtUp(topic));
            assertThat(next.stop(0).rows().delivered()).isEqualTo(5000);
            assertThat(stage.count("t")).isEqualTo(5000);
        }
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    @DisplayName("CASE-15: rows that were deleted land again when their offsets are read again on purpose")
    void rowsThatWereDeletedLandAgain(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key, p integer)");
            var topic = stage.topic("again");
            stage.topics().create(topic, 1);
            stage.topics().produce(Stage.rows(topic, 0, 0, 200));
            var recipe = stage.recipe("[ " + topic + " ]", "t", ", on_conflict: ignore");
            var first = stage.start(recipe).ready();
            first.await("all committed", () -> stage.caughtUp(topic));
            first.stop(0);

            stage.execute("delete from t where id >= 50");
            stage.topics().commit(stage.group(), Map.of(new TopicPartition(topic, 0), 0L));
            var second = stage.start(recipe).ready();
            second.await("all committed", () -> stage.caughtUp(topic));
            var report = second.stop(0);
            assertThat(report.rows().delivered()).isEqualTo(200);
            assertThat(report.rows().duplicate()).isEqualTo(50);
            assertThat(stage.count("t")).isEqualTo(200);
        }
    }

    @Test
    @Tag("CFG-2")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName("INPUT-44: a password that was rotated holds everything, and its file is read again")
    void aPasswordThatWasRotatedIsReadAgain(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var stage = new Stage(lab)) {
            var user = stage.name() + "_clerk";
            stage.postgres().createUser(user, "the-first");
            stage.execute("create table t (id integer primary key, p integer); grant insert on t to " + user);
            var secret = Files.writeString(directory.resolve("password"), "the-first\n");
            var topic = stage.topic("rotated");
            stage.topics().create(topic, 1);
            stage.topics().produce(Stage.rows(topic, 0, 0, 100));
            var run = stage.start(stage.recipe("[ " + topic + " ]", "t", "")
                            .set(
                                    "sinks.warehouse.postgres",
                                    "{ table: t, user: " + user + ", password: \"${file:" + secret + "}\" }"))
                    .ready();
            run.await("all committed", () -> stage.caughtUp(topic));

            stage.execute("alter role " + user + " password 'the-second'");
            stage.execute("select pg_terminate_backend(pid) from pg_stat_activity where usename = '" + user + "'");
            stage.topics().produce(Stage.rows(topic, 0, 100, 100));
            run.await(
                    "held",
                    () -> run.pages().code("/readyz") == 503
                            && run.pages().body("/status").contains("28P01"));
            assertThat(run.pages().body("/status")).doesNotContain("the-first", "the-second");
            assertThat(stage.count("t")).isEqualTo(100);

            Files.writeString(secret, "the-second\n");
            run.await("all committed", () -> stage.caughtUp(topic));
            var report = run.stop(0);
            assertThat(report.rows().delivered()).isEqualTo(200).isEqualTo(stage.count("t"));
            assertThat(report.rows().deadLettered()).isZero();
            assertThat(report.rows().skipped()).isZero();
        }
    }

    @Test
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName(
            "CH-8 CASE-49 INPUT-45: a column of another type is noticed, and what was made for it is read again in place")
    void aColumnOfAnotherTypeIsNoticedAndItsRowsAreReadAgain(SharedLab lab) throws Exception {
        try (var log = LogLines.capture();
                var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key, p numeric(10, 4))");
            var topic = stage.topic("retyped");
            stage.topics().create(topic, 1);
            stage.topics().produce(Stage.rows(topic, 0, 0, 100));
            var recipe = stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error");
            var run = stage.start(recipe).ready();
            run.await("all committed", () -> stage.caughtUp(topic));

            stage.execute("alter table t alter p type numeric(10, 2)");
            stage.topics().produce(Stage.rows(topic, 0, 100, 100));
            run.await("all committed", () -> stage.caughtUp(topic));
            assertThat(count(log, "read_again")).isOne();

            stage.execute("alter table t add extra text");
            run.await("the new column is known", () -> count(log, "layout_changed") == 2);
            var report = run.stop(0);
            assertThat(report.rows().deadLettered()).isZero();
            assertThat(stage.count("t")).isEqualTo(200);
        }
    }

    private static long count(LogLines log, String event) {
        return log.lines().stream()
                .filter(line -> line.contains("event=" + event))
                .count();
    }
}
