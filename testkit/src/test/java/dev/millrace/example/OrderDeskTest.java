package dev.millrace.example;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.breaker.BreakerSettings;
import dev.millrace.example.WaywardSink.Mood;
import dev.millrace.sinkpool.FrontHealth;
import dev.millrace.sinkpool.FrontReport;
import dev.millrace.sinkpool.FrontSettings;
import dev.millrace.sinkpool.Loss;
import dev.millrace.sinkpool.PoisonSettings;
import dev.millrace.sinkpool.Refusal;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardSpec;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The desk under load, with a store that fails, hangs and recovers: what each thread was told of each item is held
/// against what the store has and what the report says.
///
/// The build hands over a slice. Ten million, by a property of the build:
///
/// `mvn -pl testkit -am -Dtest=OrderDeskTest -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.desk.items=10000000
/// test`
class OrderDeskTest {
    private static final int ITEMS = Integer.getInteger("millrace.desk.items", 1_000_000);
    private static final int THREADS = 8;
    private static final int TOGETHER = 64;
    private static final int POISON_EVERY = 10_007;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /// What the thread that handed an item over was told.
    private enum Told {
        NOTHING,
        TAKEN,
        REFUSED,
        SHED
    }

    private final Told[] told = new Told[ITEMS];

    private static ShardSpec shard(WaywardSink sink) {
        var settings = new ShardSettings(
                new ShardId("store", "s0"),
                1,
                1,
                new ShardSettings.BatchSettings(
                        5_000, 1 << 20, Duration.ofMillis(20).toNanos()),
                2,
                Duration.ofMillis(200).toNanos(),
                new ShardSettings.RetrySettings(
                        Duration.ofMillis(5).toNanos(), Duration.ofMillis(100).toNanos(), 2.0, 0.2, 0),
                new BreakerSettings(
                        3,
                        3,
                        100,
                        Duration.ofSeconds(20).toNanos(),
                        80,
                        Duration.ofMillis(50).toNanos(),
                        Duration.ofMillis(200).toNanos(),
                        1,
                        Duration.ofMillis(200).toNanos()),
                true,
                PoisonSettings.of(PoisonSettings.Action.SKIP));
        return new ShardSpec(settings, sink, List.of(URI.create("memory:store")));
    }

    /// Of fifty calls four break off in a row, which opens the breaker, two find it overloaded, one hangs, and one
    /// loses
    /// its answer.
    private static Mood mood(long call) {
        return switch ((int) (call % 50)) {
            case 10, 11, 12, 13 -> Mood.BREAKS_OFF;
            case 20, 21 -> Mood.OVERLOADED;
            case 30 -> Mood.HANGS;
            case 40 -> Mood.TAKES_AND_HANGS;
            default -> Mood.WELL;
        };
    }

    private static String line(int number) {
        return poison(number) ? number + "\n" : Integer.toString(number);
    }

    private static boolean poison(int number) {
        return number % POISON_EVERY == 0;
    }

    private void all(Callable<?>[] threads) throws InterruptedException, ExecutionException {
        try (var pool = Executors.newFixedThreadPool(threads.length)) {
            var running = new ArrayList<Future<?>>();
            for (var thread : threads) running.add(pool.submit(thread));
            for (var one : running) one.get();
        }
    }

    /// Traces, single orders and orders by the dozen, by turns. A customer who was refused asks once more, with
    /// patience.
    private Void produce(OrderDesk desk, int thread) throws InterruptedException {
        var customer = "customer-" + thread;
        var basket = new ArrayList<Integer>();
        for (var number = thread; number < ITEMS; number += THREADS) {
            switch (number / THREADS % 3) {
                case 0 -> told[number] = desk.trace(customer, line(number)) ? Told.TAKEN : Told.SHED;
                case 1 -> {
                    var refusal = desk.order(customer, line(number));
                    if (refusal != null) refusal = desk.orders(customer, List.of(line(number)), PATIENCE);
                    told[number] = refusal == null ? Told.TAKEN : Told.REFUSED;
                }
                default -> basket.add(number);
            }
            if (basket.size() < TOGETHER && number + THREADS < ITEMS) continue;
            var lines = basket.stream().map(OrderDeskTest::line).toList();
            var refusal = lines.isEmpty() ? null : desk.orders(customer, lines, Duration.ofMillis(50));
            for (var one : basket) told[one] = refusal == null ? Told.TAKEN : Told.REFUSED;
            basket.clear();
        }
        return null;
    }

