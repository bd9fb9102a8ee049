package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/// A front whose shards keep order: items of one key reach the sink as they were handed over, by whatever threads.
@Tag("SEAL-8")
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class FrontOrderTest {
    private static final Failure REFUSAL = new Failure("22P02", "invalid input syntax", false);

    /// Batches of ten rows, four lanes, two permits.
    private static Fronted front(Consumer<Shard.Setup> changes) {
        return new Fronted(FrontSettings.of(100_000, 1 << 24), 1, setup -> {
            setup.ordered = true;
            setup.lanes = 4;
            setup.maxRows = 10;
            setup.failures = 1000;
            setup.poison = new PoisonSettings(
                    PoisonSettings.Action.SKIP, PoisonSettings.SingleRow.DEAD_LETTER, 1, 60_000 * Shard.MS, 1);
            changes.accept(setup);
        });
    }

    private static Fronted front() {
        return front(_ -> {});
    }

    /// Each by a thread of its own, one behind the other.
    private static void inTurn(int threads, Consumer<Integer> each) throws InterruptedException {
        for (var i = 0; i < threads; i++) {
            var number = i;
            Thread.ofPlatform().start(() -> each.accept(number)).join();
        }
    }

    private static List<String> numbers(String key, int count) {
        var out = new ArrayList<String>();
        for (var i = 0; i < count; i++) out.add(key + "#" + i);
        return out;
    }

    private static List<String> of(String key, List<String> stored) {
        return stored.stream().filter(row -> row.startsWith(key + "#")).toList();
    }

    @Test
    void whatOneThreadHandsOverBehindAnotherStaysBehindItInEachWay() throws Exception {
        try (var at = front()) {
            var gate = new Fronted.Gate();
            at.encoder.gates.put("gate", gate);
            at.stage("gate");
            assertThat(gate.came().await(20, TimeUnit.SECONDS)).isTrue();
            inTurn(40, i -> {
                at.stage("staged#" + i);
                assertThat(at.front.record(Fronted.TENANT, "recorded#" + i)).isNull();
                try (var slot = at.reserve(1)) {
                    slot.stage(Fronted.TENANT, "reserved#" + i);
                }
            });
            gate.open().countDown();
            at.finish();
            for (var key : List.of("staged", "recorded", "reserved"))
                assertThat(of(key, at.stored(0))).isEqualTo(numbers(key, 40));
        }
    }

    @Test
    void orderHoldsThroughRetriesRefusalsAndBatchesThatAreTakenApart() throws Exception {
        try (var at = front();
                var threads = Executors.newFixedThreadPool(8)) {
            var writes = new AtomicInteger();
            for (var i = 0; i < 2000; i++)
                at.sinks.getFirst().next(call -> {
                    if (writes.incrementAndGet() % 40 == 3) return Shard.sick(false);
                    return Bytes.sent(call.rows()).contains("3\n")
                            ? new WriteOutcome.Refused(REFUSAL, -1)
                            : new WriteOutcome.Written(call.rows().rows(), 0);
                });
            var given = new HashMap<String, List<String>>();
            for (var key = 0; key < 12; key++) given.put("k" + key, new ArrayList<>());
            for (var thread = 0; thread < 8; thread++) {
                var random = new SplittableRandom(thread);
                var _ = threads.submit(() -> {
                    for (var i = 0; i < 60; i++) one(at, "k" + random.nextInt(12), given);
                });
            }
            threads.shutdown();
            assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            at.finish();
            given.forEach((key, items) -> {
                items.removeIf(item -> item.endsWith("3"));
                assertThat(of(key, at.stored(0))).as(key).isEqualTo(items);
            });
            assertThat(at.lost(Loss.REJECTED)).isPositive();
            assertThat(at.counts().written() + at.lost(Loss.REJECTED)).isEqualTo(8 * 60);
        }
    }

    /// Whoever stages an item of a key has the key to itself meanwhile.
    private static void one(Fronted at, String key, Map<String, List<String>> given) {
        var items = given.get(key);
        if (items == null) throw new AssertionError(key);
        synchronized (items) {
            var item = key + "#" + items.size();
            if (at.stage(item)) items.add(item);
        }
    }

    @Test
    void lanesAreWrittenSideBySide() throws Exception {
        try (var at = front(s -> s.lanes = 64).hold(0, 1)) {
            at.stage("first#0");
            Pool.eventually(
                    "it is being written", () -> at.sinks.getFirst().calls.get() == 1);
            at.stage("first#1");
            at.stage("second#0");
            Pool.eventually("the other key's is written", () -> at.stored(0).contains("second#0"));
            assertThat(at.stored(0)).containsExactly("second#0");
            at.release.countDown();
            at.finish();
            assertThat(of("first", at.stored(0))).isEqualTo(numbers("first", 2));
        }
    }

    @Test
    void anItemWhoseKeyCannotBeToldIsRejected() throws Exception {
        try (var at = front()) {
            at.stage("keyless");
            at.stage("keyed#0");
            at.finish();
            assertThat(at.stored(0)).containsExactly("keyed#0");
            assertThat(at.lost(Loss.REJECTED)).isEqualTo(1);
        }
    }

    @Test
    void aFrontKeepsOrderInAllShardsOrInNone() {
        var ordered = new Shard.Setup();
        ordered.ordered = true;
        var specs = List.of(
                new ShardSpec(ordered.settings("s0"), new FakeSink(), List.of(URI.create("fake://a"))),
                new ShardSpec(new Shard.Setup().settings("s1"), new FakeSink(), List.of(URI.create("fake://b"))));
        Assertions.assertThatThrownBy(() -> new FrontParts<>(
                        specs,
                        new Fronted.Encoder(),
                        TokenMint.perRun("run"),
                        42,
                        DeadLetters.none(),
                        new Pool.Listener()))
                .hasMessageContaining("store/s1: a front keeps order in all of its shards, or in none");
    }
}
