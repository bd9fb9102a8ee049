package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
import dev.millrace.kafka.KafkaSourceSettings.OnPoison;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.kafka.KafkaSourceSettings.Values;
import dev.millrace.lab.Topics;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.MemoryIntake;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RowEncoder;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(GroupProtocol.class)
final class SourceOnBrokerTest {
    private static final Topics TOPICS = SharedBroker.topics();

    private final GroupProtocol protocol;

    SourceOnBrokerTest(GroupProtocol protocol) {
        this.protocol = protocol;
    }

    private static void assertOnce(Rig rig, int rows) {
        assertThat(rig.intake.writes())
                .hasSize(rows)
                .allSatisfy((_, times) -> assertThat(times).isEqualTo(1));
    }

    @Test
    @Tag("DRN-1")
    @Tag("DRN-9")
    void whatIsProducedArrivesOnceAndADrainCommitsItAllAndLeavesTheGroup() throws Exception {
        var topic = SharedBroker.fresh("plain");
        TOPICS.create(topic, 3);
        TOPICS.produce(topic, 1, 3000);
        var settings = Rig.settings(protocol, topic, topic);
        try (var rig = Rig.started(settings, new MemoryIntake())) {
            rig.awaitRows(3000);
            rig.awaitLagZero(3);
            rig.drain();
            assertOnce(rig, 3000);
            assertThat(TOPICS.committed(topic)).isEqualTo(TOPICS.endOffsets(topic));
            assertThat(rig.handles.count()).isZero();
            assertThat(rig.intake.budget().rows()).isZero();
            assertThat(rig.failures).isEmpty();
            for (var one : rig.source.view().partitions()) {
                assertThat(one.lag()).as("the backlog, for the report").isZero();
                assertThat(one.committed()).isEqualTo(one.position());
            }
            try (var admin = Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()))) {
                var groups = admin.describeConsumerGroups(List.of(topic)).all().get();
                assertThat(groups.values())
                        .as("it left")
                        .allSatisfy(group -> assertThat(group.members()).isEmpty());
            }
        }
        TOPICS.produce(Topics.records(topic, 1, 3000, 500));
        try (var next = Rig.started(settings, new MemoryIntake())) {
            next.awaitRows(500);
            next.drain();
            assertOnce(next, 500);
        }
    }

    @Test
    @Tag("SRC-5")
    @Tag("CKP-5")
    void abortedTransactionsAndMarkersAreNeverSeenAndTheLagReachesZero() throws Exception {
        var topic = SharedBroker.fresh("transactions");
        TOPICS.create(topic, 1);
        TOPICS.produceCommitted(Topics.records(topic, 1, 0, 50));
        TOPICS.produceAborted(Topics.records(topic, 1, 50, 100));
        TOPICS.produceCommitted(Topics.records(topic, 1, 150, 50));
        TOPICS.produceAborted(Topics.records(topic, 1, 200, 30));
        try (var rig = Rig.started(Rig.settings(protocol, topic, topic), new MemoryIntake())) {
            rig.awaitRows(100);
            rig.awaitLagZero(1);
            Await.until(() -> "committed to the end: " + rig.committed(0), () -> rig.committed(0) == 234);
            rig.drain();
            assertOnce(rig, 100);
            assertThat(TOPICS.committed(topic)).isEqualTo(TOPICS.endOffsets(topic));
        }
    }

    @Test
    @Tag("CKP-5")
    void holesThatCompactionLeftDoNotStallTheWatermark() throws Exception {
        var topic = SharedBroker.fresh("compacted");
        TOPICS.create(
                topic,
                1,
                Map.of(
                        "cleanup.policy", "compact",
                        "min.cleanable.dirty.ratio", "0.01",
                        "segment.ms", "100",
                        "max.compaction.lag.ms", "200",
                        "delete.retention.ms", "0"));
        var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (var i = 0; i < 500; i++) records.add(record(topic, "key-" + i % 5, "{\"n\":" + i + "}"));
        TOPICS.produce(records);
        // The next append rolls the segment, and only what is rolled is compacted.
        Await.until("compacted", () -> {
            TOPICS.produce(List.of(record(topic, "key-0", "{}")));
            return TOPICS.readAll(topic).size() < 400;
        });
        var end = TOPICS.endOffsets(topic).get(new TopicPartition(topic, 0));
        try (var rig = Rig.started(Rig.settings(protocol, topic, topic), new MemoryIntake())) {
            rig.awaitLagZero(1);
            rig.drain();
            assertThat(TOPICS.committed(topic)).containsEntry(new TopicPartition(topic, 0), end);
            assertThat(rig.intake.writes()).hasSizeLessThan(400);
        }
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, String key, String value) {
        return new ProducerRecord<>(
                topic, key.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    @Tag("SRC-1")
    void aSinkThatHoldsEverythingForThreePollIntervalsCostsNoRebalance() throws Exception {
        var topic = SharedBroker.fresh("held");
        TOPICS.create(topic, 2);
        TOPICS.produce(topic, 1, 20_000);
        var properties = new HashMap<>(Rig.settings(protocol, topic, topic).properties());
        properties.put("max.poll.interval.ms", "1500");
        properties.put("max.poll.records", "500");
        var settings = Rig.settings(protocol, topic, topic).properties(properties);
        var intake = new MemoryIntake(new AdmissionBudget(2000, 64 << 20, 0.6)).hold();
        try (var rig = Rig.started(settings, intake)) {
            rig.awaitReady();
            Await.until("paused", () -> rig.source.counters().pauses(PauseReason.BUDGET) > 0);
            var rebalances = rig.source.counters().rebalances();
            Await.never("a rebalance", 4600, () -> rig.source.counters().rebalances() != rebalances);
            assertThat(intake.heldRows()).isLessThan(4500);
            intake.letGo();
            rig.awaitRows(20_000);
            rig.drain();
            assertOnce(rig, 20_000);
            assertThat(rig.source.counters().rebalances()).isEqualTo(rebalances);
            assertThat(TOPICS.committed(topic)).isEqualTo(TOPICS.endOffsets(topic));
        }
    }

    @Test
    @Tag("SRC-9")
    void newTopicsOfAPatternAndNewPartitionsAreReadFromTheirBeginning() throws Exception {
        var prefix = SharedBroker.fresh("pattern");
        TOPICS.create(prefix + ".a", 1);
        TOPICS.produce(prefix + ".a", 1, 100);
        var settings = Rig.quick(
                protocol,
                KafkaSourceSettings.of(
                        SharedBroker.bootstrap(),
                        // What looks ahead is Java's, and not the broker's.
                        new Subscription.Matching(Pattern.compile(Pattern.quote(prefix) + "\\.(?!not).*")),
                        prefix));
        try (var rig = Rig.started(settings, new MemoryIntake())) {
            rig.awaitRows(100);
            for (var name : List.of(".not", ".b")) {
                TOPICS.create(prefix + name, 1);
                TOPICS.produce(prefix + name, 1, 100);
            }
            rig.awaitRows(200);
            try (var admin = Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()))) {
                admin.createPartitions(Map.of(prefix + ".a", NewPartitions.increaseTo(3)))
                        .all()
                        .get();
            }
            var more = new ArrayList<ProducerRecord<byte[], byte[]>>();
            for (var i = 0; i < 50; i++)
                more.add(new ProducerRecord<>(prefix + ".a", 2, null, "{}".getBytes(StandardCharsets.UTF_8)));
            TOPICS.produce(more);
            rig.awaitRows(250);
            rig.drain();
            assertOnce(rig, 250);
        }
    }

    /// Gives as much as a poll may, and takes a moment for it.
    private static Consumer<ByteBuffer, ByteBuffer> slow(Consumer<ByteBuffer, ByteBuffer> consumer) {
        var handler = (InvocationHandler) (_, method, arguments) -> {
            try {
                if (method.getName().equals("poll")) LockSupport.parkNanos(3 * Rig.MS);
                return method.invoke(consumer, arguments);
            } catch (InvocationTargetException thrown) {
                throw thrown.getCause();
            }
        };
        @SuppressWarnings("unchecked")
        var slow = (Consumer<ByteBuffer, ByteBuffer>) Proxy.newProxyInstance(
                SourceOnBrokerTest.class.getClassLoader(), new Class<?>[] {Consumer.class}, handler);
        return slow;
    }

    private static PartitionView first(Rig rig, String topic) {
        return rig.source.view().partitions().stream()
                .filter(one -> one.partition().topic().equals(topic))
                .findFirst()
                .orElseThrow();
    }

    private static boolean behind(Rig rig, String topic) {
        var lag = first(rig, topic).lag();
        return lag != null && lag > 1_000;
    }

    @Test
    @Tag("OPS-12")
    @DisplayName("OPS-12: a member that never catches up commits, tells its lag, finds new topics of its pattern, and"
            + " sees that one is gone")
    void aMemberThatNeverCatchesUpDoesAllItsHousekeeping() throws Exception {
        var prefix = SharedBroker.fresh("behind");
        var large = prefix + ".a";
        var later = prefix + ".b";
        TOPICS.create(large, 1);
        TOPICS.produce(large, 1, 60_000);
        var settings = Rig.quick(
                protocol,
                KafkaSourceSettings.of(
                        SharedBroker.bootstrap(),
                        new Subscription.Matching(Pattern.compile(Pattern.quote(prefix) + ".*")),
                        prefix));
        var properties = new HashMap<>(settings.properties());
        properties.put("max.poll.records", "10");
        // What is fetched of one partition is given before anything of the next.
        properties.put("max.partition.fetch.bytes", "2048");
        try (var rig = new Rig(
                settings.properties(properties),
                List.of(Bench.sink(2)),
                new MemoryIntake(),
                NanoClock.SYSTEM,
                DeadLetters.none(),
                SourceOnBrokerTest::slow)) {
            rig.source.start();
            rig.awaitRows(100);
            Await.until("its lag is known", () -> behind(rig, large));
            Await.until("something is committed", () -> rig.committed(0) > 0);

            TOPICS.create(later, 1);
            TOPICS.produce(later, 1, 10);
            Await.until(
                    "the new topic is read",
                    () -> rig.source.view().partitions().stream()
                            .anyMatch(one -> one.partition().topic().equals(later) && one.polled() == 10));
            assertThat(behind(rig, large)).isTrue();

            try (var admin = Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()))) {
                admin.deleteTopics(List.of(later)).all().get();
            }
            rig.awaitFailure();
            assertThat(rig.failures).singleElement().asString().contains(later, "it is gone");
            assertThat(behind(rig, large)).isTrue();
        }
    }

    @Test
    @Tag("CKP-2")
    @Tag("OPS-9")
    void tombstonesAndPoisonUnderSkipAreDoneAndCounted() throws Exception {
        var topic = SharedBroker.fresh("skipped");
        TOPICS.create(topic, 1);
        TOPICS.produce(List.of(
                record(topic, "a", "{\"n\":1}"),
                new ProducerRecord<>(topic, "b".getBytes(StandardCharsets.UTF_8), null),
                record(topic, "c", ""),
                record(topic, "d", "{\"n\":"),
                new ProducerRecord<>(topic, null, "{\"n\":2}".getBytes(StandardCharsets.UTF_8))));
        var values = new Values(ValueFormat.Kind.JSON, ValueFormat.OnTombstone.SKIP, OnPoison.SKIP);
        try (var rig = Rig.started(Rig.settings(protocol, topic, topic).values(values), new MemoryIntake())) {
            rig.awaitRows(2);
            rig.awaitLagZero(1);
            rig.drain();
            var view = rig.source.view().partitions().getFirst();
            var sink = view.sinks().getFirst();
            assertThat(sink.skipped()).isEqualTo(Map.of("tombstone", 1L, "empty", 1L, "truncated", 1L));
            assertThat(view.polled()).isEqualTo(5).isEqualTo(sink.tally().written() + sink.skippedRows());
            assertThat(TOPICS.committed(topic)).isEqualTo(TOPICS.endOffsets(topic));
        }
    }

    @Test
    @Tag("FMT-1")
    void rawKeepsTheExactBytes() throws Exception {
        var topic = SharedBroker.fresh("raw");
        TOPICS.create(topic, 1);
        TOPICS.produce(List.of(record(topic, "a", "not json\n at all"), record(topic, "b", "")));
        var values = new Values(ValueFormat.Kind.RAW, ValueFormat.OnTombstone.SKIP, OnPoison.STOP);
        var sink =
                new SinkFeed("sink", _ -> true, PassThroughEncoder::exact, new KeyRouter(1), 1, 1, 4096, 20 * Rig.MS);
        try (var rig =
                new Rig(Rig.settings(protocol, topic, topic).values(values), List.of(sink), new MemoryIntake())) {
            rig.source.start();
            rig.awaitRows(2);
            assertThat(rig.intake.rows().stream().map(MemoryIntake.Row::text))
                    .containsExactly("not json\n at all\n", "\n");
        }
    }

    @Test
    @Tag("SRC-5")
    void aTenMegabyteRecordAndAThousandHeadersPass() throws Exception {
        var topic = SharedBroker.fresh("large");
        TOPICS.create(topic, 1, Map.of("max.message.bytes", "16777216"));
        var headers = record(topic, "h", "{}");
        for (var i = 0; i < 1000; i++) headers.headers().add("same", new byte[] {1});
        TOPICS.produce(List.of(headers));
        LargeRecords.produce(topic, 10 << 20);
        var intake = new MemoryIntake(new AdmissionBudget(1000, 1 << 20, 0.6));
        try (var rig = Rig.started(Rig.settings(protocol, topic, topic), intake)) {
            rig.awaitRows(2);
            rig.drain();
            assertThat(intake.rows())
                    .anySatisfy(row -> assertThat(row.text().length()).isGreaterThan(10 << 20));
        }
    }

    @Test
    @Tag("DRN-10")
    void aThrowableOnTheSourceThreadFailsWhatItHoldsAndTellsThePipeline() throws Exception {
        var topic = SharedBroker.fresh("throwable");
        TOPICS.create(topic, 1);
        TOPICS.produce(topic, 1, 10);
        RowEncoder broken = (record, row) -> {
            if (record.offset() == 7) throw new StackOverflowError("a bug");
            row.put((byte) 'x');
            return RowEncoder.Encoded.WRITTEN;
        };
        var sink = new SinkFeed("sink", _ -> true, () -> broken, new KeyRouter(1), 1, 1, 4096, 20 * Rig.MS);
        try (var rig = new Rig(Rig.settings(protocol, topic, topic), List.of(sink), new MemoryIntake())) {
            rig.source.start();
            rig.awaitFailure();
            assertThat(rig.failures.getFirst()).startsWith("5 ").contains("StackOverflowError");
            assertThat(rig.inputFinished.await(20, java.util.concurrent.TimeUnit.SECONDS))
                    .isTrue();
            assertThat(rig.source.awaitClosed(System.nanoTime() + 20_000 * Rig.MS))
                    .isTrue();
            assertThat(rig.handles.count()).isZero();
            assertThat(TOPICS.committed(topic)).containsEntry(new TopicPartition(topic, 0), 0L);
        }
    }

    @Test
    @Tag("OPS-7")
    void thePollLoopTurnsAndTheViewTellsWhen() throws Exception {
        var topic = SharedBroker.fresh("turns");
        TOPICS.create(topic, 1);
        var rig = Rig.of(Rig.settings(protocol, topic, topic).consumers(2), new MemoryIntake());
        try (rig) {
            assertThat(rig.source.view().ready()).isFalse();
            rig.source.start();
            rig.awaitReady();
            var view = rig.source.view();
            assertThat(view.members()).hasSize(2);
            assertThat(view.maxPollIntervalNanos()).isEqualTo(300_000 * Rig.MS);
            assertThat(view.members().stream().mapToInt(MemberView::partitions).sum())
                    .as("an empty assignment counts")
                    .isLessThanOrEqualTo(1);
            rig.drain();
            assertThat(rig.source.view().ready()).isFalse();
        }
    }
}
