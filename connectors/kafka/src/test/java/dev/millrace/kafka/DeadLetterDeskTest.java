package dev.millrace.kafka;

import static dev.millrace.kafka.DeadRecords.bytes;
import static dev.millrace.kafka.DeadRecords.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.kafka.ReplayReport.Skip;
import dev.millrace.sinkpool.NanoClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Dead letters listed, looked at and replayed on a real broker.
final class DeadLetterDeskTest {
    /// JUnit makes one of these for each test: so one test has one time of now.
    private final ReplaySettings all = new ReplaySettings(
            DeadLetterWhere.all(), _ -> true, 3, false, 0, false, Instant.now().toEpochMilli());

    private static DeadLetterDesk desk(DeadRecords records) {
        return desk(records.dead, new AtomicBoolean());
    }

    private static DeadLetterDesk desk(String dead, AtomicBoolean stopped) {
        var settings = KafkaSourceSettings.of(
                        SharedBroker.bootstrap(), new Subscription.Named(List.of("orders")), "group")
                .startupTimeoutNanos(Duration.ofSeconds(40).toNanos());
        return new DeadLetterDesk(dead, settings, NanoClock.SYSTEM, stopped::get);
    }

    private static ReplayReport replay(DeadRecords records, ReplaySettings settings) throws StartRefused {
        return desk(records).replay(settings, (_, _) -> {});
    }

    private ReplaySettings where(String... conditions) {
        return new ReplaySettings(
                DeadLetterWhere.parse(List.of(conditions)), _ -> true, 3, false, 0, false, all.nowMillis());
    }

    private ReplaySettings forced() {
        return new ReplaySettings(DeadLetterWhere.all(), _ -> true, 3, true, 0, false, all.nowMillis());
    }

    private static List<String> headers(ConsumerRecord<byte[], byte[]> record) {
        return StreamSupport.stream(record.headers().spliterator(), false)
                .map(header -> header.key() + "=" + Arrays.toString(header.value()))
                .toList();
    }

    private static ConsumerRecord<byte[], byte[]> last(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream()
                .max((a, b) -> Long.compare(a.offset(), b.offset()))
                .orElseThrow();
    }

    @Test
    @DisplayName("POI-10: list folds the repeats of one row, whatever their code, and tells foreign records as such")
    void repeatsAreOneRow() throws Exception {
        var records = new DeadRecords(1, 3);
        var originals = records.originals();
        records.setAside(originals.get(0), "warehouse", "22P02");
        records.setAside(originals.get(0), "warehouse", "23514");
        records.setAside(originals.get(0), "lake", "22P02");
        records.setAside(originals.get(2));
        records.setAside(originals.get(0), "warehouse", "22001");
        records.produce(new ProducerRecord<>(records.dead, bytes("k"), bytes("somebody's own")));
        records.produce(new ProducerRecord<>(
                records.dead,
                null,
                null,
                null,
                bytes("cut"),
                List.of(new RecordHeader(DeadLetterRecord.TOPIC, bytes("t")))));

        var read = desk(records).read();

        assertThat(read.where(DeadLetterWhere.all()))
                .extracting(row -> row.origin().offset() + " " + row.sink() + " " + row.code() + " " + row.repeats())
                .containsExactly("0 lake 22P02 0", "0 warehouse 22001 2", "2 warehouse 22P02 0");
        assertThat(read.foreignCount()).isEqualTo(2);
        assertThat(read.foreign()).hasSize(2).allMatch(at -> at.topic().equals(records.dead));
        assertThat(read.where(DeadLetterWhere.all()).getFirst()).satisfies(row -> {
            assertThat(row.origin().topic()).isEqualTo(records.source);
            assertThat(row.timestamp()).isEqualTo(originals.getFirst().timestamp());
            assertThat(row.pipeline()).isEqualTo("shop");
            assertThat(row.shard()).isEqualTo("s0");
            assertThat(row.attempts()).isEqualTo(2);
            assertThat(row.reason()).isEqualTo("invalid input syntax");
            assertThat(row.replayed()).isFalse();
        });
    }

