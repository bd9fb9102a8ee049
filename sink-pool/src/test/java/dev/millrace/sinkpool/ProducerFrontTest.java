package dev.millrace.sinkpool;

import static dev.millrace.sinkpool.Fronted.TENANT;
import static dev.millrace.sinkpool.Fronted.granted;
import static dev.millrace.sinkpool.Fronted.refused;
import static dev.millrace.sinkpool.Pool.eventually;
import static dev.millrace.sinkpool.Pool.in;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// The front on real threads, over sinks that hang, fail and recover.
final class ProducerFrontTest {
    @Test
    @Tag("ADM-3")
    void whatIsStagedIsWrittenInTheOrderOfItsThreadAndItsSlotComesBack() throws Exception {
        try (var at = new Fronted(1000, _ -> {})) {
            for (var i = 0; i < 100; i++) assertThat(at.stage("staged-" + i)).isTrue();
            try (var slots = at.reserve(100)) {
                for (var i = 0; i < 100; i++)
                    assertThat(slots.stage(TENANT, "reserved-" + i)).isTrue();
                assertThat(slots.left()).isZero();
                assertThatThrownBy(() -> slots.stage(TENANT, "one more")).isInstanceOf(IllegalStateException.class);
            }
            assertThat(at.front.settle(in(20_000))).isTrue();
            var stored = at.stored(0);
            assertThat(stored).hasSize(200).doesNotHaveDuplicates();
            for (var way : List.of("staged", "reserved"))
                assertThat(stored.stream().filter(row -> row.startsWith(way)))
                        .containsExactlyElementsOf(numbered(way, 100));
            assertThat(at.reserved().rows() + at.staged().rows()).isZero();
            assertThat(at.reserved().bytes() + at.staged().bytes()).as("bytes").isZero();
            var report = at.finish();
            assertThat(report.written()).isEqualTo(200);
            assertThat(report.lostInAll() + report.unresolved()).isZero();
            assertThat(report.lowerBound()).isFalse();
        }
    }

    private static List<String> numbered(String name, int count) {
        var out = new ArrayList<String>();
        for (var i = 0; i < count; i++) out.add(name + "-" + i);
        return out;
    }

    // --- shares

    @Test
    @Tag("ADM-2")
    void aQuarterIsForWhatIsStagedAndTheRestForWhatIsReservedWhateverTheOtherDoes() throws Exception {
        try (var at = new Fronted(100, _ -> {}).hold(0, 10)) {
            for (var i = 0; i < 25; i++)
                assertThat(at.stage("staged-" + i)).as("%s", i).isTrue();
            assertThat(at.stage("too many")).isFalse();
            try (var all = at.reserve(75)) {
                assertThat(refused(at.front.reserve(1))).isEqualTo(new Refusal(Refusal.Limit.ROWS, 1, 75, 75));
                assertThat(at.stage("still too many")).isFalse();
                for (var i = 0; i < 75; i++)
                    assertThat(all.stage(TENANT, "reserved-" + i)).isTrue();
            }
            assertThat(refused(at.front.reserve(1)).by())
                    .as("an item has its slot until it is written")
                    .isEqualTo(Refusal.Limit.ROWS);
            at.release.countDown();
            assertThat(at.front.settle(in(20_000))).isTrue();
            assertThat(at.stage("again")).isTrue();
            at.reserve(75).close();
            assertThat(at.finish().written()).isEqualTo(101);
            assertThat(at.lost(Loss.SHED)).isEqualTo(2);
        }
    }

    @Test
    @Tag("ADM-2")
    void aShareIsCutAsItIsSetAndNoneIsEmpty() {
        assertThatThrownBy(() -> FrontSettings.of(3, 1000)).hasMessageContaining("maxRows 3");
        assertThatThrownBy(() -> new FrontSettings(10, 3, 0.25, 1, 0)).hasMessageContaining("maxBytes 3");
        assertThatThrownBy(() -> new FrontSettings(10, 10, 1, 1, 0)).hasMessageContaining("stageShare");
        try (var at = new Fronted(new FrontSettings(10, 100, 0.5, 1024, 0), 1, _ -> {})) {
            assertThat(at.staged()).isEqualTo(new ShareView(0, 5, 0, 50, 0, 0));
            assertThat(at.reserved()).isEqualTo(new ShareView(0, 5, 0, 50, 0, 0));
        }
    }

