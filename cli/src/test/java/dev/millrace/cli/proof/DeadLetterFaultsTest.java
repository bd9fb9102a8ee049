package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.EmbeddedBroker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A dead-letter topic that takes nothing, or not all: its partition waits and says why, and everything else goes on.
@ExtendWith(LabExtension.class)
class DeadLetterFaultsTest {
    private static final int BEFORE = 100;
    private static final int BEHIND = 50;

    private static EmbeddedBroker broker;

    @BeforeAll
    static void launch() {
        broker = EmbeddedBroker.launch(SharedLab.settings()
                .with("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .with("allow.everyone.if.no.acl.found", "true"));
    }

    @AfterAll
    static void close() {
        broker.close();
    }

    /// What is wrong with the topic, and how it shows.
    enum Fault {
        NOT_ALLOWED("TopicAuthorizationException") {
            @Override
            void begin(Stage stage, String dead) throws Exception {
                Stage.done(stage.admin()
                        .createAcls(List.of(acl(dead, true), acl(dead, false)))
                        .all());
            }

            @Override
            void mend(Stage stage, String dead) throws Exception {
                Stage.done(stage.admin()
                        .deleteAcls(List.of(acl(dead, false).toFilter()))
                        .all());
            }
        },
        TOO_SMALL("RecordTooLargeException") {
            @Override
            void begin(Stage stage, String dead) throws Exception {
                alter(stage, dead, "max.message.bytes", "2000");
            }

            @Override
            void mend(Stage stage, String dead) throws Exception {
                alter(stage, dead, "max.message.bytes", "200000");
            }
        },
        DELETED("dead-letter topic") {
            @Override
            void begin(Stage stage, String dead) {
                stage.topics().delete(dead);
            }

            @Override
            void mend(Stage stage, String dead) {
                stage.topics().create(dead, 1);
            }
        };

        final String told;

        Fault(String told) {
            this.told = told;
        }

        abstract void begin(Stage stage, String dead) throws Exception;

        abstract void mend(Stage stage, String dead) throws Exception;
    }

    private static void alter(Stage stage, String topic, String name, String value) throws Exception {
        var op = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Stage.done(stage.admin()
                .incrementalAlterConfigs(Map.of(resource, List.of(op)))
                .all());
    }

    private static AclBinding acl(String topic, boolean allowed) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                new AccessControlEntry(
                        "User:ANONYMOUS",
                        "*",
                        allowed ? AclOperation.ALL : AclOperation.WRITE,
                        allowed ? AclPermissionType.ALLOW : AclPermissionType.DENY));
    }

    private static Recipe recipe(Stage stage, String topic, String dead) {
        return stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error").set("poison.topic", dead);
    }

