package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
import dev.millrace.kafka.KafkaSourceSettings.OnLostOffset;
import dev.millrace.kafka.KafkaSourceSettings.OnNoOffset;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.lab.BrokerSettings;
import dev.millrace.lab.EmbeddedBroker;
import dev.millrace.lab.Topics;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.MemoryIntake;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(GroupProtocol.class)
final class SourceFaultTest {
    private static final Topics TOPICS = SharedBroker.topics();

    private final GroupProtocol protocol;

    SourceFaultTest(GroupProtocol protocol) {
        this.protocol = protocol;
    }

    private static void deleteRecords(String topic, long before) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()))) {
            admin.deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(before)))
                    .all()
                    .get();
        }
    }

    @Test
    @Tag("SRC-6")
    void retentionBelowTheCommittedOffsetHaltsWithTheExactCount() throws Exception {
        var topic = SharedBroker.fresh("retention");
        TOPICS.create(topic, 1);
        TOPICS.produce(topic, 1, 600);
        TOPICS.commit(topic, Map.of(new TopicPartition(topic, 0), 100L));
        deleteRecords(topic, 500);
        try (var rig = Rig.started(Rig.settings(protocol, topic, topic), new MemoryIntake())) {
            rig.awaitFailure();
            assertThat(rig.failures.getFirst())
                    .startsWith("5 ")
                    .contains("400 offsets")
                    .contains("[100, 500)");
            rig.drain();
            assertThat(rig.intake.rows()).isEmpty();
            assertThat(TOPICS.committed(topic)).containsEntry(new TopicPartition(topic, 0), 100L);
        }
    }

    @Test
    @Tag("SRC-6")
    void underContinueReadingGoesOnAtTheLogsStart() throws Exception {
        var topic = SharedBroker.fresh("continue");
        TOPICS.create(topic, 1);
        TOPICS.produce(topic, 1, 600);
        TOPICS.commit(topic, Map.of(new TopicPartition(topic, 0), 100L));
        deleteRecords(topic, 500);
        var settings = Rig.settings(protocol, topic, topic).onLostOffset(OnLostOffset.CONTINUE);
        try (var rig = Rig.started(settings, new MemoryIntake())) {
            rig.awaitRows(100);
            rig.drain();
            assertThat(rig.source.counters().offsetsLost()).isEqualTo(400);
            assertThat(rig.intake.writes()).hasSize(100);
            assertThat(TOPICS.committed(topic)).isEqualTo(TOPICS.endOffsets(topic));
        }
    }

    @Test
    @Tag("SRC-10")
    void aPositionBeyondTheLogsEndHaltsWithBothOffsets() throws Exception {
        var topic = SharedBroker.fresh("beyond");
        TOPICS.create(topic, 1);
        TOPICS.produce(topic, 1, 60);
        TOPICS.commit(topic, Map.of(new TopicPartition(topic, 0), 1000L));
        try (var rig = Rig.started(Rig.settings(protocol, topic, topic), new MemoryIntake())) {
            rig.awaitFailure();
            assertThat(rig.failures.getFirst())
                    .startsWith("5 ")
                    .contains("1000")
                    .contains("60");
        }
    }

    @Test
    @Tag("SRC-6")
    void aTopicMadeAnewUnderALiveConsumerStopsItWithBothIdsWhileOthersAreCommitted() throws Exception {
        var topic = SharedBroker.fresh("reborn");
        var other = SharedBroker.fresh("steady");
        TOPICS.create(topic, 1);
        TOPICS.create(other, 1);
        TOPICS.produce(topic, 1, 50);
        TOPICS.produce(other, 1, 50);
        try (var rig = Rig.started(Rig.settings(protocol, topic, topic, other), new MemoryIntake())) {
            rig.awaitRows(100);
            Await.until(
                    "committed",
                    () -> rig.source.view().partitions().stream()
                            .allMatch(one -> one.committed() != null && one.committed() == 50));
            var was = id(rig, topic);
            TOPICS.delete(topic);
            TOPICS.create(topic, 1);
            TOPICS.produce(topic, 2, 80);
            rig.awaitFailure();
            assertThat(rig.failures.getFirst()).startsWith("5 ").contains(topic).contains(was);
            TOPICS.produce(Topics.records(other, 1, 50, 50));
            Await.until(
                    "the other goes on",
                    () -> rig.intake.rows().stream()
                                    .filter(row -> row.partition().topic().equals(other))
                                    .count()
                            == 100);
            rig.drain();
            assertThat(TOPICS.committed(topic)).containsEntry(new TopicPartition(other, 0), 100L);
        }
    }

    private static String id(Rig rig, String topic) {
        return rig.source.view().partitions().stream()
                .filter(one -> one.partition().topic().equals(topic))
                .map(one -> one.partition().topicId().text())
                .findFirst()
                .orElse("");
    }

    @Test
    @Tag("SRC-6")
    void aTopicThatIsGoneStopsTheProcess() throws Exception {
        var topic = SharedBroker.fresh("gone");
        TOPICS.create(topic, 1);
        TOPICS.produce(topic, 1, 50);
        try (var rig = Rig.started(Rig.settings(protocol, topic, topic), new MemoryIntake())) {
            rig.awaitRows(50);
            TOPICS.delete(topic);
            rig.awaitFailure();
            assertThat(rig.failures.getFirst()).startsWith("5 ").contains(topic).contains("gone");
        }
    }

    @Test
    @Tag("SRC-6")
    @Tag("SRC-8")
    void aTopicMadeAnewWhileNobodyLookedIsToldByWhatStandsBesideTheOffset() throws Exception {
        var topic = SharedBroker.fresh("offline");
        TOPICS.create(topic, 1);
        TOPICS.produce(topic, 1, 50);
        try (var admin = Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()))) {
            var foreign = new OffsetAndMetadata(10, "t1.AAAAAAAAAAAAAAAAAAAAAA");
            admin.alterConsumerGroupOffsets(topic, Map.of(new TopicPartition(topic, 0), foreign))
                    .all()
                    .get();
        }
        try (var rig = Rig.started(Rig.settings(protocol, topic, topic), new MemoryIntake())) {
            rig.awaitFailure();
            assertThat(rig.failures.getFirst()).startsWith("5 ").contains("AAAAAAAAAAAAAAAAAAAAAA");
            rig.drain();
            assertThat(TOPICS.committed(topic)).containsEntry(new TopicPartition(topic, 0), 10L);
        }
    }

    @Test
    @Tag("SRC-8")
    void metadataOfAnotherToolIsIgnored() throws Exception {
        var topic = SharedBroker.fresh("foreign");
        TOPICS.create(topic, 1);
        TOPICS.produce(topic, 1, 50);
        try (var admin = Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()))) {
            var foreign = new OffsetAndMetadata(10, "written by somebody's tool");
            admin.alterConsumerGroupOffsets(topic, Map.of(new TopicPartition(topic, 0), foreign))
                    .all()
                    .get();
        }
        try (var rig = Rig.started(Rig.settings(protocol, topic, topic), new MemoryIntake())) {
            rig.awaitRows(40);
            rig.drain();
            assertThat(rig.failures).isEmpty();
            assertThat(rig.intake.writes()).hasSize(40);
        }
    }

    @Test
    @Tag("FMT-2")
    void poisonUnderStopNamesItsOffsetAndWhatIsBeforeItsRangeIsCommitted() throws Exception {
        var topic = SharedBroker.fresh("poison");
        TOPICS.create(topic, 1);
        TOPICS.produce(topic, 1, 20);
        try (var rig = Rig.started(Rig.settings(protocol, topic, topic), new MemoryIntake())) {
            rig.awaitRows(20);
            TOPICS.produce(List.of(new ProducerRecord<>(topic, "{\"a\":NaN}".getBytes(StandardCharsets.UTF_8))));
            rig.awaitFailure();
            assertThat(rig.failures.getFirst())
                    .startsWith("5 ")
                    .contains(topic + "-0@20")
                    .contains("not_a_number");
            rig.drain();
            assertThat(TOPICS.committed(topic)).containsEntry(new TopicPartition(topic, 0), 20L);
        }
    }

    @Test
    @Tag("CKP-4")
    void aRangeThatFailedEndsTheProcessAndARestartReplaysIt() throws Exception {
        var topic = SharedBroker.fresh("stalled");
        TOPICS.create(topic, 1);
        TOPICS.produce(topic, 1, 20);
        var checkpoint = new KafkaSourceSettings.Checkpoint(100 * Rig.MS, 1024, 500 * Rig.MS, 5_000 * Rig.MS);
        var settings = Rig.settings(protocol, topic, topic).checkpoint(checkpoint);
        try (var rig = Rig.started(settings, new MemoryIntake().hold())) {
            Await.until("in flight", () -> rig.intake.heldRows() == 20);
            rig.intake.settleHeld(Ending.ABANDONED);
            rig.awaitFailure();
            assertThat(rig.failures.getFirst()).startsWith("5 ").contains(topic + "-0@");
            rig.drain();
        }
        try (var next = Rig.started(settings, new MemoryIntake())) {
            next.awaitRows(20);
        }
    }

    @Test
    @Tag("SRC-7")
    void aBrokerThatRestartsLosesNothingAndNeedsNoOperator() throws Exception {
        try (var broker = EmbeddedBroker.launch(SharedBroker.quick(BrokerSettings.small()));
                var topics = new Topics(broker.bootstrapServers())) {
            topics.create("orders", 2);
            topics.produce("orders", 1, 1000);
            var settings = Rig.quick(
                    protocol,
                    KafkaSourceSettings.of(
                            broker.bootstrapServers(), new Subscription.Named(List.of("orders")), "restarted"));
            try (var rig = Rig.started(settings, new MemoryIntake())) {
                rig.awaitRows(1000);
                broker.stop();
                Await.never("a failure", 700, () -> !rig.failures.isEmpty());
                broker.start();
                topics.produce(Topics.records("orders", 1, 1000, 1000));
                rig.awaitRows(2000);
                assertThat(rig.failures).isEmpty();
                rig.drain();
                assertThat(rig.intake.writes()).hasSize(2000);
                assertThat(topics.committed("restarted")).isEqualTo(topics.endOffsets("orders"));
            }
        }
    }

    @Test
    @Tag("SRC-11")
    @Tag("CFG-10")
    void aRightThatIsMissingIsToldAtTheStartAndOneTakenAwayEndsTheProcess() throws Exception {
        var secured = SharedBroker.quick(BrokerSettings.small())
                .with("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .with("allow.everyone.if.no.acl.found", "true");
        try (var broker = EmbeddedBroker.launch(secured);
                var topics = new Topics(broker.bootstrapServers());
                var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            topics.create("orders", 1);
            topics.produce("orders", 1, 10);
            var settings = Rig.quick(
                    protocol,
                    KafkaSourceSettings.of(
                            broker.bootstrapServers(), new Subscription.Named(List.of("orders")), "secured"));
            try (var rig = Rig.started(settings, new MemoryIntake())) {
                rig.awaitRows(10);
                deny(admin, ResourceType.TOPIC, "orders", AclOperation.READ);
                rig.awaitFailure();
                assertThat(rig.failures.getFirst())
                        .startsWith("5 ")
                        .contains("refuses")
                        .contains("orders");
                assertThat(rig.failures.getFirst().lines()).hasSize(1);
                assertThat(rig.source.awaitClosed(System.nanoTime() + 20_000 * Rig.MS))
                        .isTrue();
            }
            deny(admin, ResourceType.TOPIC, "orders", AclOperation.DESCRIBE);
            try (var rig = Rig.of(settings.onNoOffset(OnNoOffset.EARLIEST), new MemoryIntake())) {
                rig.source.start();
                throw new AssertionError("it started");
            } catch (StartRefused refused) {
                assertThat(refused.exitCode()).isEqualTo(2);
                assertThat(refused).hasMessageContaining("orders");
            }
        }
    }

    private static void deny(Admin admin, ResourceType type, String name, AclOperation operation) throws Exception {
        var rule = new AccessControlEntry("User:*", "*", operation, AclPermissionType.DENY);
        admin.createAcls(List.of(new AclBinding(new ResourcePattern(type, name, PatternType.LITERAL), rule)))
                .all()
                .get();
    }
}