    @Test
    @Tag("ADM-8")
    void eightThreadsGetExactlyTheCapacityAndNeverMore() throws Exception {
        for (var round = 0; round < 20; round++) {
            try (var at = new Fronted(4000, _ -> {}).hold(0, 1000);
                    var threads = Executors.newFixedThreadPool(8)) {
                var go = new CountDownLatch(1);
                var taken = new ArrayList<Future<int[]>>();
                for (var thread = 0; thread < 8; thread++)
                    taken.add(threads.submit(() -> {
                        go.await();
                        var got = new int[2];
                        for (var i = 0; i < 700; i++) {
                            if (at.stage("s")) got[0]++;
                            if (i % 2 == 0) {
                                if (at.front.record(TENANT, "r") == null) got[1]++;
                            } else if (at.front.reserve(1) instanceof Reservation<String> slot
                                    && slot.stage(TENANT, "r")) got[1]++;
                        }
                        return got;
                    }));
                go.countDown();
                int staged = 0, reserved = 0;
                for (var one : taken) {
                    staged += one.get()[0];
                    reserved += one.get()[1];
                }
                assertThat(staged).as("of 5600 in round %s", round).isEqualTo(1000);
                assertThat(reserved).as("of 5600 in round %s", round).isEqualTo(3000);
                assertThat(at.lost(Loss.SHED)).isEqualTo(4600);
                assertThat(at.counts().refused(Refusal.Limit.ROWS)).isEqualTo(2600);
            }
        }
    }

    @Test
    @Tag("ADM-8")
    void whatEightThreadsReserveAndRecordIsWrittenOnceThoughTheSharesAreSmall() throws Exception {
        try (var at = new Fronted(new FrontSettings(400, 1 << 20, 0.5, 4096, 1_000_000), 2, s -> s.linger = 1);
                var threads = Executors.newFixedThreadPool(8)) {
            var done = new ArrayList<Future<?>>();
            for (var thread = 0; thread < 8; thread++) {
                var name = thread % 2 + ":" + thread;
                done.add(threads.submit((Callable<@Nullable Void>) () -> {
                    for (var i = 0; i < 500; ) {
                        try (var slots = granted(at.front.reserveUntil(1 + i % 7, in(30_000)))) {
                            while (slots.left() > 0 && i < 500)
                                assertThat(slots.stage(TENANT, name + "-" + i++))
                                        .isTrue();
                        }
                    }
                    return null;
                }));
            }
            for (var one : done) one.get();
            assertThat(at.finish().written()).isEqualTo(4000);
            for (var shard = 0; shard < 2; shard++)
                assertThat(at.stored(shard)).hasSize(2000).doesNotHaveDuplicates();
        }
    }

    // --- waiters