    private void produceAll(OrderDesk desk) throws InterruptedException, ExecutionException {
        all(IntStream.range(0, THREADS)
                .mapToObj(thread -> (Callable<Void>) () -> produce(desk, thread))
                .toArray(Callable<?>[]::new));
    }

    private long count(Told what) {
        return Arrays.stream(told).filter(one -> one == what).count();
    }

    private long poisonTaken() {
        return IntStream.range(0, ITEMS)
                .filter(number -> poison(number) && told[number] == Told.TAKEN)
                .count();
    }

    @Test
    @Tag("ADM-3")
    @Tag("ADM-5")
    @Tag("ADM-8")
    @Timeout(600)
    @DisplayName("ADM-5: every item of eight threads is written, refused or counted lost with its reason, once")
    void everyItemIsWrittenRefusedOrCountedLostOnce() throws Exception {
        var sink = new WaywardSink(ITEMS, OrderDeskTest::mood);
        FrontReport report;
        try (var desk = new OrderDesk(shard(sink), FrontSettings.of(100_000, 32 << 20))) {
            produceAll(desk);
            report = requireNonNull(desk.stop(Duration.ofSeconds(60)));
            assertThat(desk.health().state()).isEqualTo(FrontHealth.State.CLOSED);
        }
        System.err.printf(
                "proof: %,d items of %d threads: %,d taken, %,d refused, %,d shed; %d breaks, %d overloads, %d hangs, %d"
                        + " answers lost; %s%n",
                ITEMS,
                THREADS,
                count(Told.TAKEN),
                count(Told.REFUSED),
                count(Told.SHED),
                sink.came(Mood.BREAKS_OFF),
                sink.came(Mood.OVERLOADED),
                sink.came(Mood.HANGS),
                sink.came(Mood.TAKES_AND_HANGS),
                report);
        for (var mood : Mood.values())
            assertThat(sink.came(mood)).as(mood.toString()).isPositive();
        for (var number = 0; number < ITEMS; number++) {
            var stored = told[number] == Told.TAKEN && !poison(number) ? 1 : 0;
            if (sink.times(number) != stored)
                assertThat(sink.times(number))
                        .as("item %d, %s", number, told[number])
                        .isEqualTo(stored);
        }
        assertThat(report.written()).isEqualTo(count(Told.TAKEN) - poisonTaken());
        assertThat(report.lost(Loss.REJECTED)).isEqualTo(poisonTaken()).isPositive();
        assertThat(report.lost(Loss.SHED)).isEqualTo(count(Told.SHED));
        assertThat(report.lostInAll()).isEqualTo(poisonTaken() + count(Told.SHED));
        assertThat(report.unresolved() + report.stillOut() + report.inDoubt()).isZero();
        assertThat(report.lowerBound()).isFalse();
    }

    @Test
    @Tag("ADM-5")
    @Tag("ADM-7")
    @Timeout(120)
    @DisplayName("ADM-7: what a store that hangs at the end did not take is told, to the item")
    void whatAStoreThatHangsDidNotTakeIsTold() throws Exception {
        var sink = new WaywardSink(ITEMS, call -> call < 20 ? Mood.WELL : Mood.HANGS);
        FrontReport report;
        try (var desk = new OrderDesk(shard(sink), FrontSettings.of(20_000, 32 << 20))) {
            for (var number = 0; number < ITEMS; number++) {
                var refusal = desk.order("customer", line(number));
                told[number] = refusal == null ? Told.TAKEN : Told.REFUSED;
                if (refusal != null && refusal.by() == Refusal.Limit.ROWS && sink.came(Mood.HANGS) > 0) break;
            }
            report = requireNonNull(desk.stop(Duration.ofMillis(300)));
        }
        var stored = IntStream.range(0, ITEMS)
                .filter(number -> sink.times(number) == 1)
                .count();
        assertThat(IntStream.range(0, ITEMS).filter(number -> sink.times(number) > 1))
                .isEmpty();
        assertThat(report.written()).isEqualTo(stored).isPositive();
        assertThat(report.lost(Loss.REJECTED)).isEqualTo(poisonTaken());
        assertThat(report.lost(Loss.SHUTDOWN))
                .isEqualTo(count(Told.TAKEN) - stored - poisonTaken())
                .isPositive();
        assertThat(report.inDoubt()).as("of those lost").isPositive().isLessThanOrEqualTo(report.lost(Loss.SHUTDOWN));
        assertThat(report.stillOut() + report.unresolved()).isZero();
    }
}
