package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.CommitNote;
import dev.millrace.checkpoint.Plan;
import dev.millrace.checkpoint.PlanCodec;
import dev.millrace.checkpoint.Segment;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.kafka.KafkaSourceSettings.OnNoOffset;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.lab.BrokerSettings;
import dev.millrace.lab.EmbeddedBroker;
import dev.millrace.lab.Topics;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.NanoClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a checkup finds where the user may not do what a source does: on a broker of its own, with
/// an authorizer.
@Tag("CFG-4")
@Timeout(120)
final class SourceCheckupRightsTest {
    private static final TopicId OTHER = new TopicId("aaaaaaaaaaaaaaaaaaaaaQ");

    private static EmbeddedBroker broker;
    private static Topics topics;
    private static Admin admin;

    private final String topic = SharedBroker.fresh("orders");
    private final String letters = SharedBroker.fresh("letters");
    private final String group = SharedBroker.fresh("group");

    @BeforeAll
    static void launch() {
        broker = EmbeddedBroker.launch(BrokerSettings.small()
                .with("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .with("allow.everyone.if.no.acl.found", "true"));
        topics = new Topics(broker.bootstrapServers());
        admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
    }

    @AfterAll
    static void close() {
        topics.close();
        admin.close();
        broker.close();
    }

    private static void deny(ResourceType type, String name, AclOperation operation) throws Exception {
        add(type, name, AclOperation.ALL, AclPermissionType.ALLOW);
        add(type, name, operation, AclPermissionType.DENY);
    }

    private static void add(ResourceType type, String name, AclOperation operation, AclPermissionType how)
            throws Exception {
        var rule = new AclBinding(
                new ResourcePattern(type, name, PatternType.LITERAL),
                new AccessControlEntry("User:ANONYMOUS", "*", operation, how));
        admin.createAcls(List.of(rule)).all().get();
        Await.until("the acl holds", () -> known(rule));
    }

    private static boolean known(AclBinding rule) {
        try {
            return admin.describeAcls(rule.toFilter()).values().get().size() == 1;
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    /// Severities, places and words, a line each.
    private List<String> look(String... names) {
        var settings = KafkaSourceSettings.of(broker.bootstrapServers(), new Subscription.Named(List.of(names)), group)
                .onNoOffset(OnNoOffset.EARLIEST);
        return new SourceCheckup(settings, letters, NanoClock.SYSTEM, InstantSource.system())
                .look(NanoClock.SYSTEM.nanoTime() + 30_000_000_000L).stream()
                        .map(SourceCheckupRightsTest::line)
                        .toList();
    }

    private static String line(Finding finding) {
        return finding.severity() + " " + finding.where() + ": " + finding.what();
    }

    @Test
    void eachRightThatIsMissingOnTopicsIsTold() throws Exception {
        var hidden = SharedBroker.fresh("hidden");
        var unread = SharedBroker.fresh("unread");
        for (var name : List.of(topic, hidden, unread, letters)) topics.create(name, 1);
        deny(ResourceType.TOPIC, hidden, AclOperation.DESCRIBE);
        deny(ResourceType.TOPIC, unread, AclOperation.READ);
        deny(ResourceType.TOPIC, topic, AclOperation.DESCRIBE_CONFIGS);
        deny(ResourceType.TOPIC, letters, AclOperation.WRITE);
        assertThat(look(topic, hidden, unread))
                .contains("FAULT source.kafka.topics " + hidden + ": the user may not see it")
                .contains("FAULT source.kafka.topics " + unread + ": the user may not read it")
                .contains("FAULT poison.topic " + letters + ": the user may not write to it")
                .contains("NOTE source.kafka.topics: retention and sizes of " + topic + " are not told to this user")
                .noneMatch(line -> line.startsWith("UNREACHED"));
    }

    @Test
    void eachRightThatIsMissingOnTheGroupIsTold() throws Exception {
        topics.create(topic, 1);
        topics.create(letters, 1);
        topics.commit(group, Map.of(new TopicPartition(topic, 0), 0L));
        deny(ResourceType.GROUP, group, AclOperation.READ);
        assertThat(look(topic)).contains("FAULT source.kafka.group_id: the user may not commit as group " + group);
        deny(ResourceType.GROUP, group, AclOperation.DESCRIBE);
        assertThat(look(topic)).contains("FAULT source.kafka.group_id: the user may not use group " + group);
    }

    @Test
    void aDeadLetterTopicThatTheUserMayNotMakeOrSeeIsTold() throws Exception {
        topics.create(topic, 1);
        deny(ResourceType.TOPIC, letters, AclOperation.CREATE);
        // The cluster's right to make any topic would do, too.
        deny(ResourceType.CLUSTER, "kafka-cluster", AclOperation.CREATE);
        try {
            assertThat(look(topic))
                    .anyMatch(line ->
                            line.startsWith("FAULT poison.topic " + letters + ": it is not there, and can't be made"));
        } finally {
            var ofCluster = new ResourcePatternFilter(ResourceType.CLUSTER, null, PatternType.ANY);
            admin.deleteAcls(List.of(new AclBindingFilter(ofCluster, AccessControlEntryFilter.ANY)))
                    .all()
                    .get();
        }
        deny(ResourceType.TOPIC, letters, AclOperation.DESCRIBE);
        assertThat(look(topic)).contains("FAULT poison.topic " + letters + ": the user may not see it");
    }

    private static void left(String left, String topic, String note) throws Exception {
        admin.alterConsumerGroupOffsets(
                        left, Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(0, Optional.empty(), note)))
                .all()
                .get();
    }

    private static TopicId id(String topic) throws Exception {
        for (var found :
                admin.describeTopics(List.of(topic)).allTopicNames().get().values())
            return new TopicId(found.topicId().toString());
        throw new AssertionError(topic);
    }

    private static String plan(TopicId of) {
        var segments = List.of(new Segment(0, 5, 1_000, 100, false), new Segment(5, 9, 1_001, 100, false));
        return PlanCodec.encode(new Plan(1, of, 1, new TreeMap<>(), segments), 0);
    }

    private static String leftovers(List<String> lines) {
        return lines.stream()
                .filter(line -> line.contains("of Millrace"))
                .reduce((_, _) -> {
                    throw new AssertionError("two notes: " + lines);
                })
                .orElse("");
    }

    @Test
    @Tag("OPS-14")
    @DisplayName("OPS-14: groups without members that hold commits of Millrace are told, with who reads their topics,"
            + " and no others")
    void groupsOfPipelinesThatRunNoMoreAreTold() throws Exception {
        var read = SharedBroker.fresh("read");
        var again = SharedBroker.fresh("again");
        for (var name : List.of(topic, letters, read, again)) topics.create(name, 1);
        assertThat(leftovers(look(topic))).isEmpty();

        left("left-again", again, CommitNote.of(OTHER));
        left("left-noted", topic, CommitNote.of(id(topic)));
        left("left-planned", read, plan(id(read)));
        left("left-other", topic, "another's text");
        left("left-plain", topic, "");
        left(group, topic, CommitNote.of(id(topic)));
        try (var reader = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers(), "group.id", "reads-now"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            reader.subscribe(List.of(read));
            Await.until("it reads", () -> {
                reader.poll(Duration.ofMillis(50));
                return !reader.assignment().isEmpty();
            });
            assertThat(leftovers(look(topic)))
                    .isEqualTo("NOTE source.kafka.bootstrap_servers: 3 groups have no members and hold offsets of"
                            + " Millrace, of pipelines that do not run now: left-again (" + again
                            + ": gone, or made again), left-noted (" + topic + ": read by none), left-planned (" + read
                            + ": read by reads-now, 2 segments that may not be stored)");
        } finally {
            forget("left-again", "left-noted", "left-planned", group);
        }
    }

    private static void forget(String... groups) throws Exception {
        admin.deleteConsumerGroups(List.of(groups)).all().get();
    }

    @Test
    @Tag("OPS-14")
    @DisplayName("OPS-14: offsets that the pipeline's own group holds of topics that are gone, or were made again, are"
            + " told")
    void offsetsOfTopicsThatAreGoneAreTold() throws Exception {
        var again = SharedBroker.fresh("again");
        var kept = SharedBroker.fresh("kept");
        for (var name : List.of(topic, letters, again, kept)) topics.create(name, 1);
        left(group, topic, CommitNote.of(id(topic)));
        left(group, kept, CommitNote.of(id(kept)));
        left(group, again, CommitNote.of(OTHER));
        try {
            assertThat(look(topic))
                    .contains("NOTE source.kafka.group_id: group " + group
                            + " holds offsets of topics that are gone, or were made again: " + again);
        } finally {
            forget(group);
        }
    }

    @Test
    @Tag("OPS-14")
    @DisplayName("OPS-14: a user who may not see all groups is told that")
    void aUserWhoMayNotSeeAllGroupsIsTold() throws Exception {
        topics.create(topic, 1);
        topics.create(letters, 1);
        var what = "this user may not see every group";
        assertThat(look(topic)).noneMatch(line -> line.contains(what));
        var cluster = new ResourcePattern(ResourceType.CLUSTER, "kafka-cluster", PatternType.LITERAL);
        var all = new AccessControlEntry("User:ANONYMOUS", "*", AclOperation.ALL, AclPermissionType.ALLOW);
        var none = new AccessControlEntry("User:ANONYMOUS", "*", AclOperation.DESCRIBE, AclPermissionType.DENY);
        // Whoever may not describe the cluster may not read its rules either.
        admin.createAcls(List.of(new AclBinding(cluster, all), new AclBinding(cluster, none)))
                .all()
                .get();
        try {
            Await.until(
                    "it is told",
                    () -> look(topic).stream().anyMatch(line -> line.startsWith("NOTE ") && line.contains(what)));
        } finally {
            var ofCluster = new ResourcePatternFilter(ResourceType.CLUSTER, null, PatternType.ANY);
            admin.deleteAcls(List.of(new AclBindingFilter(ofCluster, AccessControlEntryFilter.ANY)))
                    .all()
                    .get();
            Await.until("the rules are gone", () -> look(topic).stream().noneMatch(line -> line.contains(what)));
        }
    }
}
