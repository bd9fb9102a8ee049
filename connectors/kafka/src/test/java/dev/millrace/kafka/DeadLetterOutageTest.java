package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.kafka.Letters.Ear;
import dev.millrace.lab.BrokerSettings;
import dev.millrace.lab.EmbeddedBroker;
import dev.millrace.lab.Topics;
import dev.millrace.sinkpool.NanoClock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Dead letters whose topic, or whole broker, takes nothing for a while: on a broker of its own, with an authorizer.
final class DeadLetterOutageTest {
    private static EmbeddedBroker broker;
    private static Topics topics;
    private static Admin admin;

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

    private static DeadLetterTopic open(String topic) {
        var settings = KafkaSourceSettings.of(
                        broker.bootstrapServers(), new Subscription.Named(List.of("orders")), "group")
                .startupTimeoutNanos(40_000_000_000L);
        return new DeadLetterTopic(topic, "shop", settings, NanoClock.SYSTEM);
    }

    private static DeadLetterTopic started(String topic) throws StartRefused {
        var letters = open(topic);
        assertThat(letters.start(() -> false, fault -> {
                    throw new AssertionError("it died", fault);
                }))
                .isTrue();
        return letters;
    }

    private static StartRefused refused(String topic) {
        try (var letters = open(topic)) {
            letters.start(() -> false, _ -> {});
            throw new AssertionError("it started");
        } catch (StartRefused refused) {
            return refused;
        }
    }

    private static AclBinding acl(ResourceType type, String name, AclOperation operation, AclPermissionType how) {
        return new AclBinding(
                new ResourcePattern(type, name, PatternType.LITERAL),
                new AccessControlEntry("User:ANONYMOUS", "*", operation, how));
    }

    /// From now on everything is allowed but this: the broker itself, too, is everybody here.
    private static AclBinding deny(ResourceType type, String name, AclOperation operation) throws Exception {
        add(acl(type, name, AclOperation.ALL, AclPermissionType.ALLOW));
        var denied = acl(type, name, operation, AclPermissionType.DENY);
        add(denied);
        return denied;
    }

    private static void add(AclBinding binding) throws Exception {
        admin.createAcls(List.of(binding)).all().get();
        Await.until("the acl holds", () -> acls(binding) == 1);
    }

    private static void remove(AclBinding binding) throws Exception {
        admin.deleteAcls(List.of(binding.toFilter())).all().get();
        Await.until("the acl is gone", () -> acls(binding) == 0);
    }

    private static int acls(AclBinding binding) {
        try {
            return admin.describeAcls(binding.toFilter()).values().get().size();
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    private static List<Ear> send(DeadLetterTopic letters, String source, int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(n -> Letters.send(letters, Letters.of(source, 0, n)))
                .toList();
    }

    private static void awaitFailed(List<Ear> ears) {
        Await.until(
                "every letter is told as failed",
                () -> ears.stream().noneMatch(ear -> ear.heard().isEmpty()));
    }

    private static void awaitAcknowledged(List<Ear> ears) {
        Await.until(
                () -> "acknowledged: " + ears.stream().filter(Ear::acked).count() + " of " + ears.size(),
                () -> ears.stream().allMatch(Ear::acked));
    }

    private static List<Integer> offsets(String dead) {
        return topics.readAll(dead).stream()
                .map(one -> Objects.requireNonNull(one.headers().lastHeader("millrace-offset"))
                        .value())
                .map(value -> Integer.parseInt(new String(value, StandardCharsets.UTF_8)))
                .toList();
    }

    private static List<Integer> upTo(int end) {
        return IntStream.range(0, end).boxed().toList();
    }

    @Test
    @DisplayName(
            "POI-9: a topic that may not be written to drops nothing, is told now and then, and goes on when it may")
    void whatIsNotAllowedIsWaitedFor() throws Exception {
        topics.create("denied", 1);
        topics.produce("denied", 1, 60);
        try (var letters = started("denied.dead")) {
            awaitAcknowledged(send(letters, "denied", 0, 10));
            var acl = deny(ResourceType.TOPIC, "denied.dead", AclOperation.WRITE);
            try (var log = new LogEar("dead_letter_failed")) {
                var ears = send(letters, "denied", 10, 60);
                awaitFailed(ears);
                assertThat(ears).noneMatch(Ear::acked);
                assertThat(letters.waiting()).isEqualTo(50);
                assertThat(letters.awaitAcknowledged(System.nanoTime() + 1)).isFalse();
                assertThat(log.count()).as("told, and not for each").isBetween(1, 10);
                remove(acl);
                awaitAcknowledged(ears);
            }
            assertThat(offsets("denied.dead")).containsAll(upTo(60));
            assertThat(letters.waiting()).isZero();
        }
    }

    @Test
    @DisplayName("POI-9: a topic that is gone drops nothing, and gets all when it is back")
    void aTopicThatIsGoneIsWaitedFor() throws Exception {
        topics.create("deleted", 1);
        topics.produce("deleted", 1, 30);
        try (var letters = started("deleted.dead")) {
            awaitAcknowledged(send(letters, "deleted", 0, 1));
            topics.delete("deleted.dead");
            var ears = send(letters, "deleted", 0, 3);
            awaitFailed(ears);
            assertThat(ears).noneMatch(Ear::acked);
            topics.create("deleted.dead", 1);
            awaitAcknowledged(ears);
            assertThat(offsets("deleted.dead")).containsAll(upTo(3));
        }
    }

    @Test
    @DisplayName("POI-9: a broker that is down drops nothing, and gets all when it is up")
    void aBrokerThatIsDownIsWaitedFor() throws Exception {
        topics.create("down", 1);
        topics.produce("down", 1, 30);
        try (var letters = started("down.dead")) {
            awaitAcknowledged(send(letters, "down", 0, 10));
            broker.stop();
            var ears = send(letters, "down", 10, 30);
            Await.until(
                    "told as failed",
                    () -> ears.stream().anyMatch(ear -> !ear.heard().isEmpty()));
            assertThat(ears).noneMatch(Ear::acked);
            broker.start();
            awaitAcknowledged(ears);
            assertThat(offsets("down.dead")).containsAll(upTo(30));
        }
    }

    @Test
    @Tag("CFG-10")
    void aTopicThatMayNotBeMadeIsRefusedWithTheRemedy() throws Exception {
        var cluster = deny(ResourceType.CLUSTER, "kafka-cluster", AclOperation.CREATE);
        var topic = deny(ResourceType.TOPIC, "unmade.dead", AclOperation.CREATE);
        var refusal = refused("unmade.dead");
        assertThat(refusal.exitCode()).isEqualTo(2);
        assertThat(refusal)
                .hasMessageContainingAll("poison.topic unmade.dead", "does not allow", "create it", "skip or stop");
        remove(cluster);
        remove(topic);
    }

    @Test
    @Tag("CFG-10")
    void aTopicThatMayNotBeWrittenToIsRefusedBeforeAnythingIsRead() throws Exception {
        topics.create("unwritable.dead", 1);
        var acl = deny(ResourceType.TOPIC, "unwritable.dead", AclOperation.WRITE);
        var refusal = refused("unwritable.dead");
        assertThat(refusal.exitCode()).isEqualTo(2);
        assertThat(refusal).hasMessageContainingAll("poison.topic unwritable.dead", "allow WRITE");
        remove(acl);
    }
}
