package dev.millrace.kafka;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.MemoryIntake;
import dev.millrace.sinkpool.NanoClock;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// A member whose commits of plans a real broker, or what stands before it, does not take as it should.
final class PlanCommitsTest {
    private static final int ROWS = 10;

    private final MemoryIntake intake = new MemoryIntake();
    private final String topic = SharedBroker.fresh("plans");
    private final AtomicInteger acknowledged = new AtomicInteger();

    /// One consumer's calls, but for those that a test answers itself.
    private interface Calls {
        @Nullable
        Object on(String method, Object[] args, Going through) throws Throwable;

        interface Going {
            @Nullable
            Object on() throws Throwable;
        }
    }

    @SuppressWarnings("unchecked")
    private static Consumer<ByteBuffer, ByteBuffer> around(Consumer<ByteBuffer, ByteBuffer> real, Calls calls) {
        InvocationHandler handler =
                (_, method, args) -> calls.on(method.getName(), args == null ? new Object[0] : args, () -> {
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
        return (Consumer<ByteBuffer, ByteBuffer>)
                Proxy.newProxyInstance(Consumer.class.getClassLoader(), new Class<?>[] {Consumer.class}, handler);
    }

    private Rig rig(UnaryOperator<Consumer<ByteBuffer, ByteBuffer>> around) {
        SharedBroker.topics().create(topic, 1);
        var planning = new Planning(1, new AtomicInteger(), 8, 4096, 60_000 * Rig.MS, Instant::now, _ -> Map.of());
        var settings = Rig.settings(GroupProtocol.CLASSIC, topic, topic)
                .planning(planning)
                .properties(Map.of("heartbeat.interval.ms", "300", "session.timeout.ms", "6000"));
        return new Rig(settings, List.of(plannedSink()), intake, NanoClock.SYSTEM, DeadLetters.none(), around);
    }

    private static SinkFeed plannedSink() {
        var plain = Bench.sink(1);
        return new SinkFeed(
                plain.name(),
                plain.topics(),
                plain.encoder(),
                plain.router(),
                plain.shards(),
                plain.lanes(),
                plain.slabs(),
                plain.chunkLingerNanos(),
                new SinkFeed.PlannedBatches(1_000, 1 << 20, () -> 20 * Rig.MS));
    }

    private void produce() {
        SharedBroker.topics().produce(topic, 0, ROWS);
    }

    @Test
    @DisplayName("EO-4 A member whose commits are refused for its membership, and that no callback tells why, sends"
            + " nothing, and joins anew when its session would have ended")
    void whoLearnsNothingJoinsAnew() throws Exception {
        var made = new AtomicInteger();
        var closed = new AtomicInteger();
        var sentBefore = new AtomicInteger(-1);
        try (var rig = rig(real -> {
            var first = made.incrementAndGet() == 1;
            if (!first) sentBefore.compareAndSet(-1, intake.writes().size());
            return around(real, (method, args, through) -> {
                if (method.equals("close")) closed.incrementAndGet();
                if (first && method.equals("commitAsync") && !((Map<?, ?>) args[0]).isEmpty()) {
                    refuse(args);
                    return null;
                }
                return through.on();
            });
        })) {
            produce();
            rig.source.start();
            rig.awaitRows(ROWS);
            assertThat(made).hasValue(2);
            assertThat(closed).as("the first").hasValue(1);
            assertThat(sentBefore).as("rows sent by whom nothing is sure of").hasValue(0);
            Await.until(() -> "committed: " + rig.committed(0), () -> rig.committed(0) == ROWS);
            assertThat(intake.writes()).hasSize(ROWS);
            assertThat(rig.failures).isEmpty();
        }
    }

    @SuppressWarnings("unchecked")
    private static void refuse(Object[] args) {
        ((OffsetCommitCallback) args[1])
                .onComplete(
                        (Map<TopicPartition, OffsetAndMetadata>) args[0],
                        new RebalanceInProgressException("and nobody says which"));
    }

    @Test
    @DisplayName("EO-8 A broker that keeps offsets without the text beside them is found out by the first plan")
    void whoKeepsNoTextIsFoundOut() throws Exception {
        try (var rig = rig(real -> around(real, (method, _, through) -> {
            var answer = through.on();
            return method.equals("committed") ? withoutText(answer) : answer;
        }))) {
            produce();
            rig.source.start();
            rig.awaitRows(ROWS);
            Await.until("told", () -> rig.plansNotKept.get() > 0);
            Await.until(() -> "committed: " + rig.committed(0), () -> rig.committed(0) == ROWS);
            assertThat(rig.plansNotKept).as("once").hasValue(1);
        }
    }

    private static Map<TopicPartition, OffsetAndMetadata> withoutText(@Nullable Object answer) {
        var out = new HashMap<TopicPartition, OffsetAndMetadata>();
        ((Map<?, ?>) requireNonNull(answer)).forEach((partition, entry) -> {
            if (entry instanceof OffsetAndMetadata at)
                out.put((TopicPartition) partition, new OffsetAndMetadata(at.offset(), at.leaderEpoch(), ""));
        });
        return out;
    }

    @Test
    @DisplayName("EO-8 One that keeps it is asked until it has answered, once for each plan that it took, and no more")
    void whoKeepsItIsAskedOnceForEachPlan() throws Exception {
        var asked = new AtomicInteger();
        try (var rig = rig(real -> around(real, (method, args, through) -> {
            if (method.equals("commitAsync")) {
                counting(args);
            } else if (method.equals("committed") && acknowledged.get() > 0 && asked.incrementAndGet() < 3) {
                throw new TimeoutException("nobody answers");
            }
            return through.on();
        }))) {
            rig.source.start();
            for (var i = 1; i <= 4; i++) {
                produce();
                rig.awaitRows(i * ROWS);
                var all = i * ROWS;
                Await.until(() -> "committed: " + rig.committed(0), () -> rig.committed(0) == all);
                assertThat(asked.get()).isLessThanOrEqualTo(acknowledged.get());
            }
            Await.until(() -> "asked: " + asked, () -> asked.get() == 3);
            assertThat(rig.plansNotKept).hasValue(0);
        }
    }

    private void counting(Object[] args) {
        var told = (OffsetCommitCallback) args[1];
        args[1] = (OffsetCommitCallback) (offsets, failure) -> {
            if (failure == null
                    && offsets.values().stream().anyMatch(at -> at.metadata().startsWith("s1.")))
                acknowledged.incrementAndGet();
            told.onComplete(offsets, failure);
        };
    }
}
