package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
import dev.millrace.kafka.KafkaSourceSettings.OnNoOffset;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.lab.Topics;
import dev.millrace.sinkpool.MemoryIntake;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(GroupProtocol.class)
final class SourceStartTest {
    private static final Topics TOPICS = SharedBroker.topics();
    private static final long MS = 1_000_000L;

    private final GroupProtocol protocol;

    SourceStartTest(GroupProtocol protocol) {
        this.protocol = protocol;
    }

    private KafkaSourceSettings nowhere() {
        return KafkaSourceSettings.of("127.0.0.1:1", new Subscription.Named(List.of("orders")), "group");
    }

    private static StartRefused refused(KafkaSourceSettings settings) {
        try (var rig = Rig.of(settings, new MemoryIntake())) {
            rig.source.start();
            throw new AssertionError("it started");
        } catch (StartRefused refused) {
            return refused;
        }
    }

    @Test
    @Tag("CFG-10")
    @Tag("SRC-6")
    void anUnknownTopicIsOneLineAndExitCodeTwo() {
        var topic = SharedBroker.fresh("missing");
        var refusal = refused(Rig.settings(protocol, "group", topic));
        assertThat(refusal.exitCode()).isEqualTo(2);
        assertThat(refusal).hasMessageContaining("unknown topic " + topic);
    }

    @Test
    @Tag("CFG-10")
    void aBrokerThatIsNotReachedInTimeIsExitCodeFive() {
        var refusal = refused(nowhere().startupTimeoutNanos(600 * MS));
        assertThat(refusal.exitCode()).isEqualTo(5);
        assertThat(refusal).hasMessageContaining("127.0.0.1:1").hasMessageContaining("600 ms");
    }

    @Test
    @Tag("CFG-10")
    void anAddressThatIsNoneIsExitCodeTwo() {
        var settings = KafkaSourceSettings.of("no address", new Subscription.Named(List.of("orders")), "group");
        assertThat(refused(settings).exitCode()).isEqualTo(2);
    }

    @Test
    @Tag("DRN-11")
    void aStopDuringTheStartEndsItCleanly() throws Exception {
        try (var rig = Rig.of(nowhere(), new MemoryIntake())) {
            var start = new FutureTask<Boolean>(rig.source::start);
            Thread.ofPlatform().start(start);
            Await.never("the start ended by itself", 200, start::isDone);
            rig.source.stop(System.nanoTime());
            Await.until("the start ended", start::isDone);
            assertThat(start.get()).isFalse();
            assertThat(rig.source.awaitClosed(System.nanoTime())).isTrue();
        }
    }

    @Test
    @Tag("SRC-6")
    @DisplayName("SRC-6: a group without an offset is refused, with both choices named")
    void aGroupWithoutOffsetsIsRefused() {
        var topic = SharedBroker.fresh("first");
        TOPICS.create(topic, 2);
        var refusal = refused(Rig.settings(protocol, topic, topic).onNoOffset(OnNoOffset.FAIL));
        assertThat(refusal.exitCode()).isEqualTo(2);
        assertThat(refusal).hasMessageContaining("earliest").hasMessageContaining("latest");
    }

    @Test
    @Tag("SRC-6")
    void theChosenStartIsCommittedBeforeTheFirstPoll() throws Exception {
        var topic = SharedBroker.fresh("latest");
        TOPICS.create(topic, 2);
        TOPICS.produce(topic, 1, 100);
        var ends = TOPICS.endOffsets(topic);
        var settings = Rig.settings(protocol, topic, topic).onNoOffset(OnNoOffset.LATEST);
        try (var rig = Rig.started(settings, new MemoryIntake())) {
            assertThat(TOPICS.committed(topic)).isEqualTo(ends);
            rig.awaitOwned(2);
            TOPICS.produce(Topics.records(topic, 1, 100, 50));
            rig.awaitRows(50);
            rig.drain();
            assertThat(rig.intake.writes()).hasSize(50);
        }
    }

    @Test
    @Tag("SRC-6")
    void aPartitionWithoutAnOffsetInAGroupThatHasSomeIsReadFromItsBeginning() throws Exception {
        var topic = SharedBroker.fresh("partly");
        TOPICS.create(topic, 2);
        TOPICS.produce(topic, 1, 100);
        var second = new TopicPartition(topic, 1);
        var ends = TOPICS.endOffsets(topic);
        TOPICS.commit(topic, Map.of(second, ends.getOrDefault(second, 0L)));
        var settings = Rig.settings(protocol, topic, topic).onNoOffset(OnNoOffset.FAIL);
        try (var rig = Rig.started(settings, new MemoryIntake())) {
            var expected = ends.getOrDefault(new TopicPartition(topic, 0), 0L).intValue();
            rig.awaitRows(expected);
            rig.drain();
            assertThat(rig.intake.rows())
                    .allSatisfy(row -> assertThat(row.partition().partition()).isZero());
        }
    }

    @Test
    @Tag("SRC-6")
    @DisplayName("SRC-6: two processes that start a new group at once both run, and read everything")
    void twoProcessesStartingAtOnceDoNotClash() throws Exception {
        var topic = SharedBroker.fresh("twins");
        TOPICS.create(topic, 4);
        TOPICS.produce(topic, 1, 400);
        try (var one = Rig.of(Rig.settings(protocol, topic, topic), new MemoryIntake());
                var two = Rig.of(Rig.settings(protocol, topic, topic), new MemoryIntake());
                var both = Executors.newFixedThreadPool(2)) {
            List<Callable<Boolean>> starts = List.of(one.source::start, two.source::start);
            for (var start : both.invokeAll(starts)) assertThat(start.get()).isTrue();
            Await.until("all rows", () -> {
                var seen = new java.util.HashSet<>(one.intake.writes().keySet());
                seen.addAll(two.intake.writes().keySet());
                return seen.size() == 400;
            });
            one.drain();
            two.drain();
            assertThat(one.failures).isEmpty();
            assertThat(two.failures).isEmpty();
            assertThat(TOPICS.committed(topic)).isEqualTo(TOPICS.endOffsets(topic));
        }
    }
}
