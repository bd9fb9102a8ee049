package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.Plan;
import dev.millrace.checkpoint.PlanCodec;
import dev.millrace.checkpoint.Segment;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
import dev.millrace.kafka.KafkaSourceSettings.OnLostOffset;
import dev.millrace.kafka.KafkaSourceSettings.OnNoOffset;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.lab.Topics;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Finding.Severity;
import dev.millrace.sinkpool.NanoClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a checkup finds at a real broker.
@Tag("CFG-4")
@Timeout(120)
final class SourceCheckupTest {
    private static final Topics TOPICS = SharedBroker.topics();
    private static final Duration AMPLE = Duration.ofSeconds(30);

    private final String topic = SharedBroker.fresh("checkup");
    private final String group = SharedBroker.fresh("group");

    private KafkaSourceSettings settings(String... topics) {
        return KafkaSourceSettings.of(SharedBroker.bootstrap(), new Subscription.Named(List.of(topics)), group)
                .onNoOffset(OnNoOffset.EARLIEST);
    }

    private static List<Finding> look(KafkaSourceSettings settings, @Nullable String letters, Duration limit) {
        return new SourceCheckup(settings, letters, NanoClock.SYSTEM, InstantSource.system())
                .look(NanoClock.SYSTEM.nanoTime() + limit.toNanos()).stream()
                        // Groups that other tests left on their broker.
                        .filter(finding -> !finding.what().contains("offsets of Millrace"))
                        .toList();
    }

    private static List<Finding> look(KafkaSourceSettings settings) {
        return look(settings, null, AMPLE);
    }

    private static Finding only(List<Finding> findings, Severity severity) {
        var found = findings.stream().filter(one -> one.severity() == severity).toList();
        assertThat(found).as(findings.toString()).hasSize(1);
        return found.getFirst();
    }

    private void produce(int records, long timestamp) {
        for (var n = 0; n < records; n++)
            TOPICS.produce(
                    List.of(new ProducerRecord<>(topic, 0, timestamp, null, "{}".getBytes(StandardCharsets.UTF_8))));
    }

