package dev.millrace.kafka;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
import dev.millrace.kafka.KafkaSourceSettings.OnNoOffset;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.MemoryIntake;
import dev.millrace.sinkpool.NanoClock;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;

/// A source on a real broker, with an intake in memory and an ear for what it says.
final class Rig implements AutoCloseable {
    static final long MS = 1_000_000L;

    final MemoryIntake intake;
    final OpenHandles handles = new OpenHandles();
    final List<String> failures = new CopyOnWriteArrayList<>();
    final CountDownLatch inputFinished = new CountDownLatch(1);
    final AtomicInteger plansNotKept = new AtomicInteger();
    final KafkaSource source;

    Rig(KafkaSourceSettings settings, List<SinkFeed> sinks, MemoryIntake intake) {
        this(settings, sinks, intake, NanoClock.SYSTEM);
    }

    Rig(KafkaSourceSettings settings, List<SinkFeed> sinks, MemoryIntake intake, NanoClock clock) {
        this(settings, sinks, intake, clock, DeadLetters.none());
    }

    Rig(KafkaSourceSettings settings, List<SinkFeed> sinks, MemoryIntake intake, NanoClock clock, DeadLetters letters) {
        this(settings, sinks, intake, clock, letters, UnaryOperator.identity());
    }

    Rig(
            KafkaSourceSettings settings,
            List<SinkFeed> sinks,
            MemoryIntake intake,
            NanoClock clock,
            DeadLetters letters,
            UnaryOperator<Consumer<ByteBuffer, ByteBuffer>> around) {
        this.intake = intake;
        var listener = new SourceListener() {
            @Override
            public void inputFinished() {
                inputFinished.countDown();
            }

            @Override
            public void failed(int exitCode, String reason) {
                failures.add(exitCode + " " + reason);
            }

            @Override
            public void plansNotKept() {
                plansNotKept.incrementAndGet();
            }
        };
        source = new KafkaSource(settings, sinks, intake, List.of(), listener, letters, handles, clock, around);
    }

    static Rig of(KafkaSourceSettings settings, MemoryIntake intake) {
        return new Rig(settings, List.of(Bench.sink(2)), intake);
    }

    static Rig startedOn(NanoClock clock, KafkaSourceSettings settings, MemoryIntake intake) throws StartRefused {
        var rig = new Rig(settings, List.of(Bench.sink(2)), intake, clock);
        rig.source.start();
        return rig;
    }

    static Rig started(KafkaSourceSettings settings, MemoryIntake intake) throws StartRefused {
        var rig = of(settings, intake);
        rig.source.start();
        return rig;
    }

    /// Quick enough for a test: commits every 100 ms, looks at ids every 300 ms, at metadata every
    /// 300 ms.
    static KafkaSourceSettings settings(GroupProtocol protocol, String group, String... topics) {
        var settings = KafkaSourceSettings.of(SharedBroker.bootstrap(), new Subscription.Named(List.of(topics)), group);
        return quick(protocol, settings);
    }

    static KafkaSourceSettings quick(GroupProtocol protocol, KafkaSourceSettings settings) {
        return settings.groupProtocol(protocol)
                .onNoOffset(OnNoOffset.EARLIEST)
                .startupTimeoutNanos(40_000 * MS)
                .checkpoint(new KafkaSourceSettings.Checkpoint(100 * MS, 1024, 120_000 * MS, 5_000 * MS))
                .membership(new KafkaSourceSettings.Membership(5_000 * MS, 30_000 * MS, 300_000 * MS))
                .watch(new KafkaSourceSettings.Watch(300 * MS, 300 * MS, 300 * MS, 1_000 * MS))
                .properties(
                        switch (protocol) {
                            case CLASSIC -> Map.of("heartbeat.interval.ms", "300", "session.timeout.ms", "20000");
                            // The broker says how often a heart beats: see SharedBroker.
                            case CONSUMER -> Map.of();
                        });
    }

    void awaitReady() {
        Await.until(
                () -> "ready: " + source.view() + failures, () -> source.view().ready());
    }

    void awaitOwned(int partitions) {
        Await.until(
                () -> partitions + " partitions owned: " + source.view().members() + failures,
                () -> source.view().members().stream()
                                .mapToInt(MemberView::partitions)
                                .sum()
                        == partitions);
    }

    void awaitRows(int count) {
        Await.until(
                () -> count + " rows: " + intake.writes().size() + " " + failures
                        + source.view().partitions(),
                () -> intake.writes().size() >= count);
    }

    void awaitRevoke() {
        Await.until(
                () -> "a revoke waits: " + source.view(),
                () -> intake.calls().stream().anyMatch(call -> call.startsWith("revoking")));
    }

    void awaitFailure() {
        Await.until("a failure", () -> !failures.isEmpty());
    }

    void awaitLagZero(int partitions) {
        Await.until(
                () -> "lag 0 of " + partitions + ": " + source.view().partitions() + failures,
                () -> source.view().partitions().stream()
                                .filter(one -> one.lag() != null && one.lag() == 0)
                                .count()
                        == partitions);
    }

    long committed(int partition) {
        return source.view().partitions().stream()
                .filter(one -> one.partition().partition() == partition)
                .mapToLong(one -> one.committed() == null ? -1 : one.committed())
                .findFirst()
                .orElse(-1);
    }

    /// What holds a partition, as told to people.
    @Nullable
    String blockedBy(int partition) {
        for (var one : source.view().partitions()) {
            if (one.partition().partition() == partition) return one.blockedBy();
        }
        return null;
    }

    /// As the pipeline does it: take nothing more, let the sinks finish, commit, leave.
    void drain() throws InterruptedException {
        source.stop(NanoClock.SYSTEM.nanoTime() + 20_000 * MS);
        if (!inputFinished.await(30, TimeUnit.SECONDS)) throw new AssertionError("input not finished");
        intake.letGo();
        source.finish(NanoClock.SYSTEM.nanoTime() + 20_000 * MS);
        if (!source.awaitClosed(NanoClock.SYSTEM.nanoTime() + 30_000 * MS)) throw new AssertionError("not closed");
        source.close();
    }

    /// As a process that dies does not: but nothing is committed any more, and every handle is closed.
    @Override
    public void close() {
        source.close();
        intake.settleHeld(Ending.ABANDONED);
    }
}
