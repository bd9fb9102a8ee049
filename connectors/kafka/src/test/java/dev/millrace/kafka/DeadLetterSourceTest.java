package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
import dev.millrace.kafka.KafkaSourceSettings.OnPoison;
import dev.millrace.kafka.KafkaSourceSettings.Values;
import dev.millrace.lab.Topics;
import dev.millrace.sinkpool.MemoryIntake;
import dev.millrace.sinkpool.NanoClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// A source and its dead-letter topic, on one real broker.
final class DeadLetterSourceTest {
    private static final Topics TOPICS = SharedBroker.topics();

    private static KafkaSourceSettings settings(String topic) {
        var values = new Values(ValueFormat.Kind.JSON, ValueFormat.OnTombstone.DEAD_LETTER, OnPoison.DEAD_LETTER);
        return Rig.settings(GroupProtocol.CLASSIC, topic, topic).values(values);
    }

    private static DeadLetterTopic letters(String topic) throws StartRefused {
        var letters = new DeadLetterTopic(topic + ".dead", "shop", settings(topic), NanoClock.SYSTEM);
        assertThat(letters.start(() -> false, fault -> {
                    throw new AssertionError("it died", fault);
                }))
                .isTrue();
        return letters;
    }

    private static Rig rig(String topic, DeadLetterTopic letters) throws StartRefused {
        var rig = new Rig(settings(topic), List.of(Bench.sink(1)), new MemoryIntake(), NanoClock.SYSTEM, letters);
        rig.source.start();
        return rig;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        var header = record.headers().lastHeader(name);
        return header == null ? "none" : new String(header.value(), StandardCharsets.UTF_8);
    }

    private static List<Header> others(ConsumerRecord<byte[], byte[]> record) {
        return StreamSupport.stream(record.headers().spliterator(), false)
                .filter(header -> !header.key().startsWith("millrace-"))
                .toList();
    }

    @Test
    @DisplayName(
            "CASE-20, POI-8: bytes that are no JSON are set aside as they are, and everything behind them flows on")
    void oneBadRowHaltsNothing() throws Exception {
        var topic = SharedBroker.fresh("case-20");
        TOPICS.create(topic, 1);
        byte[] noJson = {0x7B, 0x22, (byte) 0xFF};
        byte[] noSchema = {0, 0, 0, 0, 9, 1, 2, 3};
        List<Header> headers = List.of(new RecordHeader("trace", noJson), new RecordHeader("trace", null));
        var records = new ArrayList<ProducerRecord<byte[], byte[]>>(Topics.records(topic, 1, 0, 50));
        records.add(new ProducerRecord<>(topic, 0, 1_700_000_000_000L, bytes("k"), noJson, headers));
        records.addAll(Topics.records(topic, 1, 50, 50));
        records.add(new ProducerRecord<>(topic, 0, null, noSchema));
        records.add(new ProducerRecord<>(topic, 0, bytes("tomb"), null));
        records.addAll(Topics.records(topic, 1, 100, 50));
        TOPICS.produce(records);
        try (var letters = letters(topic);
                var rig = rig(topic, letters)) {
            rig.awaitRows(150);
            rig.awaitLagZero(1);
            rig.drain();
            assertThat(TOPICS.committed(topic)).isEqualTo(TOPICS.endOffsets(topic));
            assertThat(rig.handles.count()).isZero();
            var view = rig.source.view().partitions().getFirst();
            assertThat(view.polled()).isEqualTo(153);
            assertThat(view.sinks().getFirst().deadLettered()).isEqualTo(3);
            assertThat(view.sinks().getFirst().tally().written()).isEqualTo(150);
        }
        var all = TOPICS.readAll(topic + ".dead");
        assertThat(all).hasSize(3);
        var first = of(all, 50);
        assertThat(first.value()).isEqualTo(noJson);
        assertThat(first.key()).isEqualTo(bytes("k"));
        assertThat(first.timestamp()).isEqualTo(1_700_000_000_000L);
        assertThat(others(first)).isEqualTo(headers);
        assertThat(header(first, "millrace-shard")).as("no shard has seen it").isEqualTo("none");
        assertThat(header(first, "millrace-code")).isNotEqualTo("none");
        assertThat(of(all, 101).value()).isEqualTo(noSchema);
        assertThat(of(all, 102).value()).isNull();
        assertThat(header(of(all, 102), "millrace-code")).isEqualTo("tombstone");
    }