    @Test
    @DisplayName("CFG-4: a healthy source has no findings but its start, and looking makes no topic and no group")
    void aHealthySourceHasNoFaultAndLookingChangesNothing() throws Exception {
        TOPICS.create(topic, 2);
        var letters = SharedBroker.fresh("letters");
        var findings = look(settings(topic), letters, AMPLE);
        assertThat(findings)
                .hasSize(2)
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.NOTE));
        assertThat(findings).anyMatch(finding -> finding.what().contains("it starts at earliest"));
        assertThat(findings).anyMatch(finding -> finding.what().contains("is made at the start"));
        try (var admin = admin()) {
            assertThat(admin.listTopics().names().get(30, TimeUnit.SECONDS)).doesNotContain(letters);
            assertThat(admin.listGroups().all().get(30, TimeUnit.SECONDS))
                    .noneMatch(one -> one.groupId().equals(group));
        }
        assertThat(TOPICS.committed(group)).isEmpty();
    }

    private static Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", SharedBroker.bootstrap()));
    }

    @Test
    void everyUnknownTopicIsAFaultAndAPatternThatMatchesNothingAHazard() {
        TOPICS.create(topic, 1);
        var missing = SharedBroker.fresh("missing");
        assertThat(only(look(settings(topic, missing)), Severity.FAULT).where())
                .isEqualTo("source.kafka.topics " + missing);
        var pattern = KafkaSourceSettings.of(
                SharedBroker.bootstrap(), new Subscription.Matching(Pattern.compile(missing + ".*")), group);
        assertThat(only(look(pattern), Severity.HAZARD).what()).contains("matches no topic");
    }

    @Test
    void aGroupWithoutOffsetsIsAFaultWhereTheFileSaysSo() {
        TOPICS.create(topic, 1);
        assertThat(only(look(settings(topic).onNoOffset(OnNoOffset.FAIL)), Severity.FAULT)
                        .remedy())
                .contains("on_no_offset");
    }

    @Test
    @DisplayName("CASE-7: what retention took is counted: a fault where the pipeline halts on it, else a hazard")
    @Tag("CASE-7")
    void offsetsThatRetentionTookAreCounted() throws Exception {
        TOPICS.create(topic, 1);
        produce(10, System.currentTimeMillis());
        TOPICS.commit(group, Map.of(new TopicPartition(topic, 0), 2L));
        try (var admin = admin()) {
            admin.deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(5)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
        assertThat(only(look(settings(topic)), Severity.FAULT).what()).contains("offsets 2 to 4, at most 3 records");
        assertThat(only(look(settings(topic).onLostOffset(OnLostOffset.CONTINUE)), Severity.HAZARD)
                        .what())
                .contains("goes on at 5");
    }

    @Test
    void anOffsetBeyondTheLogAndOneOfATopicThatIsGoneAreFaults() throws Exception {
        TOPICS.create(topic, 1);
        var partition = new TopicPartition(topic, 0);
        TOPICS.commit(group, Map.of(partition, 7L));
        assertThat(only(look(settings(topic)), Severity.FAULT).what()).contains("beyond the log's end 0");
        try (var admin = admin()) {
            var of = new OffsetAndMetadata(0, "t1.AAAAAAAAAAAAAAAAAAAAAQ");
            admin.alterConsumerGroupOffsets(group, Map.of(partition, of)).all().get(30, TimeUnit.SECONDS);
        }
        assertThat(only(look(settings(topic)), Severity.FAULT).what()).contains("that was deleted");
    }

    private KafkaSourceSettings planned(long fingerprint) {
        var planning = new Planning(
                fingerprint, new AtomicInteger(), 8, 4096, 60_000_000_000L, InstantSource.system(), _ -> Map.of());
        return settings(topic).planning(planning);
    }

    /// A group that was ended with two segments open under settings of the fingerprint 77.
    private void leavesSegmentsOpen() throws Exception {
        TOPICS.create(topic, 1);
        produce(10, System.currentTimeMillis());
        try (var admin = admin()) {
            var cluster = admin.describeCluster().clusterId().get(30, TimeUnit.SECONDS);
            var plan = new Plan(
                    77,
                    TopicId.UNKNOWN,
                    cluster.hashCode(),
                    new TreeMap<>(),
                    List.of(new Segment(2, 6, 1, 1, false), new Segment(6, 9, 1, 1, false)));
            var of = new OffsetAndMetadata(2, PlanCodec.encode(plan, 2));
            admin.alterConsumerGroupOffsets(group, Map.of(new TopicPartition(topic, 0), of))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    @Tag("EO-9")
    @DisplayName("EO-9: segments that are open under other settings are told before the start halts on them")
    void openSegmentsOfOtherSettingsAreAFault() throws Exception {
        leavesSegmentsOpen();
        assertThat(look(planned(77))).isEmpty();
        for (var other : List.of(planned(78), settings(topic))) {
            var fault = only(look(other), Severity.FAULT);
            assertThat(fault.where()).isEqualTo("source.kafka.topics " + topic + "-0");
            assertThat(fault.what())
                    .startsWith("2 segments [2, 9) are open that were cut under other settings")
                    .endsWith("the start halts on it with exit code 5");
            assertThat(fault.remedy()).contains("settings of before", "on_config_change: replan");
            assertThat(only(look(other.replans(true)), Severity.HAZARD).what())
                    .contains("they are cut anew, and 7 rows may be stored twice");
        }
    }

    @Test
    @Tag("EO-9")
    @DisplayName("EO-9: while somebody is in the group, who may drain, they are a hazard, and hold no reload up")
    void openSegmentsOfWhoRunsAreAHazard() throws Exception {
        leavesSegmentsOpen();
        Map<String, Object> of = Map.of(
                "bootstrap.servers",
                SharedBroker.bootstrap(),
                "group.id",
                group,
                "client.id",
                group + "-0",
                "enable.auto.commit",
                "false",
                "partition.assignment.strategy",
                "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");
        try (var member = new KafkaConsumer<>(of, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            member.subscribe(List.of(topic));
            while (member.assignment().isEmpty()) member.poll(Duration.ofMillis(100));
            var findings = look(planned(78));
            assertThat(findings).noneMatch(finding -> finding.severity() == Severity.FAULT);
            assertThat(only(findings, Severity.HAZARD).remedy()).startsWith("let them drain");
        }
    }

    @Test
    @DisplayName("CFG-4: retention against lag is told by the age of the first unread record")
    void whatRetentionMayTakeBeforeItIsReadIsAHazard() {
        TOPICS.create(
                topic,
                1,
                Map.of("retention.ms", Long.toString(Duration.ofDays(7).toMillis())));
        produce(3, System.currentTimeMillis() - Duration.ofDays(6).toMillis());
        produce(2, System.currentTimeMillis());
        var partition = new TopicPartition(topic, 0);
        TOPICS.commit(group, Map.of(partition, 1L));
        assertThat(only(look(settings(topic)), Severity.HAZARD).what())
                .isEqualTo("its first unread record is 6 days old, and retention may take it in 23 hours; 4 offsets are"
                        + " unread");
        TOPICS.commit(group, Map.of(partition, 3L));
        assertThat(look(settings(topic))).isEmpty();
    }

    @Test
    void aMarkerAtTheEndOfALogIsNoRecordThatIsWaitedFor() {
        TOPICS.create(topic, 1);
        TOPICS.produceCommitted(List.of(new ProducerRecord<>(topic, 0, null, "{}".getBytes(StandardCharsets.UTF_8))));
        TOPICS.commit(group, Map.of(new TopicPartition(topic, 0), 1L));
        assertThat(look(settings(topic))).isEmpty();
    }

    @Test
    void whatALogsSizeMayTakeIsAHazard() {
        TOPICS.create(topic, 1, Map.of("retention.bytes", "100"));
        produce(20, System.currentTimeMillis());
        TOPICS.commit(group, Map.of(new TopicPartition(topic, 0), 1L));
        assertThat(only(look(settings(topic)), Severity.HAZARD).what()).contains("retention.bytes is 100");
    }

    @Test
    void aDeadLetterTopicThatForgetsOrIsNarrowIsTold() {
        TOPICS.create(topic, 1, Map.of("max.message.bytes", "2000000"));
        TOPICS.commit(group, Map.of(new TopicPartition(topic, 0), 0L));
        var letters = SharedBroker.fresh("letters");
        TOPICS.create(
                letters,
                1,
                Map.of(
                        "cleanup.policy", "compact,delete",
                        "retention.ms", "1000000",
                        "retention.bytes", "5000000",
                        "max.message.bytes", "1000000",
                        "min.insync.replicas", "2"));
        var findings = look(settings(topic), letters, AMPLE);
        assertThat(findings.stream().map(finding -> finding.severity() + " " + finding.what()))
                .anyMatch(told -> told.startsWith("FAULT it is compacted"))
                .anyMatch(told -> told.startsWith("FAULT min.insync.replicas is 2 and a partition has 1 replicas"))
                .anyMatch(told -> told.startsWith("HAZARD retention.ms is 1000000"))
                .anyMatch(told -> told.startsWith("HAZARD retention.bytes is 5000000"))
                .anyMatch(told -> told.startsWith(
                        "HAZARD max.message.bytes is 1000000, and its sources take records of" + " 2000000"))
                .hasSize(5);
    }

    @Test
    void aDeadLetterTopicThatCannotBeMadeIsAFault() {
        TOPICS.create(topic, 1);
        assertThat(only(look(settings(topic), "no/name", AMPLE), Severity.FAULT).where())
                .isEqualTo("poison.topic no/name");
    }

    @Test
    void othersInTheGroupAreToldAndAnotherAssignorIsAFault() throws Exception {
        TOPICS.create(topic, 1);
        TOPICS.commit(group, Map.of(new TopicPartition(topic, 0), 0L));
        Map<String, Object> of = Map.of(
                "bootstrap.servers",
                SharedBroker.bootstrap(),
                "group.id",
                group,
                "client.id",
                "somebody",
                "partition.assignment.strategy",
                "org.apache.kafka.clients.consumer.RangeAssignor");
        try (var stranger = new KafkaConsumer<>(of, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            stranger.subscribe(List.of(topic));
            while (stranger.assignment().isEmpty()) stranger.poll(Duration.ofMillis(100));
            var findings = look(settings(topic));
            assertThat(only(findings, Severity.FAULT).what()).contains("assign by range");
            assertThat(only(findings, Severity.HAZARD).what()).contains("client ids somebody");
        }
    }

    @Test
    void aGroupOfTheConsumerProtocolIsServedByTheBrokerOfToday() {
        TOPICS.create(topic, 1);
        assertThat(look(settings(topic).groupProtocol(GroupProtocol.CONSUMER)))
                .noneMatch(finding -> finding.severity() == Severity.FAULT);
    }

    @Test
    void aBrokerThatIsNotThereOrHangsIsUnreachedWithinItsTime() throws IOException {
        var nowhere = KafkaSourceSettings.of("127.0.0.1:1", new Subscription.Named(List.of("orders")), "group");
        assertThat(only(look(nowhere, null, Duration.ofMillis(600)), Severity.UNREACHED)
                        .where())
                .isEqualTo("source.kafka.bootstrap_servers");
        try (var hangs = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var silent = KafkaSourceSettings.of(
                    "127.0.0.1:" + hangs.getLocalPort(), new Subscription.Named(List.of("orders")), "group");
            assertThat(only(look(silent, "dead", Duration.ofMillis(600)), Severity.UNREACHED)
                            .what())
                    .startsWith("could not describe the cluster");
        }
    }

    @Test
    void clientPropertiesThatDoNotFitEachOtherAreAFault() {
        var settings =
                settings(topic).properties(Map.of("session.timeout.ms", "3000", "heartbeat.interval.ms", "3000"));
        assertThat(only(look(settings), Severity.FAULT).where()).isEqualTo("source.kafka.properties");
        var address = KafkaSourceSettings.of("no address", new Subscription.Named(List.of("orders")), "group");
        assertThat(only(look(address), Severity.FAULT).where()).isEqualTo("source.kafka.properties");
    }
}