    private static CompletableFuture<Reserved<String>> waits(Fronted at, int slots, long ms) {
        var before = at.reserved().waiting();
        var waits = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return at.front.reserveUntil(slots, in(ms));
                    } catch (InterruptedException interrupted) {
                        throw new IllegalStateException(interrupted);
                    }
                },
                task -> Thread.ofVirtual().start(task));
        eventually("it waits", () -> at.reserved().waiting() > before);
        return waits;
    }

    @Test
    @Tag("ADM-4")
    void waitersAreServedInTheOrderOfArrivalAndNobodySmallerGoesBefore() throws Exception {
        try (var at = new Fronted(new FrontSettings(20, 1 << 20, 0.5, 1024, 0), 1, _ -> {})) {
            var five = at.reserve(5);
            var four = at.reserve(4);
            var large = waits(at, 8, 60_000);
            var small = waits(at, 1, 60_000);
            assertThat(refused(at.front.reserve(1)))
                    .as("one is free, and kept for the first")
                    .isEqualTo(new Refusal(Refusal.Limit.WAITING, 1, 9 + 9, 10));
            five.close();
            assertThat(refused(at.front.reserve(1)).by()).isEqualTo(Refusal.Limit.WAITING);
            assertThat(large).isNotDone();
            assertThat(small).isNotDone();
            four.close();
            var first = granted(large.get(30, TimeUnit.SECONDS));
            var second = granted(small.get(30, TimeUnit.SECONDS));
            assertThat(at.reserved().rows()).isEqualTo(9);
            first.close();
            second.close();
            assertThat(at.reserved().rows()).isZero();
        }
    }

    @Test
    @Tag("ADM-4")
    void oneWhoseDeadlinePassesIsRefusedAndWakesTheNext() throws Exception {
        try (var at = new Fronted(new FrontSettings(20, 1 << 20, 0.5, 1024, 0), 1, _ -> {});
                var held = at.reserve(5)) {
            var large = waits(at, 8, 300);
            var small = waits(at, 5, 60_000);
            assertThat(refused(large.get(30, TimeUnit.SECONDS)))
                    .isEqualTo(new Refusal(Refusal.Limit.ROWS, 8, held.left(), 10));
            granted(small.get(30, TimeUnit.SECONDS)).close();
        }
    }

    @Test
    @Tag("ADM-4")
    void oneThatIsInterruptedWakesTheNext() throws Exception {
        try (var at = new Fronted(new FrontSettings(20, 1 << 20, 0.5, 1024, 0), 1, _ -> {});
                var held = at.reserve(5)) {
            var thrown = new CompletableFuture<Throwable>();
            var first = Thread.ofPlatform().start(() -> {
                try {
                    thrown.completeExceptionally(new AssertionError(at.front.reserveUntil(8, in(60_000))));
                } catch (InterruptedException interrupted) {
                    thrown.complete(interrupted);
                }
            });
            eventually("it waits", () -> at.reserved().waiting() == 1);
            var next = waits(at, 5, 60_000);
            first.interrupt();
            assertThat(thrown.get(30, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
            granted(next.get(30, TimeUnit.SECONDS)).close();
            assertThat(at.reserved().rows()).isEqualTo(held.left());
        }
    }

    @Test
    @Tag("ADM-4")
    void whatIsWrittenServesWhoWaits() throws Exception {
        try (var at = new Fronted(new FrontSettings(20, 1 << 20, 0.5, 1024, 0), 1, _ -> {}).hold(0, 1)) {
            try (var all = at.reserve(10)) {
                for (var i = 0; i < 10; i++) all.stage(TENANT, "row-" + i);
            }
            var waits = waits(at, 3, 60_000);
            at.release.countDown();
            granted(waits.get(30, TimeUnit.SECONDS)).close();
        }
    }

    // --- refusals

    @Test
    @Tag("ADM-9")
    void anItemThatIsRefusedIsStillTheCallersAndIsToldTheLimit() throws Exception {
        try (var at = new Fronted(new FrontSettings(20, 1 << 20, 0.5, 1024, 0), 1, _ -> {}).hold(0, 10)) {
            for (var i = 0; i < 10; i++)
                assertThat(at.front.record(TENANT, "row-" + i)).isNull();
            assertThat(at.front.record(TENANT, "one more")).isEqualTo(new Refusal(Refusal.Limit.ROWS, 1, 10, 10));
            assertThat(at.counts().refused(Refusal.Limit.ROWS)).isOne();
            at.release.countDown();
            assertThat(at.finish().written()).isEqualTo(10);
            assertThat(at.front.record(TENANT, "late")).isEqualTo(new Refusal(Refusal.Limit.CLOSED, 1, 0, 10));
            for (var why : Loss.values()) assertThat(at.lost(why)).as("%s", why).isZero();
        }
    }

    @Test
    @Tag("ADM-9")
    void aDeadlineThatHasPassedIsRefusedAtOnceThoughThereIsRoom() throws Exception {
        try (var at = new Fronted(100, _ -> {})) {
            assertThat(refused(at.front.reserveUntil(3, in(-1))))
                    .isEqualTo(new Refusal(Refusal.Limit.DEADLINE, 3, 0, 75));
            assertThat(at.counts().refused(Refusal.Limit.DEADLINE)).isOne();
            assertThat(refused(at.front.reserveUntil(76, in(60_000))))
                    .as("what can never be had is not waited for")
                    .isEqualTo(new Refusal(Refusal.Limit.ROWS, 76, 0, 75));
            assertThatThrownBy(() -> at.front.reserve(0)).hasMessageContaining("0 slots");
        }
    }

    @Test
    @Tag("ADM-9")
    void aSpentSlotTakesItsItemInPastTheByteShareAndTheNextReservationNamesTheBytes() throws Exception {
        try (var at = new Fronted(new FrontSettings(1000, 2000, 0.5, 1024, 0), 1, _ -> {}).hold(0, 10)) {
            try (var slots = at.reserve(3)) {
                for (var i = 0; i < 3; i++)
                    assertThat(slots.stage(TENANT, "x".repeat(600))).isTrue();
            }
            eventually("all is encoded", () -> at.reserved().bytes() == 3 * 601);
            assertThat(refused(at.front.reserve(1))).isEqualTo(new Refusal(Refusal.Limit.BYTES, 1, 1803, 1000));
            var waits = waits(at, 1, 60_000);
            at.release.countDown();
            granted(waits.get(30, TimeUnit.SECONDS)).close();
            assertThat(at.finish().written()).isEqualTo(3);
        }
    }

    @Test
    @Tag("ADM-9")
    void whatIsStagedIsShedWhenItsBytesAreReachedAndALargeItemPassesAlone() throws Exception {
        try (var at = new Fronted(new FrontSettings(1000, 2000, 0.5, 1024, 0), 1, _ -> {}).hold(0, 10)) {
            assertThat(at.stage("heavy 2000000"))
                    .as("below the bound, whatever it weighs")
                    .isTrue();
            eventually("it weighs what its row does", () -> at.staged().bytes() == "heavy 2000000\n".length());
            assertThat(at.stage("heavy 5000")).isTrue();
            eventually("so does this", () -> at.staged().bytes() == "heavy 2000000\nheavy 5000\n".length());
            assertThat(at.stage("x".repeat(1200))).isTrue();
            assertThat(at.stage("y")).isFalse();
            assertThat(at.lost(Loss.SHED)).isOne();
        }
    }

    // --- losses

    @Test
    @Tag("ADM-5")
    void eachLossHasOneReasonAndCountsOnce() throws Exception {
        try (var at = new Fronted(100, s -> {
            s.maxAttempts = 1;
            s.maxRows = 1;
            s.maxInFlight = 1;
        })) {
            at.sinks.getFirst().next(_ -> Shard.sick(true)).next(_ -> Shard.sick(false));
            assertThat(at.stage("given up in doubt")).isTrue();
            assertThat(at.front.settle(in(20_000))).isTrue();
            assertThat(at.stage("given up")).isTrue();
            assertThat(at.front.settle(in(20_000))).isTrue();
            assertThat(at.lost(Loss.UNREACHABLE)).isEqualTo(2);
            assertThat(at.counts().inDoubt()).isOne();
            for (var item : List.of("poison", "throw", "skip", "9:of no shard"))
                assertThat(at.stage(item)).isTrue();
            assertThat(at.front.record(TENANT, "weightless"))
                    .as("can't be weighed")
                    .isNull();
            assertThat(at.front.stage("", "of nobody")).isTrue();
            assertThat(at.front.settle(in(20_000))).isTrue();
            assertThat(at.lost(Loss.REJECTED)).isEqualTo(5);
            assertThat(at.counts().skipped()).isOne();
            at.hold(0, 1);
            at.stage("being written");
            eventually("it is", () -> at.sinks.getFirst().calls.get() == 3);
            for (var i = 0; i < 26; i++) at.stage("row-" + i);
            assertThat(at.lost(Loss.SHED)).isEqualTo(2);
            var report = at.finish(0);
            assertThat(at.stage("late")).isFalse();
            assertThat(at.lost(Loss.SHUTDOWN)).isEqualTo(26);
            assertThat(report.lost(Loss.SHUTDOWN)).isEqualTo(25);
            assertThat(report.inDoubt()).as("one was being written").isEqualTo(2);
            assertThat(at.counts().written()).isZero();
            assertThat(at.staged().rows() + at.reserved().rows())
                    .as("all slots are back")
                    .isZero();
        }
    }

    @Test
    @Tag("ADM-5")
    void rowsThatTheSinkRefusesForTheirDataAreRejected() throws Exception {
        try (var at = new Fronted(
                100,
                s -> s.poison = new PoisonSettings(
                        PoisonSettings.Action.SKIP, PoisonSettings.SingleRow.DEAD_LETTER, 1, 1_000_000_000L, 1))) {
            at.sinks.getFirst().next(_ -> new WriteOutcome.Refused(new Failure("469", "no", false), -1));
            at.stage("refused");
            assertThat(at.front.settle(in(20_000))).isTrue();
            assertThat(at.lost(Loss.REJECTED)).isOne();
            assertThat(at.finish().lostInAll()).isOne();
        }
    }

    // --- what became of each item

    @Test
    void eachItemIsToldOfOnceWhateverBecameOfIt() throws Exception {
        try (var at = new Fronted(
                100,
                s -> s.poison = new PoisonSettings(
                        PoisonSettings.Action.SKIP, PoisonSettings.SingleRow.DEAD_LETTER, 1, 1_000_000_000L, 1))) {
            at.sinks.getFirst().next(_ -> new WriteOutcome.Refused(new Failure("469", "no", false), -1));
            at.stage("bad");
            assertThat(at.front.settle(in(20_000))).isTrue();
            for (var item : List.of("good", "poison", "skip", "throw"))
                assertThat(at.stage(item)).isTrue();
            assertThat(at.front.settle(in(20_000))).isTrue();
            assertThat(at.told.all)
                    .containsExactlyInAnyOrder(
                            "bad 469",
                            "bad REJECTED",
                            "good WRITTEN",
                            "poison REJECTED",
                            "skip LEFT_OUT",
                            "throw REJECTED");
            assertThat(at.told.all.indexOf("bad 469")).isLessThan(at.told.all.indexOf("bad REJECTED"));
        }
    }

    @Test
    void manyThreadsAreToldOfEachOfTheirItemsOnce() throws Exception {
        try (var at = new Fronted(FrontSettings.of(100_000, 1 << 20), 2, s -> s.maxRows = 7)) {
            var expected = new ArrayList<String>();
            var threads = new ArrayList<Thread>();
            for (var thread = 0; thread < 4; thread++) {
                var mine = new ArrayList<String>();
                for (var i = 0; i < 500; i++) mine.add(i % 2 + ":" + thread + "-" + i);
                mine.forEach(item -> expected.add(item + " WRITTEN"));
                threads.add(Thread.ofPlatform().start(() -> mine.forEach(at::stage)));
            }
            for (var thread : threads) thread.join();
            assertThat(at.front.settle(in(20_000))).isTrue();
            assertThat(at.told.all).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    @Test
    void whatIsGivenUpIsToldApartFromWhatMayBeStored() throws Exception {
        try (var at = new Fronted(100, s -> s.maxRows = 1)) {
            at.hold(0, 100);
            at.stage("in the air");
            eventually("it is being written", () -> at.sinks.getFirst().calls.get() == 1);
            at.stage("not sent");
            at.front.close(in(50));
            assertThat(at.told.all).contains("in the air IN_DOUBT");
            assertThat(at.told.all).hasSize(2);
        }
    }

    @Test
    void whatAFrontHeldWhenItDiedIsToldAsGivenUp() throws Exception {
        try (var at = new Fronted(100, _ -> {})) {
            at.stage("die");
            eventually("it is told", () -> at.told.all.contains("die GIVEN_UP"));
        }
    }

    @Test
    void rowsOfTwoLayoutsAreNeverInOneChunk() throws Exception {
        try (var at = new Fronted(100, _ -> {})) {
            for (var item : List.of("a", "new b", "c")) at.stage(item);
            assertThat(at.front.settle(in(20_000))).isTrue();
            assertThat(at.sinks.getFirst().stored)
                    .allSatisfy(batch -> assertThat(batch.lines()
                                    .map(line -> line.startsWith("new "))
                                    .distinct())
                            .hasSize(1));
            assertThat(at.stored(0)).hasSize(3);
        }
    }

    @Test
    void aFrontForReservationsLeavesTheStagedOneRow() throws Exception {
        try (var at = new Fronted(FrontSettings.reserving(1000, 1 << 20), 1, _ -> {})) {
            assertThat(at.staged().maxRows()).isOne();
            assertThat(at.reserved().maxRows()).isEqualTo(999);
        }
    }

    @Test
    @Tag("ADM-5")
    void theLinesOfWhatIsShedAddUpToTheCount() throws Exception {
        var lines = new ListAppender<ILoggingEvent>();
        var logger = (Logger) LoggerFactory.getLogger("dev.millrace.front");
        lines.list = new CopyOnWriteArrayList<>();
        lines.start();
        logger.addAppender(lines);
        try (var at = new Fronted(100, _ -> {}).hold(0, 1000)) {
            for (var i = 0; i < 25; i++) at.stage("row");
            for (var i = 0; i < 1000; i++) at.front.stage("tenant-" + i % 3, "too many");
            eventually(
                    "the first are told at once",
                    () -> fields(lines, "items_shed", "items").size() >= 3);
            for (var i = 0; i < 1000; i++) at.front.stage("tenant-" + i % 3, "too many");
            at.finish(0);
            assertThat(at.lost(Loss.SHED)).isEqualTo(2000);
            var told = fields(lines, "items_shed", "items");
            assertThat(told.stream().mapToLong(items -> (Long) items).sum()).isEqualTo(2000);
            assertThat(fields(lines, "items_shed", "tenant")).contains("tenant-0", "tenant-1", "tenant-2");
            assertThat(fields(lines, "front_closed", "sink")).containsExactly("store");
        } finally {
            logger.detachAppender(lines);
        }
    }

    private static List<Object> fields(ListAppender<ILoggingEvent> lines, String event, String field) {
        return lines.list.stream()
                .filter(line -> line.getKeyValuePairs().stream().anyMatch(pair -> event.equals(pair.value)))
                .flatMap(line -> line.getKeyValuePairs().stream())
                .filter(pair -> pair.key.equals(field))
                .map(pair -> pair.value)
                .toList();
    }

    // --- settle and close

    @Test
    @Tag("ADM-7")
    void settleWaitsForWhatWasStagedBeforeItWithoutLingerAndTheFrontGoesOn() throws Exception {
        try (var at = new Fronted(
                new FrontSettings(1000, 1 << 20, 0.25, 1 << 16, 60_000_000_000L), 2, s -> s.linger = 60_000)) {
            at.hold(0, 1);
            at.stage("0:first");
            at.front.stage("payments", "1:first");
            assertThat(at.front.settle(in(20))).as("one is being written").isFalse();
            eventually("the other is written", () -> at.stored(1).equals(List.of("1:first")));
            at.stage("1:after");
            at.release.countDown();
            assertThat(at.front.settle(in(20_000))).isTrue();
            assertThat(at.stored(0)).containsExactly("0:first");
            assertThat(at.stored(1)).containsExactly("1:first", "1:after");
            assertThat(at.front.settle(in(20_000))).as("nothing is out").isTrue();
            assertThat(at.front.health().state()).isEqualTo(FrontHealth.State.OPEN);
            at.stage("0:later");
            assertThat(at.finish().written()).isEqualTo(4);
        }
    }

    @Test
    @Tag("ADM-7")
    void settleWaitsForWhatWasStagedWhileTheMarkOfAnotherWasBeingSet() throws Exception {
        try (var at = new Fronted(new FrontSettings(1000, 1 << 20, 0.25, 1 << 16, 500_000_000L), 1, _ -> {})) {
            var before = new Fronted.Gate();
            var within = new Fronted.Gate();
            at.encoder.gates.put("before", before);
            at.encoder.gates.put("within", within);
            at.stage("before");
            before.came().await();
            assertThat(at.front.settle(in(0))).isFalse();
            at.stage("within");
            before.open().countDown();
            within.came().await();
            // The lanes are empty now, and the mark is not set.
            at.stage("last");
            var stored = new CompletableFuture<List<String>>();
            var settler = Thread.ofPlatform().start(() -> {
                settle(at);
                stored.complete(at.stored(0));
            });
            eventually("it waits", () -> settler.getState() == Thread.State.TIMED_WAITING);
            within.open().countDown();
            // In two batches, which are written side by side.
            assertThat(stored.get(20, TimeUnit.SECONDS)).containsExactlyInAnyOrder("before", "within", "last");
        }
    }

    private static void settle(Fronted at) {
        try {
            assertThat(at.front.settle(in(20_000))).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @Test
    @Tag("ADM-7")
    void aSlowEncoderKeepsNoCloseBeyondItsDeadlineAndWhatItDidNotEncodeIsCounted() throws Exception {
        try (var at = new Fronted(10_000, _ -> {})) {
            for (var i = 0; i < 1500; i++) assertThat(at.stage("slow")).isTrue();
            var report = at.finish(100);
            assertThat(report.lost(Loss.SHUTDOWN)).isPositive();
            assertThat(report.written() + report.lostInAll()).isEqualTo(1500);
            assertThat(report.stillOut() + report.unresolved()).isZero();
            assertThat(report.lowerBound()).isFalse();
        }
    }

    @Test
    @Tag("ADM-7")
    void anEncoderThatDoesNotComeBackIsToldAsStillOutWithAllThatLiesBeforeIt() throws Exception {
        try (var at = new Fronted(10_000, _ -> {})) {
            var gate = new Fronted.Gate();
            at.encoder.gates.put("stuck", gate);
            at.stage("stuck");
            gate.came().await();
            at.stage("behind it");
            var slots = at.reserve(5);
            slots.stage(TENANT, "behind it too");
            var report = Objects.requireNonNull(at.front.close(in(50)));
            assertThat(report.stillOut()).isEqualTo(3);
            assertThat(report.unresolved()).isEqualTo(4);
            assertThat(report.lowerBound()).isTrue();
            gate.open().countDown();
        }
    }

    @Test
    @Tag("ADM-5")
    void anEncoderThatAnswersNothingAndAnItemThatCannotBeWeighedEndNothing() throws Exception {
        try (var at = new Fronted(100, _ -> {})) {
            at.stage("null");
            try (var slots = at.reserve(2)) {
                assertThat(slots.stage(TENANT, "deep")).isTrue();
                assertThat(slots.left()).isEqualTo(1);
            }
            assertThat(at.stage("deep")).isTrue();
            assertThat(at.front.settle(in(20_000))).isTrue();
            assertThat(at.stored(0)).containsExactlyInAnyOrder("deep", "deep");
            assertThat(at.lost(Loss.REJECTED)).isEqualTo(1);
            assertThat(at.reserved().rows() + at.staged().rows()).isZero();
            at.finish();
        }
    }

    @Test
    @Tag("ADM-4")
    void whoWaitsIsServedThoughTheShareIsFarSmallerThanABatch() throws Exception {
        try (var at = new Fronted(100, setup -> {
            setup.maxRows = 100_000;
            setup.linger = 60_000;
        })) {
            try (var slots = at.reserve(75)) {
                for (var i = 0; i < 75; i++) slots.stage(TENANT, "row");
            }
            try (var one = granted(at.front.reserveUntil(1, in(20_000)))) {
                assertThat(one.left()).isEqualTo(1);
            }
            assertThat(at.stored(0)).hasSize(75);
        }
    }

    @Test
    @Tag("ADM-7")
    void settleDoesNotWaitForWhatComesAfterIt() throws Exception {
        try (var at = new Fronted(1000, s -> s.maxInFlight = 1)) {
            at.stage("before");
            assertThat(at.front.settle(in(20_000))).isTrue();
            at.hold(0, 1);
            at.stage("after");
            eventually("it is being written", () -> at.sinks.getFirst().calls.get() == 2);
            assertThat(at.front.settle(in(50))).isFalse();
            at.release.countDown();
            assertThat(at.front.settle(in(20_000))).isTrue();
        }
    }

    @Test
    @Tag("ADM-7")
    @Tag("ADM-3")
    void closeFencesFirstThenDrainsAndWhatComesMeanwhileIsCountedAsLost() throws Exception {
        try (var at = new Fronted(100, _ -> {}).hold(0, 1).late(3)) {
            var slots = at.reserve(3);
            assertThat(slots.stage(TENANT, "in time")).isTrue();
            var waiting = waits(at, 74, 60_000);
            var report = CompletableFuture.supplyAsync(() -> {
                try {
                    return at.finish();
                } catch (InterruptedException interrupted) {
                    throw new IllegalStateException(interrupted);
                }
            });
            assertThat(refused(waiting.get(30, TimeUnit.SECONDS)).by()).isEqualTo(Refusal.Limit.CLOSED);
            assertThat(at.front.health().state()).isEqualTo(FrontHealth.State.CLOSING);
            assertThat(at.stage("late")).isFalse();
            assertThat(at.stage("late too")).isFalse();
            assertThat(slots.stage(TENANT, "late with a slot")).isFalse();
            assertThat(refused(at.front.reserve(1)).by()).isEqualTo(Refusal.Limit.CLOSED);
            assertThat(refused(at.front.reserveUntil(1, in(60_000))).by()).isEqualTo(Refusal.Limit.CLOSED);
            assertThat(at.lost(Loss.SHUTDOWN)).isEqualTo(3);
            assertThat(report).isNotDone();
            at.release.countDown();
            assertThat(report.get(30, TimeUnit.SECONDS).written()).isOne();
            assertThat(at.stored(0)).containsExactly("in time");
            assertThat(report.get().unresolved())
                    .as("a slot is neither spent nor given back")
                    .isOne();
            slots.close();
            assertThat(at.reserved().rows()).isZero();
            assertThat(at.front.settle(in(20_000))).as("after the end too").isTrue();
        }
    }

    @Test
    @Tag("ADM-7")
    void ofTwoThatCloseExactlyOneReports() throws Exception {
        for (var round = 0; round < 10; round++) {
            try (var at = new Fronted(100, _ -> {})) {
                at.stage("row");
                var reports = new AtomicInteger();
                var go = new CountDownLatch(1);
                try (var threads = Executors.newFixedThreadPool(4)) {
                    var states = new ArrayList<Future<FrontHealth.State>>();
                    for (var thread = 0; thread < 4; thread++)
                        states.add(threads.submit(() -> {
                            go.await();
                            if (at.front.close(in(20_000)) != null) reports.incrementAndGet();
                            return at.front.health().state();
                        }));
                    go.countDown();
                    for (var state : states) assertThat(state.get()).isEqualTo(FrontHealth.State.CLOSED);
                }
                assertThat(reports).hasValue(1);
                assertThat(at.stored(0)).containsExactly("row");
            }
        }
    }

    @Test
    @Tag("ADM-7")
    @Tag("ADM-9")
    void aCloseAtItsDeadlineReportsWhatWasLostAndWhatNobodyResolved() throws Exception {
        try (var at = new Fronted(200, s -> {
            s.maxRows = 10;
            s.maxInFlight = 1;
        })) {
            at.hold(0, 1);
            var slots = at.reserve(60);
            for (var i = 0; i < 50; i++) slots.stage(TENANT, "row-" + i);
            eventually(
                    "one batch is being written",
                    () -> at.sinks.getFirst().calls.get() == 1);
            var report = at.finish(300);
            assertThat(report.lost(Loss.SHUTDOWN)).isEqualTo(50);
            assertThat(report.inDoubt()).isBetween(1L, 50L);
            assertThat(report.unresolved()).isEqualTo(10);
            assertThat(report.stillOut()).isZero();
            assertThat(report.toString()).contains("50 shutdown", "10 slots unresolved");
            assertThat(slots.stage(TENANT, "much later")).isFalse();
            assertThat(at.lost(Loss.SHUTDOWN)).isEqualTo(51);
            assertThat(at.reserved().rows()).isEqualTo(9);
            slots.close();
            assertThat(at.reserved().rows()).isZero();
        }
    }

    @Test
    @Tag("ADM-7")
    void eightThreadsThatStageWhileItClosesLoseNothingUncounted() throws Exception {
        for (var round = 0; round < 20; round++) {
            try (var at = new Fronted(100_000, _ -> {});
                    var threads = Executors.newFixedThreadPool(8)) {
                var offered = new AtomicInteger();
                var running = new CountDownLatch(8);
                for (var thread = 0; thread < 8; thread++)
                    threads.execute(() -> {
                        running.countDown();
                        for (var more = 100; more > 0; offered.incrementAndGet()) {
                            var taken = at.front.reserve(1) instanceof Reservation<String> slot
                                    ? slot.stage(TENANT, "r")
                                    : at.stage("s");
                            if (!taken) more--;
                        }
                    });
                running.await();
                var report = at.front.close(in(20_000));
                threads.shutdown();
                assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
                assertThat(report).isNotNull();
                assertThat(at.stored(0)).hasSize((int) at.counts().written());
                assertThat(at.counts().written() + at.lost(Loss.SHUTDOWN) + at.lost(Loss.SHED))
                        .as("of all that was offered, in round %s", round)
                        .isEqualTo(offered.get());
                assertThat(at.reserved().rows() + at.staged().rows()).isZero();
            }
        }
    }

    // --- a shard that is stuck, and workers that die

    @Test
    @Tag("ADM-3")
    void aShardThatIsStuckHoldsNoOtherUp() throws Exception {
        try (var at = new Fronted(new FrontSettings(1000, 1 << 20, 0.5, 64, 0), 2, s -> {
            s.maxRows = 1;
            s.maxInFlight = 1;
        })) {
            at.hold(0, 1);
            for (var i = 0; i < 200; i++) at.stage("0:" + i);
            for (var i = 0; i < 20; i++) at.stage("1:" + i);
            eventually("the other is written", () -> at.stored(1).size() == 20);
            assertThat(at.stored(0)).isEmpty();
            at.release.countDown();
            assertThat(at.finish().written()).isEqualTo(220);
        }
    }

    @Test
    @Tag("ADM-3")
    @Tag("OPS-4")
    void numbersOutliveADeadWorkerAndTheCloseSaysWhatItCarriedAtLeast() throws Exception {
        try (var at = new Fronted(FrontSettings.of(1000, 1 << 20), 2, s -> s.maxInFlight = 1)) {
            at.stage("0:written");
            assertThat(at.front.settle(in(20_000))).isTrue();
            at.hold(0, 1);
            at.stage("0:in the air");
            eventually("it is being written", () -> at.sinks.get(0).calls.get() == 2);
            // The attempt begins before the seal is told.
            eventually(
                    "all is told of it",
                    () -> at.listener.notes.stream()
                                    .filter(ShardNote.Sealed.class::isInstance)
                                    .count()
                            == 2);
            at.listener.also = note -> {
                if (note instanceof ShardNote.Sealed(var batch)
                        && batch.shard().shard().equals("s0")) throw new IllegalStateException("planted");
            };
            at.stage("0:sealed by the death");
            assertThat(at.listener.deaths.poll(30, TimeUnit.SECONDS)).isNotNull();
            at.stage("0:for a dead shard");
            at.stage("1:for another");
            assertThat(at.front.settle(in(20_000))).isTrue();
            assertThat(at.lost(Loss.UNREACHABLE)).isEqualTo(3);
            assertThat(at.front.health().shards().get(0).worker()).isEqualTo(ShardStatus.Worker.DIED);
            assertThat(at.front.health().healthy()).as("the other runs").isTrue();
            var report = at.finish();
            assertThat(report.written()).isEqualTo(2);
            assertThat(report.lost(Loss.UNREACHABLE)).isEqualTo(3);
            assertThat(report.dead()).containsExactly(new FrontReport.Dead("store/s0", 2));
            assertThat(report.lowerBound()).isTrue();
            assertThat(report.toString()).startsWith("at least 2 written").contains("store/s0", "at least 2 items");
        }
    }

    @Test
    @Tag("ADM-3")
    @Tag("OPS-4")
    void aFrontWhoseOwnThreadDiesCountsWhatItHeldRefusesWhatComesAndTheCloseSaysSo() throws Exception {
        try (var at = new Fronted(1000, _ -> {})) {
            at.stage("written");
            assertThat(at.front.settle(in(20_000))).isTrue();
            var slots = at.reserve(2);
            var waiting = waits(at, 749, 60_000);
            assertThat(slots.stage(TENANT, "die")).isTrue();
            assertThat(refused(waiting.get(30, TimeUnit.SECONDS)).by()).isEqualTo(Refusal.Limit.CLOSED);
            eventually("it is known", () -> at.front.health().state() == FrontHealth.State.DIED);
            assertThat(at.listener.deaths.poll(30, TimeUnit.SECONDS))
                    .as("or nobody would end the process")
                    .isInstanceOf(Fronted.Deadly.class);
            assertThat(at.front.health().healthy()).isFalse();
            assertThat(at.stage("late")).isFalse();
            assertThat(slots.stage(TENANT, "late too")).isFalse();
            eventually("all is counted", () -> at.lost(Loss.UNREACHABLE) == 3);
            assertThat(at.front.settle(in(20_000))).as("nothing is out").isTrue();
            var report = at.late(2).finish();
            assertThat(report.written()).isOne();
            assertThat(report.dead()).containsExactly(new FrontReport.Dead("store", 1));
            assertThat(report.unresolved() + report.stillOut()).isZero();
        }
    }

    // --- health

    @Test
    @Tag("ADM-9")
    void healthIsOfTheMoment() throws Exception {
        try (var at = new Fronted(100, s -> s.failures = 1)) {
            assertThat(at.front.health().healthy()).isTrue();
            assertThat(at.front.health().state()).isEqualTo(FrontHealth.State.OPEN);
            var slots = at.reserve(7);
            assertThat(at.reserved()).isEqualTo(new ShareView(7, 75, 0, 768 << 10, 0, 0));
            var waiting = waits(at, 70, 60_000);
            assertThat(at.reserved()).isEqualTo(new ShareView(7, 75, 0, 768 << 10, 1, 70));
            slots.close();
            granted(waiting.get(30, TimeUnit.SECONDS)).close();
            at.sinks.getFirst().next(_ -> Shard.sick(false));
            at.stage("row");
            eventually("its only replica is open", () -> !at.front.health().healthy());
            at.finish(0);
            assertThat(at.front.health().state()).isEqualTo(FrontHealth.State.CLOSED);
        }
    }

    @Test
    void partsThatDoNotFitAreRefused() {
        var planned = new Shard.Setup();
        planned.planned = true;
        for (var wrong : List.of(List.<ShardSettings>of(), List.of(planned.settings())))
            assertThatThrownBy(() -> new FrontParts<>(
                            wrong.stream()
                                    .map(settings -> new ShardSpec(
                                            settings, new FakeSink(), List.of(URI.create("fake://replica"))))
                                    .toList(),
                            new Fronted.Encoder(),
                            TokenMint.perRun("run"),
                            1,
                            DeadLetters.none(),
                            new Pool.Listener()))
                    .isInstanceOf(IllegalArgumentException.class);
    }
}