    @Test
    @DisplayName("INPUT-20, POI-14: ten thousand headers, one of a megabyte, twins, nulls and no text: each is kept")
    void whateverTheHeadersAreTheyAreKept() throws Exception {
        var topic = SharedBroker.fresh("headers");
        TOPICS.create(topic, 1, Map.of("max.message.bytes", "4000000"));
        var megabyte = new byte[1 << 20];
        new Random(2).nextBytes(megabyte);
        List<Header> many = new ArrayList<>();
        for (var i = 0; i < 10_000; i++) many.add(new RecordHeader("h" + i % 100, bytes("v" + i)));
        List<Header> odd = List.of(
                new RecordHeader("wide", megabyte),
                new RecordHeader("no text", new byte[] {(byte) 0xC3, 0x28, (byte) 0xFF}),
                new RecordHeader("twin", null),
                new RecordHeader("twin", new byte[0]),
                new RecordHeader("twin", null));
        var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (var headers : List.of(many, odd)) {
            records.add(new ProducerRecord<>(topic, 0, null, null, bytes("{\"n\":1}"), headers));
            records.add(new ProducerRecord<>(topic, 0, null, null, bytes("{"), headers));
            records.add(new ProducerRecord<>(topic, 0, null, bytes("k"), null, headers));
        }
        LargeRecords.produce(records, 4_000_000);
        try (var letters = letters(topic);
                var rig = rig(topic, letters)) {
            rig.awaitRows(2);
            rig.awaitLagZero(1);
            rig.drain();
            assertThat(TOPICS.committed(topic)).isEqualTo(TOPICS.endOffsets(topic));
        }
        var originals = TOPICS.readAll(topic);
        var all = TOPICS.readAll(topic + ".dead");
        assertThat(all).hasSize(4);
        for (var offset : new int[] {1, 2, 4, 5}) {
            var letter = of(all, offset);
            assertThat(letter.key()).isEqualTo(originals.get(offset).key());
            assertThat(letter.value()).isEqualTo(originals.get(offset).value());
            assertThat(others(letter)).isEqualTo(others(originals.get(offset)));
        }
    }

    private static ConsumerRecord<byte[], byte[]> of(List<ConsumerRecord<byte[], byte[]>> all, int offset) {
        return all.stream()
                .filter(one -> header(one, "millrace-offset").equals(Integer.toString(offset)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("CASE-18, POI-9: a letter that is not taken holds its own partition's offset, and nobody else's")
    void nothingIsCommittedOverALetterThatIsNotTaken() throws Exception {
        var topic = SharedBroker.fresh("case-18");
        TOPICS.create(topic, 2);
        TOPICS.create(topic + ".dead", 1, Map.of("max.message.bytes", "20000"));
        var noise = new byte[100_000];
        new Random(1).nextBytes(noise);
        var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (var i = 0; i < 200; i++) {
            records.add(new ProducerRecord<>(topic, 0, null, i == 100 ? noise : bytes("{\"n\":" + i + "}")));
            records.add(new ProducerRecord<>(topic, 1, null, bytes(i % 50 == 7 ? "{" : "{\"n\":" + i + "}")));
        }
        TOPICS.produce(records);
        var held = new TopicPartition(topic, 0);
        var free = new TopicPartition(topic, 1);
        try (var log = new LogEar("dead_letter_failed");
                var letters = letters(topic);
                var rig = rig(topic, letters)) {
            rig.awaitRows(199 + 196);
            Await.until(() -> "the other is committed: " + rig.committed(1), () -> rig.committed(1) == 200);
            Await.until("told", () -> log.count() > 0);
            assertThat(letters.acknowledged()).isEqualTo(4);
            assertThat(rig.blockedBy(0))
                    .startsWith("the dead letter of offset 100: RecordTooLargeException: dead-letter topic " + topic
                            + ".dead: ")
                    .endsWith("raise its max.message.bytes");
            assertThat(rig.blockedBy(1)).isNull();
            assertThat(TOPICS.committed(topic).getOrDefault(held, 0L)).isLessThanOrEqualTo(100);
            assertThat(TOPICS.committed(topic)).containsEntry(free, 200L);
            try (var admin = Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()))) {
                var op = new AlterConfigOp(new ConfigEntry("max.message.bytes", "200000"), AlterConfigOp.OpType.SET);
                admin.incrementalAlterConfigs(
                                Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic + ".dead"), List.of(op)))
                        .all()
                        .get();
            }
            Await.until(() -> "all is committed: " + rig.committed(0), () -> rig.committed(0) == 200);
            Await.until(() -> "not blocked: " + rig.blockedBy(0), () -> rig.blockedBy(0) == null);
            rig.drain();
        }
        assertThat(TOPICS.readAll(topic + ".dead"))
                .hasSize(5)
                .anySatisfy(letter -> assertThat(letter.value()).isEqualTo(noise));
    }

    @Test
    @DisplayName(
            "CASE-18: a process that ends before its letter is taken commits nothing over it, and the next sends it")
    void whatIsNotAcknowledgedReplays() throws Exception {
        var topic = SharedBroker.fresh("replay");
        TOPICS.create(topic, 1);
        TOPICS.produce(List.of(
                new ProducerRecord<>(topic, 0, null, bytes("{\"n\":0}")),
                new ProducerRecord<>(topic, 0, null, bytes("{")),
                new ProducerRecord<>(topic, 0, null, bytes("{\"n\":2}"))));
        var never = new DeadLetterTopic(topic + ".dead", "shop", settings(topic), NanoClock.SYSTEM);
        try (never;
                var rig = rig(topic, never)) {
            rig.awaitRows(2);
            Await.until("its letter waits", () -> never.waiting() == 1);
            rig.drain();
            never.close();
            var sink = rig.source.view().partitions().getFirst().sinks().getFirst();
            assertThat(sink.lettersLeft()).isEqualTo(1);
            assertThat(rig.handles.count()).isZero();
        }
        assertThat(TOPICS.committed(topic).getOrDefault(new TopicPartition(topic, 0), 0L))
                .isLessThanOrEqualTo(1);
        try (var letters = letters(topic);
                var rig = rig(topic, letters)) {
            rig.awaitLagZero(1);
            rig.drain();
        }
        assertThat(TOPICS.readAll(topic + ".dead")).hasSize(1);
        assertThat(TOPICS.committed(topic)).isEqualTo(TOPICS.endOffsets(topic));
    }
}
