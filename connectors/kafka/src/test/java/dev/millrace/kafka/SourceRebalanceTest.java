package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
import dev.millrace.kafka.KafkaSourceSettings.Membership;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.lab.BrokerSettings;
import dev.millrace.lab.EmbeddedBroker;
import dev.millrace.lab.Topics;
import dev.millrace.sinkpool.MemoryIntake;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(GroupProtocol.class)
final class SourceRebalanceTest {
    private static final Topics TOPICS = SharedBroker.topics();
    private static final long MS = 1_000_000L;

    private final GroupProtocol protocol;

    SourceRebalanceTest(GroupProtocol protocol) {
        this.protocol = protocol;
    }

    private static Map<String, Integer> writes(Rig... rigs) {
        var all = new TreeMap<String, Integer>();
        for (var rig : rigs) rig.intake.writes().forEach((row, times) -> all.merge(row, times, Integer::sum));
        return all;
    }

    private static void removeMembers(String bootstrap, String group) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions())
                    .all()
                    .get();
        }
    }

    @Test
    @Tag("SRC-3")
    @Tag("CKP-8")
    @DisplayName("SRC-3: what is answered at 80 % of the time-out is committed before the revoke returns")
    void whatIsInFlightAtARevokeIsCommittedBeforeTheRevokeReturns() throws Exception {
        var topic = SharedBroker.fresh("revoked");
        TOPICS.create(topic, 2);
        TOPICS.produce(topic, 1, 200);
        var settings = Rig.settings(protocol, topic, topic);
        var clock = new HeldClock();
        try (var first = Rig.startedOn(clock, settings, new MemoryIntake().hold())) {
            first.awaitOwned(2);
            Await.until("all in flight", () -> first.intake.heldRows() == 200);
            clock.hold();
            try (var second = Rig.started(settings, new MemoryIntake())) {
                first.awaitRevoke();
                clock.pass(settings.membership().drainTimeoutNanos() / 10 * 8);
                assertThat(second.intake.writes()).isEmpty();
                first.intake.letGo();
                second.awaitOwned(1);
                clock.letGo();
                first.awaitOwned(1);
                TOPICS.produce(Topics.records(topic, 1, 200, 200));
                Await.until("all rows", () -> writes(first, second).size() == 400);
                assertThat(writes(first, second))
                        .allSatisfy((_, times) -> assertThat(times).isEqualTo(1));
                second.drain();
            }
            first.drain();
            assertThat(first.handles.count()).isZero();
            assertThat(TOPICS.committed(topic)).isEqualTo(TOPICS.endOffsets(topic));
        }
    }

    @Test
    @Tag("SRC-3")
    @Tag("CKP-6")
    @DisplayName("SRC-3: what is answered at 120 % of the time-out is replayed by the next owner, once")
    void whatAnswersAfterTheTimeOutIsReplayedByTheNextOwnerOnce() throws Exception {
        var topic = SharedBroker.fresh("late");
        TOPICS.create(topic, 2);
        TOPICS.produce(topic, 1, 200);
        var settings = Rig.settings(protocol, topic, topic);
        var clock = new HeldClock();
        try (var first = Rig.startedOn(clock, settings, new MemoryIntake().hold());
                var second = Rig.of(settings, new MemoryIntake())) {
            Await.until("all in flight", () -> first.intake.heldRows() == 200);
            clock.hold();
            second.source.start();
            first.awaitRevoke();
            Await.never(
                    "a revoke that returns early",
                    300,
                    () -> second.source.view().members().getFirst().partitions() > 0);
            clock.pass(settings.membership().drainTimeoutNanos() / 10 * 12);
            second.awaitOwned(1);
            clock.letGo();
            Await.until("replayed", () -> !second.intake.writes().isEmpty());
            first.intake.letGo();
            Await.until("stale", () -> first.source.counters().staleAcks() > 0);
            first.drain();
            second.drain();
            var replayed = second.intake.writes();
            assertThat(writes(first, second))
                    .hasSize(200)
                    .allSatisfy((row, times) -> assertThat(times).as(row).isEqualTo(replayed.containsKey(row) ? 2 : 1));
            assertThat(TOPICS.committed(topic)).isEqualTo(TOPICS.endOffsets(topic));
        }
    }

    @Test
    @Tag("SRC-4")
    @Tag("CKP-6")
    @Tag("CKP-12")
    void ofLostPartitionsNothingIsCommittedAndTheMemberComesBack() throws Exception {
        var topic = SharedBroker.fresh("lost");
        TOPICS.create(topic, 2);
        TOPICS.produce(topic, 1, 200);
        try (var rig = Rig.started(Rig.settings(protocol, topic, topic), new MemoryIntake().hold())) {
            Await.until("all in flight", () -> rig.intake.heldRows() == 200);
            var start = TOPICS.committed(topic);
            removeMembers(SharedBroker.bootstrap(), topic);
            Await.until(
                    "the epochs ended",
                    () -> rig.intake.calls().stream()
                                    .filter(call -> call.startsWith("ended"))
                                    .count()
                            == 2);
            Await.until("polled again", () -> rig.intake.heldRows() == 400);
            assertThat(TOPICS.committed(topic)).isEqualTo(start);
            rig.intake.letGo();
            Await.until("committed", () -> TOPICS.committed(topic).equals(TOPICS.endOffsets(topic)));
            assertThat(rig.source.counters().staleAcks()).isPositive();
            assertThat(rig.failures).isEmpty();
            rig.drain();
            assertThat(rig.intake.writes())
                    .hasSize(200)
                    .allSatisfy((_, times) -> assertThat(times).isEqualTo(2));
        }
    }

    @Test
    @Tag("SRC-3")
    void threeMembersThatComeAndGoUnderLoadLoseNothing() throws Exception {
        var topic = SharedBroker.fresh("storm");
        TOPICS.create(topic, 8);
        var settings = Rig.settings(protocol, topic, topic);
        var producing = new AtomicBoolean(true);
        var produced = new int[1];
        var producer = Thread.ofPlatform().start(() -> {
            while (producing.get()) {
                TOPICS.produce(Topics.records(topic, 1, produced[0], 500));
                produced[0] += 500;
            }
        });
        try (var first = Rig.started(settings.consumers(2), new MemoryIntake())) {
            first.awaitOwned(8);
            var seen = new HashMap<String, Integer>();
            for (var round = 0; round < 3; round++) {
                try (var other = Rig.started(settings, new MemoryIntake())) {
                    Await.until(
                            "a share of it",
                            () -> other.source.view().members().getFirst().partitions() >= 2
                                    && other.intake.writes().size() > 100);
                    other.drain();
                    assertThat(other.handles.count()).isZero();
                    other.intake.writes().forEach((row, times) -> seen.merge(row, times, Integer::sum));
                }
            }
            producing.set(false);
            producer.join();
            first.awaitOwned(8);
            Await.until("all rows", () -> {
                var all = new HashMap<>(seen);
                all.putAll(first.intake.writes());
                return all.size() == produced[0];
            });
            first.drain();
            assertThat(first.handles.count()).isZero();
            assertThat(TOPICS.committed(topic)).isEqualTo(TOPICS.endOffsets(topic));
            first.intake.writes().forEach((row, times) -> seen.merge(row, times, Integer::sum));
            assertThat(seen.values().stream().mapToInt(Integer::intValue).sum() - seen.size())
                    .as("an orderly leave repeats nothing")
                    .isZero();
        } finally {
            producing.set(false);
            producer.join();
        }
    }

    @Test
    @Tag("SRC-12")
    void aMemberWithoutAnAssignmentBecomesUnreadyAndThenEnds() throws Exception {
        assumeThat(protocol)
                .as(
                        "under the other protocol nobody holds up a group: a member gets what is free, which may be nothing")
                .isEqualTo(GroupProtocol.CLASSIC);
        var topic = SharedBroker.fresh("waiting");
        TOPICS.create(topic, 1);
        Map<String, Object> silent = Map.of(
                "bootstrap.servers",
                SharedBroker.bootstrap(),
                "group.id",
                topic,
                "partition.assignment.strategy",
                CooperativeStickyAssignor.class.getName());
        try (var blocker = new KafkaConsumer<>(silent, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            TOPICS.commit(topic, Map.of(new TopicPartition(topic, 0), 0L));
            blocker.subscribe(List.of(topic));
            Await.until("it joined", () -> {
                var none = blocker.poll(java.time.Duration.ofMillis(50));
                return none.isEmpty() && !blocker.assignment().isEmpty();
            });
            // From here on it beats its heart and never polls: no rebalance of this group ends.
            var settings =
                    Rig.settings(protocol, topic, topic).membership(new Membership(5_000 * MS, 300 * MS, 1_500 * MS));
            try (var rig = Rig.started(settings, new MemoryIntake())) {
                Await.until(
                        "unready", () -> rig.source.view().members().getFirst().phase() == MemberView.Phase.UNREADY);
                assertThat(rig.source.view().ready()).isFalse();
                rig.awaitFailure();
                assertThat(rig.failures.getFirst()).startsWith("5 ").contains("no assignment");
            }
        }
    }

    @Test
    @Tag("SRC-12")
    void aMemberThatLostItsPartitionsAndGetsNoneBecomesUnreadyAndThenEnds() throws Exception {
        var topic = SharedBroker.fresh("dropped");
        try (var broker = EmbeddedBroker.launch(SharedBroker.quick(BrokerSettings.small()));
                var topics = new Topics(broker.bootstrapServers())) {
            topics.create(topic, 1);
            topics.produce(topic, 1, 10);
            var settings = Rig.quick(
                            protocol,
                            KafkaSourceSettings.of(
                                    broker.bootstrapServers(), new Subscription.Named(List.of(topic)), topic))
                    .membership(new Membership(5_000 * MS, 300 * MS, 1_500 * MS));
            try (var rig = Rig.started(settings, new MemoryIntake())) {
                rig.awaitReady();
                rig.awaitRows(10);
                // In the callback, so that nobody joins again before the broker is gone.
                rig.intake.atEnd(broker::stop);
                removeMembers(broker.bootstrapServers(), topic);
                Await.until(
                        "unready", () -> rig.source.view().members().getFirst().phase() == MemberView.Phase.UNREADY);
                assertThat(rig.source.view().ready()).isFalse();
                rig.awaitFailure();
                assertThat(rig.failures.getFirst()).startsWith("5 ").contains("no assignment");
            }
        }
    }

    @Test
    @Tag("SRC-12")
    void aMemberThatGetsNothingIsInTheGroupAndReady() throws Exception {
        var topic = SharedBroker.fresh("spare");
        TOPICS.create(topic, 1);
        var settings =
                Rig.settings(protocol, topic, topic).membership(new Membership(5_000 * MS, 5_000 * MS, 10_000 * MS));
        try (var first = Rig.started(settings, new MemoryIntake());
                var second = Rig.of(settings, new MemoryIntake())) {
            first.awaitOwned(1);
            second.source.start();
            second.awaitReady();
            first.awaitReady();
            assertThat(first.source.view().members().getFirst().partitions()
                            + second.source.view().members().getFirst().partitions())
                    .isEqualTo(1);
            assertThat(first.failures).isEmpty();
            assertThat(second.failures).isEmpty();
        }
    }

    @Test
    @Tag("SRC-11")
    void ofTwoThatShareAStaticIdOneEndsWithOneLine() throws Exception {
        var topic = SharedBroker.fresh("static");
        TOPICS.create(topic, 1);
        var properties = new HashMap<>(Rig.settings(protocol, topic, topic).properties());
        properties.put("group.instance.id", "the-one");
        var settings = Rig.settings(protocol, topic, topic).properties(properties);
        try (var first = Rig.started(settings, new MemoryIntake())) {
            first.awaitReady();
            first.awaitOwned(1);
            try (var second = Rig.started(settings, new MemoryIntake())) {
                // The old protocol gives the name to whoever came last, the new one leaves it to whoever has it.
                var loser = protocol == GroupProtocol.CLASSIC ? first : second;
                var winner = protocol == GroupProtocol.CLASSIC ? second : first;
                loser.awaitFailure();
                assertThat(loser.failures.getFirst()).startsWith("5 Kafka refuses this member: ");
                assertThat(loser.failures.getFirst().lines()).hasSize(1);
                winner.awaitOwned(1);
                assertThat(winner.failures).isEmpty();
            }
        }
    }

    @Test
    @Tag("SRC-11")
    void aStaticMemberThatLeftGivesItsIdBack() throws Exception {
        var topic = SharedBroker.fresh("static-again");
        TOPICS.create(topic, 1);
        TOPICS.produce(topic, 1, 100);
        var properties = new HashMap<>(Rig.settings(protocol, topic, topic).properties());
        properties.put("group.instance.id", "the-one");
        var settings = Rig.settings(protocol, topic, topic).properties(properties);
        try (var first = Rig.started(settings, new MemoryIntake())) {
            first.awaitRows(100);
            first.drain();
        }
        TOPICS.produce(Topics.records(topic, 1, 100, 50));
        try (var second = Rig.started(settings, new MemoryIntake())) {
            second.awaitRows(50);
            assertThat(second.failures).isEmpty();
        }
    }

    @Test
    @Tag("SRC-3")
    void aGroupMovesToTheOtherProtocolMemberByMember() throws Exception {
        var topic = SharedBroker.fresh("moved");
        TOPICS.create(topic, 4);
        TOPICS.produce(topic, 1, 400);
        var other = protocol == GroupProtocol.CLASSIC ? GroupProtocol.CONSUMER : GroupProtocol.CLASSIC;
        try (var before = Rig.started(Rig.settings(protocol, topic, topic), new MemoryIntake())) {
            before.awaitRows(400);
            try (var after = Rig.started(Rig.settings(other, topic, topic), new MemoryIntake())) {
                before.awaitOwned(2);
                after.awaitOwned(2);
                TOPICS.produce(Topics.records(topic, 1, 400, 400));
                Await.until("all rows", () -> writes(before, after).size() == 800);
                before.drain();
                after.awaitOwned(4);
                TOPICS.produce(Topics.records(topic, 1, 800, 400));
                Await.until("all rows", () -> writes(before, after).size() == 1200);
                after.drain();
                assertThat(writes(before, after))
                        .allSatisfy((_, times) -> assertThat(times).isEqualTo(1));
                assertThat(TOPICS.committed(topic)).isEqualTo(TOPICS.endOffsets(topic));
            }
        }
    }
}
