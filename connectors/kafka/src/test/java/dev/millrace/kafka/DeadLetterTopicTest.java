package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.kafka.Letters.Ear;
import dev.millrace.lab.Topics;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class DeadLetterTopicTest {
    private static final Topics TOPICS = SharedBroker.topics();
    private static final long MS = 1_000_000L;

    private static KafkaSourceSettings settings() {
        return KafkaSourceSettings.of(SharedBroker.bootstrap(), new Subscription.Named(List.of("orders")), "group")
                .startupTimeoutNanos(40_000 * MS);
    }

    private static DeadLetterTopic open(String topic) {
        return open(topic, NanoClock.SYSTEM);
    }

    private static DeadLetterTopic open(String topic, NanoClock clock) {
        return new DeadLetterTopic(topic, "shop", settings(), clock);
    }

    private static DeadLetterTopic started(String topic) throws StartRefused {
        return started(topic, NanoClock.SYSTEM);
    }

    private static DeadLetterTopic started(String topic, NanoClock clock) throws StartRefused {
        var letters = open(topic, clock);
        assertThat(letters.start(() -> false, fault -> {
                    throw new AssertionError("it died", fault);
                }))
                .isTrue();
        return letters;
    }

    private static StartRefused refused(DeadLetterTopic letters) {
        try (letters) {
            letters.start(() -> false, _ -> {});
            throw new AssertionError("it started");
        } catch (StartRefused refused) {
            return refused;
        }
    }

    private static void await(Ear ear) {
        Await.until(() -> "acknowledged: " + ear.heard(), ear::acked);
    }

    private static void await(Collection<Ear> ears) {
        Await.until(
                () -> "acknowledged: " + ears.stream().filter(Ear::acked).count() + " of " + ears.size(),
                () -> ears.stream().allMatch(Ear::acked));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] noise(int seed, int length) {
        var noise = new byte[length];
        new Random(seed).nextBytes(noise);
        return noise;
    }

    private static List<Header> ours(ConsumerRecord<byte[], byte[]> record) {
        return StreamSupport.stream(record.headers().spliterator(), false)
                .filter(header -> header.key().startsWith("millrace-"))
                .toList();
    }

    private static List<String> others(Iterable<Header> headers) {
        return StreamSupport.stream(headers.spliterator(), false)
                .filter(header -> !header.key().startsWith("millrace-"))
                .map(header -> header.key() + "=" + Arrays.toString(header.value()))
                .toList();
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        var header = record.headers().lastHeader(name);
        return header == null ? "none" : new String(header.value(), StandardCharsets.UTF_8);
    }

    private static ConsumerRecord<byte[], byte[]> only(String topic) {
        var all = TOPICS.readAll(topic);
        assertThat(all).hasSize(1);
        return all.getFirst();
    }

    private static void alter(String topic, String name, String value) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()))) {
            var op = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), List.of(op)))
                    .all()
                    .get(20, TimeUnit.SECONDS);
        }
    }

    private static Map<String, String> config(String topic) throws Exception {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try (var admin = Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()))) {
            var config = Objects.requireNonNull(
                    admin.describeConfigs(List.of(resource)).all().get().get(resource));
            var out = new java.util.HashMap<String, String>();
            config.entries().forEach(entry -> out.put(entry.name(), entry.value()));
            return out;
        }
    }

    @Test
    @Tag("POI-5")
    @DisplayName("POI-14: key, value, timestamp and every header are kept byte for byte, in order, twins and nulls too")
    void everyByteIsKept() throws Exception {
        var source = SharedBroker.fresh("orders");
        var dead = source + ".dead";
        TOPICS.create(source, 1);
        List<Header> headers = List.of(
                new RecordHeader("trace", noise(1, 16)),
                new RecordHeader("twin", bytes("first")),
                new RecordHeader("nothing", null),
                new RecordHeader("twin", bytes("second")),
                new RecordHeader("empty", new byte[0]),
                new RecordHeader("", bytes("no name")),
                new RecordHeader("millrace-tenant", bytes("a user's own")),
                new RecordHeader("twin", bytes("first")),
                new RecordHeader("wide", noise(2, 100_000)));
        TOPICS.produce(List.of(
                new ProducerRecord<>(source, 0, 1_234_567_890_123L, noise(3, 40), noise(4, 5_000), headers),
                new ProducerRecord<>(source, 0, 7L, null, bytes("no key"), List.of()),
                new ProducerRecord<>(source, 0, 8L, new byte[0], null, List.of())));
        try (var letters = started(dead)) {
            await(IntStream.range(0, 3)
                    .mapToObj(n -> Letters.send(letters, Letters.of(source, 0, n)))
                    .toList());
            assertThat(letters.acknowledged()).isEqualTo(3);
            assertThat(letters.gone()).isZero();
            assertThat(letters.waiting()).isZero();
        }
        var all = TOPICS.readAll(dead);
        assertThat(all).hasSize(3);
        var originals = TOPICS.readAll(source);
        for (var letter : all) {
            var original = originals.get(Integer.parseInt(header(letter, "millrace-offset")));
            assertThat(letter.key()).isEqualTo(original.key());
            assertThat(letter.value()).isEqualTo(original.value());
            assertThat(letter.timestamp()).isEqualTo(original.timestamp());
            assertThat(others(letter.headers())).isEqualTo(others(original.headers()));
            assertThat(header(letter, "millrace-timestamp")).isEqualTo(Long.toString(original.timestamp()));
            assertThat(header(letter, "millrace-topic")).isEqualTo(source);
            assertThat(header(letter, "millrace-partition")).isEqualTo("0");
            assertThat(header(letter, "millrace-pipeline")).isEqualTo("shop");
            assertThat(header(letter, "millrace-sink")).isEqualTo("orders_db");
            assertThat(header(letter, "millrace-shard")).isEqualTo("blue");
            assertThat(header(letter, "millrace-token")).isEqualTo("token-1");
            assertThat(header(letter, "millrace-code")).isEqualTo("22P02");
            assertThat(header(letter, "millrace-reason")).isEqualTo("it is 7");
            assertThat(header(letter, "millrace-attempts")).isEqualTo("2");
            assertThat(header(letter, "millrace-original")).isEqualTo("none");
        }
        assertThat(all)
                .anySatisfy(letter -> assertThat(header(letter, "millrace-tenant"))
                        .as("a header that is not one of ours")
                        .isEqualTo("a user's own"));
    }

    @Test
    @DisplayName("POI-14: when a row fails again its headers are replaced, not appended, and the reason is bounded")
    void whatFailsAgainGrowsNoHeaders() throws Exception {
        var source = SharedBroker.fresh("again");
        var dead = source + ".dead";
        TOPICS.create(source, 1);
        TOPICS.produce(List.of(
                new ProducerRecord<>(source, 0, 5L, null, bytes("x"), List.of(new RecordHeader("trace", bytes("t"))))));
        try (var letters = started(dead)) {
            await(Letters.send(letters, Letters.of(source, 0, 0, "ä".repeat(10_000))));
            var first = only(dead);
            var replayed = new ArrayList<Header>(Arrays.asList(first.headers().toArray()));
            replayed.add(new RecordHeader("millrace-replays", bytes("3")));
            TOPICS.produce(
                    List.of(new ProducerRecord<>(source, 0, first.timestamp(), first.key(), first.value(), replayed)));
            await(Letters.send(letters, Letters.of(source, 0, 1, "another")));
            var both = TOPICS.readAll(dead);
            assertThat(header(first, "millrace-reason").getBytes(StandardCharsets.UTF_8))
                    .hasSizeBetween(1000, 1024);
            var second = both.stream()
                    .filter(one -> header(one, "millrace-offset").equals("1"))
                    .findFirst()
                    .orElseThrow();
            assertThat(ours(second).stream().map(Header::key)).doesNotHaveDuplicates();
            assertThat(header(second, "millrace-reason")).isEqualTo("another");
            assertThat(header(second, "millrace-replays")).isEqualTo("3");
            assertThat(others(second.headers())).hasSize(1);
            assertThat(ours(second)).hasSize(ours(first).size() + 1);
        }
    }

    @Test
    @DisplayName("POI-5: where the original is gone, the encoded row goes out, and says so, also when it fails again")
    void whatIsGoneGoesOutAsItWasEncoded() throws Exception {
        var source = SharedBroker.fresh("gone");
        var dead = source + ".dead";
        TOPICS.create(source, 1);
        TOPICS.produce(source, 1, 20);
        try (var admin = Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()));
                var letters = started(dead)) {
            admin.deleteRecords(Map.of(new TopicPartition(source, 0), RecordsToDelete.beforeOffset(10)))
                    .all()
                    .get();
            var ears = IntStream.of(3, 4, 9, 10, 19, 25)
                    .mapToObj(n -> Letters.send(letters, Letters.of(source, 0, n)))
                    .toList();
            await(ears);
            assertThat(letters.gone())
                    .as("3 below the log's start, 1 past its end")
                    .isEqualTo(4);
            for (var letter : TOPICS.readAll(dead)) {
                var offset = Long.parseLong(header(letter, "millrace-offset"));
                var gone = offset < 10 || offset > 19;
                assertThat(header(letter, "millrace-original")).isEqualTo(gone ? "gone" : "none");
                if (!gone) continue;
                assertThat(letter.value()).isEqualTo(bytes("row " + offset));
                assertThat(letter.key()).isNull();
            }
            var gone = TOPICS.readAll(dead).stream()
                    .filter(one -> header(one, "millrace-offset").equals("3"))
                    .findFirst()
                    .orElseThrow();
            TOPICS.produce(List.of(new ProducerRecord<>(source, 0, 1L, null, gone.value(), gone.headers())));
            await(Letters.send(letters, Letters.of(source, 0, 20)));
            assertThat(TOPICS.readAll(dead)).anySatisfy(letter -> {
                assertThat(header(letter, "millrace-offset")).isEqualTo("20");
                assertThat(header(letter, "millrace-original")).isEqualTo("gone");
            });
        }
    }

    @Test
    @DisplayName("POI-5: a hole is known as one, between records and at the end of the log")
    void holesAreGone() throws Exception {
        var source = SharedBroker.fresh("holes");
        var dead = source + ".dead";
        TOPICS.create(source, 1);
        TOPICS.produceCommitted(Topics.records(source, 1, 0, 2));
        TOPICS.produceCommitted(Topics.records(source, 1, 2, 2));
        // Offsets 2 and 5 are markers, which no reader ever sees.
        try (var letters = started(dead)) {
            await(IntStream.range(0, 6)
                    .mapToObj(n -> Letters.send(letters, Letters.of(source, 0, n)))
                    .toList());
            assertThat(letters.gone()).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("POI-9: a letter too large for the topic waits alone, and goes when the topic takes it")
    void aLetterThatIsTooLargeHoldsUpNoOther() throws Exception {
        var source = SharedBroker.fresh("wide");
        var dead = source + ".dead";
        TOPICS.create(source, 2);
        TOPICS.create(dead, 1, Map.of("max.message.bytes", "20000"));
        var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
        records.add(new ProducerRecord<>(source, 0, null, noise(1, 100_000)));
        for (var i = 0; i < 40; i++) records.add(new ProducerRecord<>(source, 1, null, bytes("small " + i)));
        TOPICS.produce(records);
        try (var letters = started(dead)) {
            var wide = Letters.send(letters, Letters.of(source, 0, 0));
            Await.until("told", () -> !wide.heard().isEmpty());
            await(IntStream.range(0, 40)
                    .mapToObj(n -> Letters.send(letters, Letters.of(source, 1, n)))
                    .toList());
            assertThat(wide.heard()).containsOnly("RecordTooLargeException");
            assertThat(letters.waiting()).isEqualTo(1);
            alter(dead, "max.message.bytes", "200000");
            await(wide);
        }
        assertThat(TOPICS.readAll(dead)).hasSize(41);
    }

    @Test
    @DisplayName("POI-9: a record that fits its own topic only as it was compressed fits the dead-letter topic too")
    void whatWasCompressedFits() throws Exception {
        var source = SharedBroker.fresh("packed");
        var dead = source + ".dead";
        TOPICS.create(source, 1, Map.of("max.message.bytes", "16777216"));
        TOPICS.produce(List.of(new ProducerRecord<>(source, 0, null, new byte[900_000])));
        TOPICS.create(dead, 1, Map.of("max.message.bytes", "100000"));
        try (var letters = started(dead)) {
            await(Letters.send(letters, Letters.of(source, 0, 0)));
        }
        assertThat(only(dead).value()).isEqualTo(new byte[900_000]);
    }

    @Test
    @DisplayName("POI-9: a timestamp that the topic does not take is left to the header")
    void aTimestampThatIsNotTakenIsInTheHeader() throws Exception {
        var source = SharedBroker.fresh("future");
        var dead = source + ".dead";
        TOPICS.create(source, 1, Map.of("message.timestamp.after.max.ms", "9223372036854775807"));
        TOPICS.create(dead, 1);
        var future = System.currentTimeMillis() + 400L * 24 * 3_600_000;
        TOPICS.produce(List.of(new ProducerRecord<>(source, 0, future, null, bytes("x"))));
        try (var letters = started(dead)) {
            await(Letters.send(letters, Letters.of(source, 0, 0)));
        }
        assertThat(only(dead).timestamp()).isLessThan(future);
        assertThat(header(only(dead), "millrace-timestamp")).isEqualTo(Long.toString(future));
    }

    @Test
    @DisplayName("POI-9: several timestamps in one request that the topic does not take hold up no letter")
    void severalTimestampsThatAreNotTakenHoldUpNothing() throws Exception {
        var source = SharedBroker.fresh("futures");
        var dead = source + ".dead";
        TOPICS.create(source, 1, Map.of("message.timestamp.after.max.ms", "9223372036854775807"));
        TOPICS.create(dead, 1);
        var now = System.currentTimeMillis();
        var future = now + 400L * 24 * 3_600_000;
        var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (var i = 0; i < 20; i++)
            records.add(new ProducerRecord<>(source, 0, i % 4 == 0 ? now : future + i, null, bytes("x" + i)));
        TOPICS.produce(records);
        try (var letters = started(dead)) {
            var ears = new ArrayList<Ear>();
            for (var i = 0; i < 20; i++) ears.add(Letters.send(letters, Letters.of(source, 0, i)));
            await(ears);
        }
        for (var letter : TOPICS.readAll(dead)) {
            assertThat(letter.timestamp()).isLessThan(future);
            var of = Integer.parseInt(header(letter, "millrace-offset"));
            assertThat(header(letter, "millrace-timestamp")).isEqualTo(Long.toString(of % 4 == 0 ? now : future + of));
        }
    }

    @Test
    @DisplayName("POI-9: a record that cannot be read again holds up no letter of another partition")
    void anUnreadableOriginalHoldsUpNoOther() throws Exception {
        var source = SharedBroker.fresh("readable");
        var dead = source + ".dead";
        TOPICS.create(source, 1);
        TOPICS.produce(source, 1, 30);
        var clock = new HeldClock();
        try (var letters = started(dead, clock)) {
            // While the clock stands nobody's patience ends.
            clock.hold();
            var unreadable = IntStream.range(0, 20)
                    .mapToObj(n -> Letters.send(letters, Letters.of("nowhere", n, n)))
                    .toList();
            await(IntStream.range(0, 30)
                    .mapToObj(n -> Letters.send(letters, Letters.of(source, 0, n)))
                    .toList());
            assertThat(unreadable).allSatisfy(ear -> assertThat(ear.heard()).isEmpty());
            Await.until("its own patience ends", () -> {
                clock.pass(1_000 * MS);
                return unreadable.stream().noneMatch(ear -> ear.heard().isEmpty());
            });
            assertThat(unreadable).noneMatch(Ear::acked);
        }
    }

    @Test
    @DisplayName("POI-5: letters in any order, of many offsets of a partition, each find their own record")
    void eachFindsItsOwn() throws Exception {
        var source = SharedBroker.fresh("many");
        var dead = source + ".dead";
        TOPICS.create(source, 3);
        TOPICS.produce(source, 1, 6_000);
        var originals = TOPICS.readAll(source);
        var mixed = new ArrayList<>(originals);
        java.util.Collections.shuffle(mixed, new Random(7));
        try (var letters = started(dead)) {
            await(mixed.subList(0, 2_000).stream()
                    .map(one -> Letters.send(letters, Letters.of(source, one.partition(), one.offset())))
                    .toList());
        }
        var byPlace = new java.util.HashMap<String, byte[]>();
        for (var one : originals) byPlace.put(one.partition() + "@" + one.offset(), one.value());
        var all = TOPICS.readAll(dead);
        assertThat(all).hasSize(2_000);
        for (var one : all)
            assertThat(one.value())
                    .isEqualTo(byPlace.get(header(one, "millrace-partition") + "@" + header(one, "millrace-offset")));
    }

    @Test
    @DisplayName("POI-5: a close in the middle ends each letter once, and what was told as acknowledged is there")
    void aCloseAbandonsTheRestOnce() throws Exception {
        var source = SharedBroker.fresh("closed");
        var dead = source + ".dead";
        TOPICS.create(source, 2);
        TOPICS.produce(source, 1, 4_000);
        var originals = TOPICS.readAll(source);
        var ears = new ArrayList<Ear>();
        var letters = started(dead);
        try (letters) {
            for (var one : originals) {
                ears.add(Letters.send(letters, Letters.of(source, one.partition(), one.offset())));
                if (ears.size() == 1000) await(ears.getFirst());
            }
        }
        ears.add(Letters.send(letters, Letters.of(source, 0, 0)));
        assertThat(ears).allSatisfy(ear -> assertThat(ear.heard()).hasSize(1).isSubsetOf("acknowledged", "abandoned"));
        var acked = ears.stream().filter(Ear::acked).count();
        assertThat(acked).isPositive().isEqualTo(letters.acknowledged());
        assertThat(ears.getLast().heard()).containsExactly("abandoned");
        assertThat(TOPICS.readAll(dead).size()).isGreaterThanOrEqualTo((int) acked);
        assertThat(letters.waiting()).isZero();
        assertThat(letters.awaitAcknowledged(System.nanoTime())).isTrue();
    }

    @Test
    @DisplayName("POI-5: who waits for a letter was told before the wait for all of them ends")
    void theWaitEndsAfterTheWord() throws Exception {
        var source = SharedBroker.fresh("wait");
        TOPICS.create(source, 1);
        TOPICS.produce(source, 1, 200);
        try (var letters = started(source + ".dead")) {
            for (var n = 0; n < 200; n++) {
                var ear = Letters.send(letters, Letters.of(source, 0, n));
                assertThat(letters.awaitAcknowledged(System.nanoTime() + 40_000 * MS))
                        .isTrue();
                assertThat(ear.acked()).isTrue();
            }
        }
    }

    @Test
    @DisplayName("DRN-10: a fault while letters are told is told itself, and ends the wait for them")
    void aFaultIsTold() throws Exception {
        var source = SharedBroker.fresh("fault");
        TOPICS.create(source, 1);
        TOPICS.produce(source, 1, 1);
        var died = new CompletableFuture<Throwable>();
        try (var letters = open(source + ".dead")) {
            letters.start(() -> false, died::complete);
            letters.send(Letters.of(source, 0, 0), new DeadLetters.Done() {
                @Override
                public void acknowledged() {
                    throw new StackOverflowError("a bug");
                }

                @Override
                public void failed(Failure why) {}

                @Override
                public void abandoned() {}
            });
            assertThat(died.get(40, TimeUnit.SECONDS)).isInstanceOf(StackOverflowError.class);
            assertThat(letters.awaitAcknowledged(System.nanoTime() + 40_000 * MS))
                    .isFalse();
        }
    }

    @Test
    @DisplayName("POI-5: a topic that is missing is made, and keeps what it gets")
    void aMissingTopicIsMade() throws Exception {
        var dead = SharedBroker.fresh("made");
        try (var _ = started(dead);
                var _ = started(dead)) {
            assertThat(config(dead))
                    .containsEntry("retention.ms", "-1")
                    .containsEntry("retention.bytes", "-1")
                    .containsEntry("cleanup.policy", "delete");
        }
    }

    @Test
    @DisplayName(
            "CASE-24: a topic that is made takes records as large as its sources do; one that takes less is told of")
    void itTakesWhatItsSourcesTake() throws Exception {
        var large = SharedBroker.fresh("large");
        var small = SharedBroker.fresh("small");
        TOPICS.create(large, 1, Map.of("max.message.bytes", "5000000"));
        TOPICS.create(small, 1, Map.of("max.message.bytes", "1000"));
        var settings = KafkaSourceSettings.of(
                        SharedBroker.bootstrap(), new Subscription.Named(List.of(small, large, "absent")), "group")
                .startupTimeoutNanos(40_000 * MS);
        var made = SharedBroker.fresh("made");
        try (var letters = new DeadLetterTopic(made, "shop", settings, NanoClock.SYSTEM);
                var log = new LogEar("dead_letter_topic_narrow")) {
            assertThat(letters.start(() -> false, _ -> {})).isTrue();
            assertThat(config(made)).containsEntry("max.message.bytes", Integer.toString(5_000_000 + 8192));
            assertThat(log.count()).isZero();
        }
        var narrow = SharedBroker.fresh("narrow");
        TOPICS.create(narrow, 1);
        try (var letters = new DeadLetterTopic(narrow, "shop", settings, NanoClock.SYSTEM);
                var log = new LogEar("dead_letter_topic_narrow")) {
            assertThat(letters.start(() -> false, _ -> {})).isTrue();
            assertThat(log.count()).isEqualTo(1);
        }
    }

    @Test
    @Tag("CFG-10")
    void aCompactedTopicIsRefused() {
        var dead = SharedBroker.fresh("compacted");
        TOPICS.create(dead, 1, Map.of("cleanup.policy", "compact"));
        var refusal = refused(open(dead));
        assertThat(refusal.exitCode()).isEqualTo(2);
        assertThat(refusal).hasMessageContainingAll(dead, "cleanup.policy");
    }

    @Test
    @Tag("CFG-10")
    void aTopicThatCannotBeMadeIsRefusedWithTheRemedy() {
        var refusal = refused(open("not a name"));
        assertThat(refusal.exitCode()).isEqualTo(2);
        assertThat(refusal).hasMessageContainingAll("poison.topic", "create it", "skip or stop");
    }

    @Test
    @Tag("CFG-10")
    void aBrokerThatIsNotReachedIsExitCodeFive() {
        var nowhere = KafkaSourceSettings.of("127.0.0.1:1", new Subscription.Named(List.of("orders")), "group")
                .startupTimeoutNanos(600 * MS);
        var refusal = refused(new DeadLetterTopic("orders.dead", "shop", nowhere, NanoClock.SYSTEM));
        assertThat(refusal.exitCode()).isEqualTo(5);
        assertThat(refusal).hasMessageContainingAll("orders.dead (poison.topic)", "127.0.0.1:1", "600 ms");
    }

    @Test
    @Tag("CFG-10")
    void settingsThatNoClientTakesAreExitCodeTwo() {
        var wrong = settings().properties(Map.of("security.protocol", "SASL_SSL"));
        var refusal = refused(new DeadLetterTopic("orders.dead", "shop", wrong, NanoClock.SYSTEM));
        assertThat(refusal.exitCode()).isEqualTo(2);
        assertThat(refusal).hasMessageContaining("source.kafka.properties");
    }

    @Test
    @Tag("DRN-11")
    void aStopDuringTheStartEndsIt() throws Exception {
        var nowhere = KafkaSourceSettings.of("127.0.0.1:1", new Subscription.Named(List.of("orders")), "group");
        var stop = new java.util.concurrent.atomic.AtomicBoolean();
        try (var letters = new DeadLetterTopic("orders.dead", "shop", nowhere, NanoClock.SYSTEM)) {
            var start = new FutureTask<Boolean>(() -> letters.start(stop::get, _ -> {}));
            Thread.ofPlatform().start(start);
            Await.never("the start ended by itself", 200, start::isDone);
            stop.set(true);
            assertThat(start.get(40, TimeUnit.SECONDS)).isFalse();
        }
    }
}
