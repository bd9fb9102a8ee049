package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Everything that people have put into a topic of JSON, between rows that are well: each bad record is set aside as it
/// is and under its reason, and each row that is well lands.
@ExtendWith(LabExtension.class)
class BadRecordsTest {
    /// A bad record's value, a letter for each byte, and the code of its letter.
    private record Bad(@Nullable String value, String code) {
        byte @Nullable [] bytes() {
            return value == null ? null : value.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    private static final String DEEP = "[".repeat(100_000);

    private static List<Bad> bad() {
        return List.of(
                new Bad(null, "tombstone"),
                new Bad("", "empty"),
                new Bad("{\"id\":1", "truncated"),
                new Bad("{\"id\":1}{\"id\":2}", "trailing"),
                new Bad("{\"id\":1}\n{\"id\":2}\n", "trailing"),
                new Bad("{\"id\":1,\"id\":2,\"n\":1}", "duplicate_key"),
                new Bad("{\"id\":1,\"n\":1,\"doc\":" + DEEP, "too_deep"),
                new Bad(DEEP, "not_an_object"),
                new Bad("{\"id\":1,\"n\":" + "9".repeat(1 << 20) + "}", "number_too_long"),
                new Bad("{\"id\":1,\"n\":1e400}", "out_of_range"),
                new Bad("{\"id\":1,\"n\":NaN}", "not_a_number"),
                new Bad("{\"id\":1,\"n\":-Infinity}", "not_a_number"),
                new Bad("{\"\u00ff", "bad_utf8"),
                new Bad("{\"id\":1,\"n\":1,\"txt\":\"\\ud800\"}", "lone_surrogate"),
                new Bad("{\"id\":1,\"n\":1,\"txt\":\"\\u0000\"}", "nul_character"),
                new Bad("{\"id\":1,\"n\":2147483648}", "out_of_range"),
                new Bad("{\"id\":1,\"n\":1.5}", "fraction"),
                new Bad("{\"id\":1,\"n\":1,\"at\":\"10000000-01-01T00:00:00Z\"}", "bad_format"),
                new Bad("{\"id\":1,\"n\":1,\"nobody\":1}", "unknown_field"),
                new Bad("{\"id\":1}", "missing"),
                new Bad("{\"id\":1,\"n\":null}", "null"),
                new Bad("{\"id\":1,\"n\":\"x\"}", "wrong_type"),
                new Bad("{\"id\":1,\"n\":1,\"tags\":\"x\"}", "wrong_type"),
                new Bad("{\"id\":1,\"n\":7}", "23514"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static ProducerRecord<byte[], byte[]> good(String topic, int partition, int id) {
        return Stage.row(topic, partition, "{\"id\":" + id + ",\"n\":1}");
    }

    @Test
    @Tag("POI-5")
    @Tag("POI-7")
    @Tag("POI-8")
    @Tag("POI-14")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName(
            "CASE-20 INPUT-1 INPUT-3 INPUT-4 INPUT-5 INPUT-6 INPUT-7 INPUT-8 INPUT-9 INPUT-11 INPUT-12 INPUT-13 INPUT-14"
                    + " INPUT-15 INPUT-16: each is set aside byte for byte under its reason, and the rows around it land")
    void eachIsSetAsideUnderItsReason(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key, n integer not null check (n <> 7), txt text,"
                    + " doc jsonb, at timestamptz, tags text[])");
            var topic = stage.topic("mixed");
            var box = new LetterBox(stage.topics(), stage.topic("dead"));
            stage.topics().create(topic, 1, Map.of("max.message.bytes", "2000000"));
            var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
            var expected = new ArrayList<String>();
            for (var one : bad()) {
                records.add(good(topic, 0, 1000 + records.size()));
                expected.add(topic + "-0@" + records.size() + " " + one.code());
                List<Header> headers = List.of(new RecordHeader("trace", bytes("t" + records.size())));
                records.add(new ProducerRecord<>(topic, 0, 5_000L + records.size(), bytes("k"), one.bytes(), headers));
            }
            records.add(good(topic, 0, 1000 + records.size()));
            Large.produce(stage.bootstrapServers(), records);

            var run = stage.start(stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error")
                            .set("format", "{ json: { on_tombstone: dead_letter } }")
                            .set("poison.topic", box.topic()))
                    .ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            var report = run.stop(0);

            var originals = stage.topics().readAll(topic);
            var letters = box.letters();
            assertThat(letters)
                    .extracting(letter -> letter.place() + " " + letter.code())
                    .containsExactlyInAnyOrderElementsOf(expected);
            for (var letter : letters)
                assertThat(letter.is(originals.get(Integer.parseInt(letter.said("offset")))))
                        .as("byte for byte: %s", letter.place())
                        .isTrue();
            assertThat(report.rows().deadLettered()).isEqualTo(expected.size());
            assertThat(stage.count("t")).isEqualTo(expected.size() + 1);
        }
    }

    @Test
    @Tag("SRC-5")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName("INPUT-2, POI-14: without a key a row goes where its partition goes, and its letter has no key either")
    void aRowWithoutAKeyIsRoutedByItsPartition(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var other = stage.name() + "_other";
            stage.postgres().createDatabase(other);
            var table = "create table t (id integer primary key, n integer not null check (n <> 7))";
            stage.execute(table);
            stage.postgres().execute(other, table);
            var topic = stage.topic("keyless");
            var box = new LetterBox(stage.topics(), stage.topic("dead"));
            stage.topics().create(topic, 2);
            for (var partition = 0; partition < 2; partition++) {
                var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
                for (var id = 0; id < 50; id++) records.add(good(topic, partition, 100 * partition + id));
                records.add(Stage.row(topic, partition, "{\"id\":" + (900 + partition) + ",\"n\":7}"));
                stage.topics().produce(records);
            }
            var run = stage.start(stage.recipe("[ " + topic + " ]")
                            .postgres(
                                    stage.postgres().user(),
                                    "t",
                                    ", on_conflict: error",
                                    stage.endpoint(),
                                    stage.endpoint() + "_other")
                            .set("poison.topic", box.topic()))
                    .ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            run.stop(0);
            assertThat(stage.count("t")).isEqualTo(50);
            assertThat(stage.postgres().count(other, "t")).isEqualTo(50);
            assertThat(box.letters())
                    .hasSize(2)
                    .allSatisfy(letter -> assertThat(letter.record().key()).isNull())
                    .extracting(letter -> letter.said("partition") + " " + letter.said("shard"))
                    .containsExactlyInAnyOrder("0 s0", "1 s1");
        }
    }

    @Test
    @Tag("POI-14")
    @Tag("SRC-5")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName("INPUT-20: headers of any number, size and bytes come back with the letter, also when it is replayed")
    void headersOfAnyKindAreKept(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key, n integer not null check (n <> 7))");
            var topic = stage.topic("headers");
            var box = new LetterBox(stage.topics(), stage.topic("dead"));
            stage.topics().create(topic, 1, Map.of("max.message.bytes", "4000000"));
            List<Header> many = new ArrayList<>();
            for (var i = 0; i < 10_000; i++) many.add(new RecordHeader("header-" + i % 100, bytes("value-" + i)));
            List<Header> odd = List.of(
                    new RecordHeader("wide", bytes(Large.noise(1, 1 << 20))),
                    new RecordHeader("no text", new byte[] {(byte) 0xC3, 0x28, (byte) 0xFF, 0}),
                    new RecordHeader("twin", null),
                    new RecordHeader("twin", new byte[0]),
                    new RecordHeader("twin", null));
            var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
            for (var headers : List.of(many, odd)) {
                var id = records.size();
                records.add(new ProducerRecord<>(topic, 0, null, null, bytes("{\"id\":" + id + ",\"n\":1}"), headers));
                records.add(new ProducerRecord<>(
                        topic, 0, null, null, bytes("{\"id\":" + (id + 1) + ",\"n\":7}"), headers));
                records.add(new ProducerRecord<>(topic, 0, null, null, bytes("{"), headers));
            }
            Large.produce(stage.bootstrapServers(), records);
            var run = stage.start(stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error")
                            .set("poison.topic", box.topic()))
                    .ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            run.stop(0);
            assertThat(stage.count("t")).isEqualTo(2);
            var originals = stage.topics().readAll(topic);
            var letters = box.letters();
            assertThat(letters).hasSize(4);
            for (var letter : letters)
                assertThat(letter.is(originals.get(Integer.parseInt(letter.said("offset")))))
                        .as("byte for byte: %s", letter.place())
                        .isTrue();
            assertThat(letters.stream().map(LetterBox.Letter::others).collect(Collectors.toSet()))
                    .hasSize(2);
            assertThat(Objects.requireNonNull(
                            stage.topics().committed(stage.group()).get(new TopicPartition(topic, 0))))
                    .isEqualTo(6);
        }
    }
}