    /// A row that the table does not take, or one that is none.
    private static ProducerRecord<byte[], byte[]> bad(String topic, int partition, boolean row) {
        var noise = Large.noise(1, 20_000);
        var value = row ? "{\"id\":77777,\"p\":7,\"v\":\"" + noise + "\"}" : noise;
        return new ProducerRecord<>(topic, partition, bytes("key"), bytes(value));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static long committed(Stage stage, String topic, int partition) {
        return stage.topics().committed(stage.group()).getOrDefault(new TopicPartition(topic, partition), 0L);
    }

    @ParameterizedTest(
            name = "CASE-18, POI-9: {0}: offsets do not pass the row, everything else goes on, nothing is lost")
    @EnumSource
    @Tag("POI-8")
    @Tag("CASE-18")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void aLetterThatIsNotTakenHoldsItsOffsetAndNothingElse(Fault fault, SharedLab lab) throws Exception {
        try (var stage = new Stage(lab, broker.bootstrapServers())) {
            stage.execute("create table t (id integer primary key, p integer check (p <> 7), v text)");
            var topic = stage.topic("rows");
            var box = new LetterBox(stage.topics(), stage.topic("dead"));
            stage.topics().create(topic, 3);
            var run = stage.start(recipe(stage, topic, box.topic())).ready();
            for (var partition = 0; partition < 3; partition++)
                stage.topics().produce(Stage.rows(topic, partition, 1000 * partition, BEFORE));
            run.await("the first rows", () -> stage.caughtUp(topic));

            fault.begin(stage, box.topic());
            // One that the table refuses, one that never becomes a row.
            stage.topics().produce(List.of(bad(topic, 0, true), bad(topic, 1, false)));
            for (var partition = 0; partition < 3; partition++)
                stage.topics().produce(Stage.rows(topic, partition, 1000 * partition + BEFORE, BEHIND));
            run.await("rows behind them land", () -> stage.count("t") == 3 * (BEFORE + BEHIND));
            run.await("the third partition is committed", () -> committed(stage, topic, 2) == BEFORE + BEHIND);
            run.await("both are told", () -> told(run, topic, 0, fault) && told(run, topic, 1, fault));
            assertThat(committed(stage, topic, 0)).isEqualTo(BEFORE);
            assertThat(committed(stage, topic, 1)).isEqualTo(BEFORE);
            assertThat(run.pages().code("/healthz")).isEqualTo(200);

            fault.mend(stage, box.topic());
            run.await("all committed", () -> stage.caughtUp(topic));
            var report = run.stop(0);
            assertThat(report.rows().deadLettered()).isEqualTo(2);
            assertThat(report.rows().delivered()).isEqualTo(3 * (BEFORE + BEHIND));
            var originals = stage.topics().readAll(topic).stream()
                    .filter(one -> one.offset() == BEFORE && one.partition() < 2)
                    .toList();
            assertThat(originals)
                    .hasSize(2)
                    .allSatisfy(original -> assertThat(box.letters()).anyMatch(letter -> letter.is(original)));
            assertThat(box.letters())
                    .extracting(LetterBox.Letter::place)
                    .contains(topic + "-0@" + BEFORE, topic + "-1@" + BEFORE);
        }
    }

    /// Whether /stuck says of this partition what the fault is.
    private static boolean told(InProcess run, String topic, int partition, Fault fault) throws Exception {
        for (var stuck : new com.fasterxml.jackson.databind.ObjectMapper()
                .readTree(run.pages().body("/stuck"))
                .path("partitions")) {
            if (stuck.path("topic").asText().equals(topic)
                    && stuck.path("partition").asInt() == partition
                    && stuck.toString().contains(fault.told)) return true;
        }
        return false;
    }

    @Test
    @Tag("DRN-5")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName(
            "CASE-18, POI-9: a drain while letters are not taken leaves them in doubt and says why; the next run sends them")
    void aDrainLeavesThemAndSaysWhy(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab, broker.bootstrapServers())) {
            stage.execute("create table t (id integer primary key, p integer check (p <> 7), v text)");
            var topic = stage.topic("rows");
            var box = new LetterBox(stage.topics(), stage.topic("dead"));
            stage.topics().create(topic, 2);
            var run = stage.start(recipe(stage, topic, box.topic()).set("drain.timeout", "1s"))
                    .ready();
            for (var partition = 0; partition < 2; partition++)
                stage.topics().produce(Stage.rows(topic, partition, 1000 * partition, BEFORE));
            run.await("the first rows", () -> stage.caughtUp(topic));
            Fault.NOT_ALLOWED.begin(stage, box.topic());
            stage.topics().produce(List.of(bad(topic, 0, true), bad(topic, 1, false)));
            run.await(
                    "both are told",
                    () -> told(run, topic, 0, Fault.NOT_ALLOWED) && told(run, topic, 1, Fault.NOT_ALLOWED));

            var report = run.stop(3);
            assertThat(report.drained()).isFalse();
            assertThat(report.rows().inDoubt()).isEqualTo(2);
            assertThat(report.rows().deadLettered()).isZero();
            assertThat(report.partitions())
                    .hasSize(2)
                    .allSatisfy(partition -> assertThat(partition.blockedBy())
                            .contains(
                                    "TopicAuthorizationException", "dead-letter topic " + box.topic(), "allow WRITE"));
            assertThat(committed(stage, topic, 0)).isEqualTo(BEFORE);
            assertThat(committed(stage, topic, 1)).isEqualTo(BEFORE);

            Fault.NOT_ALLOWED.mend(stage, box.topic());
            var next = stage.start(recipe(stage, topic, box.topic()));
            var rows = new ArrayList<>(Stage.rows(topic, 0, BEFORE, BEHIND));
            stage.topics().produce(rows);
            next.await("all committed", () -> stage.caughtUp(topic));
            assertThat(next.stop(0).rows().deadLettered()).isEqualTo(2);
            assertThat(stage.count("t")).isEqualTo(2 * BEFORE + BEHIND);
            assertThat(box.letters())
                    .extracting(LetterBox.Letter::place)
                    .contains(topic + "-0@" + BEFORE, topic + "-1@" + BEFORE);
        }
    }
}