    @Test
    @DisplayName("POI-10: the records of a topic that was made anew are no repeats of the old ones")
    void aTopicMadeAnewHasRowsOfItsOwn() throws Exception {
        var records = new DeadRecords(1, 1);
        records.setAside(records.originals().getFirst());
        SharedBroker.topics().delete(records.source);
        Await.until("it is gone", () -> !exists(records.source));
        SharedBroker.topics().create(records.source, 1);
        SharedBroker.topics().produce(List.of(new ProducerRecord<>(records.source, 0, 77L, null, bytes("{}"))));
        records.setAside(records.originals().getFirst());

        assertThat(desk(records).read().where(DeadLetterWhere.all()))
                .extracting(DeadRow::repeats)
                .containsExactly(0, 0);
    }

    private static boolean exists(String topic) {
        try (var admin = Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()))) {
            return admin.listTopics().names().get().contains(topic);
        } catch (Exception unknown) {
            throw new IllegalStateException(unknown);
        }
    }

    @Test
    @DisplayName("POI-10: show finds a row by where it was and any record by where it is")
    void oneRowIsFound() throws Exception {
        var records = new DeadRecords(1, 2);
        var original = records.originals().get(1);
        records.setAside(original, "warehouse", "22P02");
        records.setAside(original, "warehouse", "22001");
        records.setAside(original, "lake", "22P02");
        records.produce(new ProducerRecord<>(records.dead, bytes("k"), bytes("somebody's own")));

        var found = desk(records).find(new RecordPlace(records.source, 0, 1));
        assertThat(found)
                .extracting(one -> header(one, "millrace-sink") + " " + header(one, "millrace-code"))
                .containsExactlyInAnyOrder("warehouse 22001", "lake 22P02");
        assertThat(found).allSatisfy(one -> assertThat(one.value()).isEqualTo(original.value()));
        var foreign = records.letters().stream()
                .filter(one -> header(one, "millrace-sink").equals("none"))
                .findFirst()
                .orElseThrow();
        assertThat(desk(records).find(new RecordPlace(foreign.topic(), foreign.partition(), foreign.offset())))
                .singleElement()
                .satisfies(one -> assertThat(one.value()).isEqualTo(bytes("somebody's own")));
        assertThat(desk(records).find(new RecordPlace(records.source, 0, 0))).isEmpty();
    }

    @Test
    @DisplayName("POI-10: a replayed row is the original byte for byte, where it was, with its history and no more")
    void aReplayedRowIsTheOriginal() throws Exception {
        var records = new DeadRecords(3, 0);
        var own = List.<Header>of(
                new RecordHeader("trace", new byte[] {0, -1}),
                new RecordHeader("twin", bytes("a")),
                new RecordHeader("nothing", null),
                new RecordHeader("millrace-tenant", bytes("a user's own")),
                new RecordHeader("twin", bytes("b")));
        var time = all.nowMillis() - 1000;
        records.produce(new ProducerRecord<>(records.source, 2, time, new byte[] {7, 0}, new byte[] {1, -2}, own));
        records.produce(new ProducerRecord<>(records.source, 1, time + 1, null, null, List.of()));
        records.setAsideAll(records.originals());

        var done = new ArrayList<String>();
        var report = desk(records).replay(all, (rows, of) -> done.add(rows + "/" + of));

        assertThat(report.whole()).isTrue();
        assertThat(report.replayed()).isEqualTo(2);
        assertThat(done).containsExactly("2/2");
        for (var partition : new int[] {1, 2}) {
            var both = records.originals().stream()
                    .filter(one -> one.partition() == partition)
                    .toList();
            assertThat(both).as("back in its partition").hasSize(2);
            var first = both.getFirst();
            var again = last(both);
            assertThat(again.offset())
                    .as("a place of its own, so a token of its own")
                    .isEqualTo(1);
            assertThat(again.key()).isEqualTo(first.key());
            assertThat(again.value()).isEqualTo(first.value());
            assertThat(again.timestamp()).isEqualTo(first.timestamp());
            var kept = headers(again);
            assertThat(kept.subList(0, kept.size() - 2)).isEqualTo(headers(first));
            assertThat(header(again, "millrace-replays")).isEqualTo("1");
            assertThat(header(again, "millrace-history"))
                    .isEqualTo(records.source + "-" + partition + "@0 warehouse/s" + partition + " 22P02, replayed "
                            + Instant.ofEpochMilli(all.nowMillis()) + ": invalid input syntax");
        }
    }

    @Test
    @DisplayName("POI-10: what was replayed is marked in the topic, is not sent again, and is listed as replayed")
    void whatWasReplayedIsNotSentAgain() throws Exception {
        var records = new DeadRecords(1, 5);
        records.setAsideAll(records.originals());
        assertThat(replay(records, where("offset=1")).replayed()).isEqualTo(1);
        assertThat(desk(records).read().where(DeadLetterWhere.all()))
                .extracting(DeadRow::replayed)
                .containsExactly(false, true, false, false, false);

        var rest = replay(records, all);
        assertThat(rest.replayed()).isEqualTo(4);
        assertThat(rest.skipped()).isEqualTo(Map.of(Skip.REPLAYED, 1L));
        assertThat(rest.whole()).isTrue();
        assertThat(records.originals()).hasSize(10);

        var none = replay(records, all);
        assertThat(none.replayed()).isZero();
        assertThat(none.skipped()).isEqualTo(Map.of(Skip.REPLAYED, 5L));
        assertThat(records.originals()).hasSize(10);
        assertThat(replay(records, forced()).replayed()).isEqualTo(5);
        assertThat(records.originals()).hasSize(15);
    }

    @Test
    @DisplayName("POI-10: every condition of --where has to hold; one that asks for nothing known is refused")
    void onlyWhatIsMeantIsSent() throws Exception {
        var records = new DeadRecords(2, 40);
        for (var original : records.originals())
            records.setAside(original, "warehouse", original.offset() % 2 == 0 ? "22P02" : "23514");
        var partition = Integer.toString(records.originals().getFirst().partition());
        var meant = where(
                "reason=22P02",
                "partition=" + partition,
                "topic=" + records.source,
                "sink=warehouse",
                "shard=s" + partition,
                "pipeline=shop");
        var expected = records.originals().stream()
                .filter(one -> one.offset() % 2 == 0
                        && Integer.toString(one.partition()).equals(partition))
                .map(one -> new String(one.value(), StandardCharsets.UTF_8))
                .toList();

        assertThat(replay(records, meant).replayed()).isEqualTo(expected.size());

        assertThat(records.originals().stream()
                        .filter(one -> !header(one, "millrace-replays").equals("none"))
                        .map(one -> new String(one.value(), StandardCharsets.UTF_8)))
                .containsExactlyInAnyOrderElementsOf(expected);
        for (var miss : List.of("reason=x", "topic=x", "sink=x", "shard=x", "pipeline=x", "offset=99", "partition=9"))
            assertThat(replay(records, where(miss)).replayed()).as(miss).isZero();
        for (var wrong : List.of("colour=red", "reason", "=x", "reason="))
            assertThatThrownBy(() -> where(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("reason, topic, partition, offset, sink, shard, pipeline");
    }

    @Test
    @DisplayName("POI-10: a dry run sends nothing, neither row nor mark, and counts what would go")
    void aDryRunSendsNothing() throws Exception {
        var records = new DeadRecords(1, 4);
        records.setAsideAll(records.originals());
        var settings = new ReplaySettings(where("offset=2").where(), _ -> true, 3, false, 1, true, all.nowMillis());

        var report = replay(records, settings);

        assertThat(report.replayed()).isEqualTo(1);
        assertThat(records.originals()).hasSize(4);
        assertThat(records.letters()).hasSize(4);
    }

    @Test
    @DisplayName("POI-10: a rate leaves nothing out")
    void atARateAllGo() throws Exception {
        var records = new DeadRecords(1, 60);
        records.setAsideAll(records.originals());
        var settings = new ReplaySettings(DeadLetterWhere.all(), _ -> true, 3, false, 200, false, all.nowMillis());
        var done = new ArrayList<Long>();

        var report = desk(records).replay(settings, (rows, _) -> done.add(rows));

        assertThat(report.replayed()).isEqualTo(60);
        assertThat(done).containsExactly(20L, 40L, 60L);
        assertThat(records.originals()).hasSize(120);
    }

    @Test
    @DisplayName(
            "POI-10: a row that fails again keeps its history, bounded, and is refused when it was replayed enough")
    void noRowLoopsForEver() throws Exception {
        var records = new DeadRecords(1, 1);
        records.setAside(records.originals().getFirst());
        for (var round = 1; round <= 3; round++) {
            assertThat(replay(records, all).replayed()).as("round " + round).isEqualTo(1);
            var again = last(records.originals());
            assertThat(header(again, "millrace-replays")).isEqualTo(Integer.toString(round));
            assertThat(header(again, "millrace-history").split("\n", -1)).hasSize(round);
            // The sink still does not take it.
            records.setAside(again);
        }
        assertThat(desk(records).read().where(DeadLetterWhere.all()))
                .extracting(DeadRow::replays, DeadRow::replayed)
                .containsExactly(tuple(0, true), tuple(1, true), tuple(2, true), tuple(3, false));

        var refused = replay(records, all);
        assertThat(refused.replayed()).isZero();
        assertThat(refused.skipped()).isEqualTo(Map.of(Skip.REPLAYED, 3L, Skip.TOO_OFTEN, 1L));
        assertThat(records.originals()).hasSize(4);

        for (var round = 4; round <= 12; round++) {
            assertThat(replay(records, forced(where("offset=" + (round - 1)))).replayed())
                    .isEqualTo(1);
            records.setAside(last(records.originals()));
        }
        var history = header(last(records.originals()), "millrace-history");
        assertThat(history.split("\n", -1)).hasSize(ReplayRecord.HISTORY_LINES);
        assertThat(history).contains("-0@11 ").doesNotContain("-0@3 ");
        assertThat(bytes(history)).hasSizeLessThanOrEqualTo(ReplayRecord.HISTORY_BYTES);
    }

    private ReplaySettings forced(ReplaySettings settings) {
        return new ReplaySettings(settings.where(), _ -> true, 3, true, 0, false, settings.nowMillis());
    }

    @Test
    @Tag("POI-10")
    void aCountOfReplaysThatCannotBeReadCountsAsTooMany() throws Exception {
        var records = new DeadRecords(1, 0);
        records.produce(new ProducerRecord<>(
                records.source, 0, null, null, bytes("x"), List.of(new RecordHeader("millrace-replays", bytes("-1")))));
        records.setAside(records.originals().getFirst());
        assertThat(replay(records, all).skipped()).isEqualTo(Map.of(Skip.TOO_OFTEN, 1L));
    }

    @Test
    @DisplayName(
            "POI-10: never sent: foreign records, encoded rows, topics that the pipeline does not read or that are gone")
    void whatIsNoRowOfThisPipelineIsNeverSent() throws Exception {
        var records = new DeadRecords(1, 3);
        var other = new DeadRecords(1, 1);
        var gone = new DeadRecords(1, 1);
        records.setAside(records.originals().get(0));
        records.setAsideAsEncoded(records.originals().get(1));
        var theirs = new DeadLetterHeadersOf(records.dead);
        records.produce(theirs.letterOf(other.originals().getFirst()));
        records.produce(theirs.letterOf(gone.originals().getFirst()));
        records.produce(new ProducerRecord<>(records.dead, bytes("k"), bytes("somebody's own")));
        SharedBroker.topics().delete(gone.source);
        Await.until("it is gone", () -> !exists(gone.source));
        var reads = new ReplaySettings(
                DeadLetterWhere.all(),
                topic -> topic.equals(records.source) || topic.equals(gone.source),
                3,
                false,
                0,
                false,
                all.nowMillis());

        var report = replay(records, reads);

        assertThat(report.replayed()).isEqualTo(1);
        assertThat(report.skipped())
                .isEqualTo(Map.of(Skip.GONE, 1L, Skip.NOT_READ, 1L, Skip.NO_TOPIC, 1L, Skip.FOREIGN, 1L));
        assertThat(other.originals()).hasSize(1);
        assertThat(records.originals()).hasSize(4);
        assertThat(exists(gone.source)).as("sending makes no topic").isFalse();
    }

    /// Letters of records of other topics, in this topic.
    private record DeadLetterHeadersOf(String dead) {
        ProducerRecord<byte[], byte[]> letterOf(ConsumerRecord<byte[], byte[]> original) {
            return new ProducerRecord<>(
                    dead,
                    null,
                    null,
                    original.key(),
                    original.value(),
                    List.of(
                            new RecordHeader("millrace-topic", bytes(original.topic())),
                            new RecordHeader("millrace-partition", bytes("0")),
                            new RecordHeader("millrace-offset", bytes("0")),
                            new RecordHeader("millrace-sink", bytes("warehouse")),
                            new RecordHeader("millrace-code", bytes("22P02"))));
        }
    }

    @Test
    @DisplayName("POI-10: a record that two sinks set aside is sent once, and counts as replayed for both")
    void aRecordGoesOnceHoweverManySinksSetItAside() throws Exception {
        var records = new DeadRecords(1, 1);
        records.setAside(records.originals().getFirst(), "warehouse", "22P02");
        records.setAside(records.originals().getFirst(), "lake", "23514");

        var report = replay(records, all);

        assertThat(report.replayed()).isEqualTo(1);
        assertThat(report.skipped()).isEqualTo(Map.of(Skip.OTHER_SINK, 1L));
        assertThat(records.originals()).hasSize(2);
        assertThat(desk(records).read().where(DeadLetterWhere.all())).allMatch(DeadRow::replayed);
    }

    @Test
    @DisplayName(
            "POI-10: a record older than half of its topic's retention goes with the time of now, or it might be gone unread")
    void anOldRecordIsNotSentIntoItsRetention() throws Exception {
        var records = new DeadRecords(1, 0);
        var old = all.nowMillis() - Duration.ofDays(6).toMillis();
        records.produce(new ProducerRecord<>(records.source, 0, old, null, bytes("{}")));
        records.setAside(records.originals().getFirst());

        assertThat(replay(records, all).replayed()).isEqualTo(1);

        assertThat(last(records.originals()).timestamp()).isGreaterThanOrEqualTo(all.nowMillis() - 1000);
    }

    @Test
    @DisplayName("POI-10: a row that its topic refuses fails alone, is told without its payload, and is not marked")
    void whatIsRefusedFailsAlone() throws Exception {
        var records = new DeadRecords(1, 0);
        for (var size : new int[] {10, 50_000, 10})
            records.produce(
                    new ProducerRecord<>(records.source, 0, null, null, bytes("{\"secret\":777" + digits(size) + "}")));
        records.setAsideAll(records.originals());
        alter(records.source, "max.message.bytes", "2000");

        var report = replay(records, all);

        assertThat(report.replayed() + " " + report.failed() + " " + report.untried())
                .isEqualTo("2 1 0");
        assertThat(report.whole()).isFalse();
        assertThat(report.failures())
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith(records.source + "-0@1 RecordTooLargeException")
                        .doesNotContain("777"));
        assertThat(desk(records).read().where(DeadLetterWhere.all()))
                .extracting(DeadRow::replayed)
                .containsExactly(true, false, true);
    }

    // The producer compresses: what repeats itself would fit.
    private static String digits(int length) {
        return new Random(1).ints(length, 0, 10).mapToObj(Integer::toString).collect(Collectors.joining());
    }

    private static void alter(String topic, String name, String value) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()))) {
            var op = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
            var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
            admin.incrementalAlterConfigs(Map.of(resource, List.of(op))).all().get();
        }
    }

    @Test
    @Tag("POI-10")
    void aStopEndsItAfterTheRoundThatIsOnItsWay() throws Exception {
        var records = new DeadRecords(1, 30);
        records.setAsideAll(records.originals());
        var stopped = new AtomicBoolean();
        var settings = new ReplaySettings(DeadLetterWhere.all(), _ -> true, 3, false, 100, false, all.nowMillis());

        var report = desk(records.dead, stopped).replay(settings, (_, _) -> stopped.set(true));

        assertThat(report.replayed()).isEqualTo(10);
        assertThat(report.untried()).isEqualTo(20);
        assertThat(report.stopped()).isEqualTo("stopped");
        assertThat(replay(records, all).replayed())
                .as("what is left goes next time")
                .isEqualTo(20);
        assertThat(records.originals()).hasSize(60);
    }

    @Test
    @Tag("POI-10")
    void moreThanOneRoundOfRowsGoes() throws Exception {
        var records = new DeadRecords(2, 1200);
        records.setAsideAll(records.originals());

        var report = replay(records, all);

        assertThat(report.replayed()).isEqualTo(1200);
        assertThat(records.originals()).hasSize(2400);
        assertThat(replay(records, all).replayed()).isZero();
    }

    @Test
    @Tag("POI-10")
    void aTopicThatIsNotThereIsToldWithTheRemedy() {
        assertThatThrownBy(() -> desk("nobody-made-this", new AtomicBoolean()).read())
                .isInstanceOfSatisfying(
                        StartRefused.class,
                        refused -> assertThat(refused.exitCode()).isEqualTo(2))
                .hasMessageContaining("nobody-made-this")
                .hasMessageContaining("poison.topic");
    }
}
