package dev.millrace.sinkpool;

import static dev.millrace.sinkpool.Shard.MS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// A shard that is fed with segments: what its batches are, when they may be taken apart, and how
/// long they may wait.
final class PlannedShardTest {
    private static final TokenMint MINT =
            new SegmentTokens("pipeline", "group", 0, Map.of("store", "f"), TokenMint.perRun("run"));
    private static final WriteOutcome REFUSED =
            new WriteOutcome.Refused(new Failure("bad", "column x is wrong", false), -1);
    private static final WriteOutcome TOO_LARGE = new WriteOutcome.TooLarge(new Failure("large", "too much", false));
    private static final long WINDOW = 1_000;

    private static Shard planned(Consumer<Shard.Setup> changes) {
        return new Shard(
                setup -> {
                    setup.planned = true;
                    setup.jitter = 0;
                    changes.accept(setup);
                },
                new Source(),
                MINT);
    }

    /// Chunks of orders-`partition` that are the whole segment, cut now.
    private static List<EncodedChunk> segment(Shard shard, int partition, long from, int... rows) {
        return segment(shard, partition, 1, from, shard.now(), false, false, rows);
    }

    private static List<EncodedChunk> segment(
            Shard shard,
            int partition,
            long epoch,
            long from,
            long sinceNanos,
            boolean replayed,
            boolean split,
            int... rows) {
        var to = from;
        for (var count : rows) to += count;
        var of = new PlannedSegment(from, to, sinceNanos, replayed, split);
        var out = new ArrayList<EncodedChunk>();
        var at = from;
        for (var i = 0; i < rows.length; i++) {
            var chunk = shard.source.chunk("orders", partition, epoch, at, rows[i], 20, shard.now());
            chunk.planned(of, i == rows.length - 1);
            out.add(chunk);
            at += rows[i];
        }
        return out;
    }

    private static Step arrive(Shard shard, List<EncodedChunk> chunks) {
        return shard.on(new ShardEvent.ChunksArrived(chunks));
    }

    private static ShardCommand.MarkSplit mark(Step step) {
        return step.commands().stream()
                .filter(ShardCommand.MarkSplit.class::isInstance)
                .map(ShardCommand.MarkSplit.class::cast)
                .reduce((_, _) -> {
                    throw new AssertionError("asked twice");
                })
                .orElseThrow(() -> new AssertionError("the plan was not asked for: " + step));
    }

    private static List<ShardCommand.StopForExpired> stops(Step step) {
        return step.commands().stream()
                .filter(ShardCommand.StopForExpired.class::isInstance)
                .map(ShardCommand.StopForExpired.class::cast)
                .toList();
    }

    private static Step marked(Shard shard, int partition, long epoch, long from) {
        return shard.on(new ShardEvent.SplitMarked(Source.partition("orders", partition), epoch, from));
    }

    private static void known(Shard shard, TokenLog log, long windowMs, boolean byRow, boolean readable) {
        var window = windowMs < 0 ? NanoClock.NEVER : windowMs * MS;
        shard.on(new ShardEvent.TokensKnown(new Recognition(log, window, byRow, readable)));
    }

    // --- EO-1, EO-2, EO-3: which batches there are

    @Test
    @DisplayName("EO-3 A segment is one batch when its last chunk is there: no linger, pressure, revoke, drain or bound"
            + " seals less, or splits it")
    void nothingSealsLessThanASegment() {
        var shard = planned(s -> {
            s.maxRows = 1;
            s.maxBytes = 1;
            s.linger = 0;
        });
        var chunks = segment(shard, 0, 100, 40, 30, 30);
        var partition = chunks.getFirst().partition();
        for (var chunk : chunks.subList(0, 2)) {
            assertThat(shard.arrive(chunk).sealed()).isEmpty();
            for (var event : List.of(
                    new ShardEvent.Pressure(),
                    new ShardEvent.Revoking(partition, 1),
                    new ShardEvent.DrainBy(shard.nanosAt(60_000)),
                    new ShardEvent.Tick())) {
                shard.at((shard.now() - shard.setup.originNanos) / MS + 2_000);
                var step = shard.on(event);
                assertThat(step.sealed()).as("by %s", event).isEmpty();
                assertThat(step.started()).as("by %s", event).isEmpty();
            }
        }
        var step = shard.arrive(chunks.getLast());
        assertThat(step.sealed()).hasSize(1);
        assertThat(step.sealed().getFirst().reason()).isEqualTo(SealReason.SEGMENT);
        assertThat(step.start().rows().rows()).isEqualTo(100);
        assertThat(step.start().token().text()).matches("[0-9a-f]{32}");
        assertThat(shard.counts.sealedFor(SealReason.SEGMENT)).isOne();
        shard.written(step.start());
        shard.closeInput();
        assertThat(shard.finished()).isTrue();
        shard.assertAtRest();
    }

    /// However chunks of several partitions mix, and whatever happens between them.
    @Property(tries = 2_000, edgeCases = EdgeCasesMode.NONE)
    @Tag("EO-1")
    @Tag("EO-3")
    void everyBatchIsOneWholeSegment(@ForAll long seed) {
        var chance = new Random(seed);
        var shard = planned(s -> {
            s.maxRows = 1 + chance.nextInt(20);
            s.linger = chance.nextInt(3);
            s.maxInFlight = 1 + chance.nextInt(3);
        });
        var queues = new ArrayList<List<EncodedChunk>>();
        var rowsOf = new HashMap<String, Integer>();
        var next = new long[3];
        for (var i = 0; i < 3; i++) {
            var queue = new ArrayList<EncodedChunk>();
            for (var k = 1 + chance.nextInt(4); k > 0; k--) {
                var rows = chance.ints(1 + chance.nextInt(4), 1, 12).toArray();
                var from = next[i];
                for (var count : rows) next[i] += count;
                queue.addAll(segment(shard, i, from, rows));
                rowsOf.put(i + "@" + from, (int) (next[i] - from));
            }
            queues.add(queue);
        }
        var sealed = new ArrayList<SealedBatch>();
        var time = 0L;
        while (queues.stream().anyMatch(queue -> !queue.isEmpty())) {
            shard.at(time += chance.nextInt(5));
            var queue = queues.get(chance.nextInt(3));
            var step = switch (chance.nextInt(4)) {
                case 0 -> shard.on(new ShardEvent.Tick());
                case 1 -> shard.on(new ShardEvent.Pressure());
                default -> {
                    if (queue.isEmpty()) yield shard.on(new ShardEvent.Tick());
                    var take = 1 + chance.nextInt(queue.size());
                    var some = List.copyOf(queue.subList(0, take));
                    queue.subList(0, take).clear();
                    yield arrive(shard, some);
                }
            };
            finish(shard, step, sealed);
        }
        var tokens = new HashMap<String, Integer>();
        for (var batch : sealed) {
            var first = batch.rows().slices().getFirst().chunk();
            var at = first.partition().partition() + "@" + first.offset(0);
            assertThat(rowsOf.remove(at))
                    .as("rows of %s", at)
                    .isEqualTo(batch.rows().rows());
            for (var slice : batch.rows().slices())
                assertThat(slice.chunk().partition()).isEqualTo(first.partition());
            tokens.merge(batch.token().text(), 1, Integer::sum);
        }
        assertThat(rowsOf).isEmpty();
        assertThat(tokens.values()).containsOnly(1);
        shard.assertAtRest();
    }

    private static void finish(Shard shard, Step step, List<SealedBatch> sealed) {
        sealed.addAll(step.sealed());
        for (var start : step.started()) finish(shard, shard.written(start), sealed);
    }

    @Test
    @DisplayName("EO-2 Repeats are the same rows under the same token, at every replica")
    void repeatsAreTheSame() {
        var shard = planned(s -> s.replicas = 2);
        var first = arrive(shard, segment(shard, 0, 0, 5, 5)).start();
        shard.end(first.attempt(), Shard.sick(true));
        var again = shard.tickWhenDue().start();
        assertThat(again.replica()).isNotEqualTo(first.replica());
        assertThat(again.token()).isEqualTo(first.token());
        assertThat(again.mayBeStored()).isTrue();
        shard.written(again);
        shard.assertAtRest();
    }

    @Test
    @DisplayName("EO-3 Half a segment of an ended epoch is given up, and the next owner's epoch begins afresh")
    void halfASegmentIsGivenUpWithItsEpoch() {
        var shard = planned(_ -> {});
        var half = segment(shard, 0, 1, 0, shard.now(), false, false, 4, 4);
        shard.arrive(half.getFirst());
        assertThat(shard.epochEnded("orders", 0, 1).endings()).containsExactly(Ending.ABANDONED);
        assertThat(shard.arrive(half.getLast()).endings()).as("what came late").containsExactly(Ending.ABANDONED);
        var whole = segment(shard, 0, 2, 0, shard.now(), true, false, 3, 5);
        assertThat(shard.arrive(whole.getFirst()).sealed()).isEmpty();
        var start = shard.arrive(whole.getLast()).start();
        assertThat(start.rows().rows()).isEqualTo(8);
        shard.written(start);
        shard.assertAtRest();
    }

    // --- EO-7: taken apart

    @Test
    @DisplayName("EO-7 No part is sent before the committed plan says that the batch is split")
    void noPartBeforeTheMark() {
        for (var refusal : List.of(REFUSED, TOO_LARGE)) {
            var shard = planned(s -> s.maxInFlight = 1);
            var start = arrive(shard, segment(shard, 0, 100, 8)).start();
            var step = shard.end(start.attempt(), refusal);
            assertThat(mark(step).batch()).isEqualTo(start.batch());
            assertThat(step.started()).isEmpty();
            for (var i = 1; i < 50; i++)
                assertThat(shard.tickAt(10_000L * i).started()).isEmpty();
            // It holds nobody up.
            var other = arrive(shard, segment(shard, 1, 0, 3)).start();
            shard.written(other);
            assertThat(marked(shard, 0, 1, 99).started())
                    .as("of another segment")
                    .isEmpty();
            assertThat(marked(shard, 0, 2, 100).started())
                    .as("of another epoch")
                    .isEmpty();
            assertThat(marked(shard, 1, 1, 100).started())
                    .as("of another partition")
                    .isEmpty();
            var part = marked(shard, 0, 1, 100).start();
            assertThat(part.rows().rows()).isLessThan(8);
            assertThat(part.token().batch()).isEqualTo(start.token().text());
            assertThat(part.token().whole()).isFalse();
            // And no part of it asks again.
            var next = shard.end(part.attempt(), refusal);
            assertThat(next.commands()).noneMatch(ShardCommand.MarkSplit.class::isInstance);
            writeAll(shard, next);
            shard.assertAtRest();
            assertThat(shard.counts.possibleDuplicates()).isZero();
        }
    }

    private static void writeAll(Shard shard, Step from) {
        var step = from;
        for (var i = 0; i < 100 && !step.started().isEmpty(); i++) step = shard.written(step.start());
    }

    @Test
    @DisplayName("EO-7 A sink that recognises rows one by one needs no mark, nor does a batch of one row")
    void whatNeedsNoMark() {
        var shard = planned(_ -> {});
        known(shard, TokenLog.SHARED, -1, true, false);
        var start = arrive(shard, segment(shard, 0, 0, 8)).start();
        var step = shard.end(start.attempt(), REFUSED);
        assertThat(step.commands()).noneMatch(ShardCommand.MarkSplit.class::isInstance);
        writeAll(shard, step);
        shard.assertAtRest();

        var one = planned(_ -> {});
        var alone = arrive(one, segment(one, 0, 0, 1)).start();
        assertThat(one.end(alone.attempt(), REFUSED).commands()).noneMatch(ShardCommand.MarkSplit.class::isInstance);
    }

    @Test
    @DisplayName("EO-7 A split one that is replayed counts its rows before they are sent, each token once, and asks no"
            + " plan")
    void aSplitOneThatIsReplayedIsCountedBeforeItIsSent() {
        var shard = planned(_ -> {});
        var start = arrive(shard, segment(shard, 0, 2, 100, shard.now(), true, true, 8))
                .start();
        assertThat(shard.counts.possibleDuplicates()).as("before its answer").isEqualTo(8);
        shard.end(start.attempt(), Shard.sick(false));
        var again = shard.tickWhenDue().start();
        assertThat(shard.counts.possibleDuplicates())
                .as("a repeat is under the same token")
                .isEqualTo(8);
        var step = shard.end(again.attempt(), REFUSED);
        assertThat(step.commands()).noneMatch(ShardCommand.MarkSplit.class::isInstance);
        assertThat(step.start().token().whole()).isFalse();
        assertThat(shard.counts.possibleDuplicates()).isGreaterThan(8);
        writeAll(shard, step);
        shard.assertAtRest();
    }

    @Test
    @DisplayName("EO-7 Where rows can be read back, a split one that is replayed is read first, whole and in parts, and"
            + " nothing is counted")
    void aSplitOneThatIsReplayedIsReadWhereThatCanBe() {
        for (var split : List.of(true, false)) {
            var shard = planned(_ -> {});
            known(shard, TokenLog.SHARED, -1, false, true);
            var start = arrive(shard, segment(shard, 0, 2, 100, shard.now(), true, split, 8))
                    .start();
            assertThat(start.expired()).as("split before: %s", split).isEqualTo(split);
            var step = shard.end(start.attempt(), REFUSED);
            if (!split) step = marked(shard, 0, 2, 100);
            assertThat(step.start().token().whole()).isFalse();
            assertThat(step.start().expired())
                    .as("whoever had it before may have stored the whole")
                    .isTrue();
            writeAll(shard, step);
            assertThat(shard.counts.possibleDuplicates()).isZero();
            shard.assertAtRest();
        }
    }

    @Test
    @DisplayName("EO-7 An epoch, or a drain, that ends while the plan is waited for gives the batch up, and a late mark"
            + " is nobody's")
    void theWaitForAPlanEnds() {
        var shard = planned(_ -> {});
        var start = arrive(shard, segment(shard, 0, 100, 8)).start();
        shard.end(start.attempt(), REFUSED);
        assertThat(shard.epochEnded("orders", 0, 1).endings()).containsExactly(Ending.ABANDONED);
        assertThat(marked(shard, 0, 1, 100).commands()).isEmpty();
        shard.assertAtRest();

        var draining = planned(_ -> {});
        var other = arrive(draining, segment(draining, 0, 100, 8)).start();
        draining.end(other.attempt(), REFUSED);
        draining.drainBy(1_000);
        draining.closeInput();
        assertThat(draining.finished()).isFalse();
        assertThat(draining.tickAt(1_000).endings()).containsExactly(Ending.ABANDONED);
        assertThat(draining.finished()).isTrue();
        draining.assertAtRest();
    }

    @Test
    @DisplayName("EO-7 What may be stored already is not taken apart, marked or not")
    void whatMayBeStoredIsNotTakenApart() {
        var shard = planned(_ -> {});
        var start = arrive(shard, segment(shard, 0, 100, 8)).start();
        var step =
                shard.end(start.attempt(), new WriteOutcome.Refused(new Failure("bad", "column x is wrong", true), -1));
        assertThat(step.commands()).noneMatch(ShardCommand.MarkSplit.class::isInstance);
        assertThat(step.started()).isEmpty();
    }

    // --- EO-10: how old a token may be

    @Test
    @DisplayName("EO-10 Past half of the window one warning; past it nothing is sent, and the process ends, naming the"
            + " batch")
    void pastTheWindowNothingIsSent() {
        var shard = planned(s -> s.openFor = 100);
        known(shard, TokenLog.SHARED, WINDOW, false, false);
        var start = arrive(shard, segment(shard, 0, 100, 8)).start();
        var warnings = 0;
        var stopped = new ArrayList<ShardCommand.StopForExpired>();
        var attempts = 1;
        shard.end(start.attempt(), Shard.sick(true));
        while (stopped.isEmpty()) {
            var step = shard.tickWhenDue();
            var age = shard.now() - shard.setup.originNanos;
            warnings += step.told(ShardNote.TokenAges.class).size();
            stopped.addAll(stops(step));
            for (var one : step.started()) {
                attempts++;
                assertThat(age).as("age of an attempt").isLessThan(WINDOW * MS);
                shard.end(one.attempt(), Shard.sick(true));
            }
            assertThat(age).isLessThan(60_000 * MS);
            if (!stopped.isEmpty()) {
                assertThat(step.endings()).containsExactly(Ending.IN_DOUBT);
                assertThat(step.started()).isEmpty();
            }
        }
        assertThat(attempts).isGreaterThan(2);
        assertThat(warnings).isEqualTo(1);
        assertThat(stopped.getFirst().batch()).isEqualTo(start.batch());
        assertThat(stopped.getFirst().windowNanos()).isEqualTo(WINDOW * MS);
        assertThat(stopped.getFirst().ageNanos()).isGreaterThanOrEqualTo(WINDOW * MS);
        shard.assertAtRest();
    }

    @Test
    @DisplayName("EO-10 The first attempt is looked at too, and so is what waits for a permit")
    void theFirstAttemptIsLookedAtToo() {
        var shard = planned(s -> s.maxInFlight = 1);
        known(shard, TokenLog.SHARED, WINDOW, false, false);
        var old = segment(shard, 0, 1, 0, shard.now() - WINDOW * MS, true, false, 3);
        var step = arrive(shard, old);
        assertThat(stops(step)).hasSize(1);
        assertThat(step.started()).isEmpty();
        assertThat(step.endings()).containsExactly(Ending.ABANDONED);
        var slow = arrive(shard, segment(shard, 1, 0, 3)).start();
        arrive(shard, segment(shard, 2, 0, 3));
        shard.at(WINDOW);
        var after = shard.written(slow);
        assertThat(stops(after)).hasSize(1);
        assertThat(after.started()).isEmpty();
        shard.assertAtRest();
    }

    @Test
    @DisplayName("EO-10 Where rows can be read back, an attempt past the window is told to read first, and nothing is"
            + " counted")
    void whereRowsCanBeReadTheAttemptReads() {
        var shard = planned(_ -> {});
        known(shard, TokenLog.SHARED, WINDOW, false, true);
        var start = arrive(shard, segment(shard, 0, 100, 8)).start();
        assertThat(start.expired()).isFalse();
        shard.at(WINDOW);
        shard.end(start.attempt(), Shard.sick(true));
        var step = shard.tickWhenDue();
        assertThat(step.start().expired()).isTrue();
        assertThat(step.told(ShardNote.TokenExpired.class)).hasSize(1);
        assertThat(step.told(ShardNote.TokenExpired.class).getFirst().readsFirst())
                .isTrue();
        shard.end(step.start().attempt(), Shard.sick(true));
        var again = shard.tickWhenDue();
        assertThat(again.start().expired()).as("and every one after it").isTrue();
        assertThat(again.told(ShardNote.TokenExpired.class)).isEmpty();
        shard.written(again.start());
        assertThat(shard.counts.possibleDuplicates()).isZero();
        shard.assertAtRest();
    }

    @Test
    @DisplayName(
            "EO-10 on_expired_token: resend sends it again, and counts its rows before it does, each time it may be stored")
    void whatIsResentIsCounted() {
        var shard = planned(s -> {
            s.resendsExpired = true;
            s.failures = 10;
        });
        known(shard, TokenLog.SHARED, WINDOW, false, false);
        var start = arrive(shard, segment(shard, 0, 100, 8)).start();
        assertThat(shard.counts.possibleDuplicates()).isZero();
        shard.at(WINDOW);
        shard.end(start.attempt(), Shard.sick(true));
        var second = shard.tickWhenDue();
        assertThat(shard.counts.possibleDuplicates()).isEqualTo(8);
        assertThat(second.told(ShardNote.TokenExpired.class).getFirst().readsFirst())
                .isFalse();
        shard.end(second.start().attempt(), Shard.sick(false));
        var third = shard.tickWhenDue().start();
        assertThat(shard.counts.possibleDuplicates())
                .as("that one stored nothing")
                .isEqualTo(8);
        shard.end(third.attempt(), Shard.sick(true));
        var fourth = shard.tickWhenDue().start();
        assertThat(shard.counts.possibleDuplicates()).isEqualTo(16);
        shard.written(fourth);
        assertThat(shard.counts.possibleDuplicates()).isEqualTo(16);
        assertThat(shard.counts.rowsWritten()).isEqualTo(8);
        shard.assertAtRest();
    }

    @Test
    @DisplayName("EO-10 A leap of the wall clock ages what was cut before it, and nothing that is cut after")
    void aLeapAgesWhatWasCutBefore() {
        var shard = planned(s -> s.maxInFlight = 4);
        known(shard, TokenLog.SHARED, WINDOW, false, false);
        var start = arrive(shard, segment(shard, 0, 100, 8)).start();
        var waits = segment(shard, 1, 0, 3);
        shard.at(10);
        shard.on(new ShardEvent.ClockLeapt(2 * WINDOW * MS));
        assertThat(shard.end(start.attempt(), Shard.sick(true)).settled()).isEmpty();
        var step = shard.tickWhenDue();
        assertThat(stops(step)).hasSize(1);
        assertThat(stops(arrive(shard, waits)))
                .as("it came later, and was cut before")
                .hasSize(1);
        for (var i = 0; i < 3; i++) {
            shard.at(200L + 10L * i);
            var fresh = arrive(shard, segment(shard, 2, 3L * i, 3));
            assertThat(stops(fresh)).isEmpty();
            assertThat(fresh.told(ShardNote.TokenAges.class)).isEmpty();
            shard.written(fresh.start());
        }
        shard.assertAtRest();
    }

    @Test
    @DisplayName("EO-10 Many small leaps add up, and are never forgotten for what is older than all of them")
    void manyLeapsAddUp() {
        var shard = planned(_ -> {});
        known(shard, TokenLog.SHARED, WINDOW, false, false);
        var old = segment(shard, 0, 0, 3);
        for (var i = 1; i <= 200; i++) {
            shard.at(i);
            shard.on(new ShardEvent.ClockLeapt(4 * MS));
        }
        assertThat(stops(arrive(shard, old))).hasSize(1);
        shard.at(300);
        shard.written(arrive(shard, segment(shard, 1, 0, 3)).start());
        shard.assertAtRest();
    }

    @Test
    @DisplayName("EO-10 Tokens that are kept for good, or by nobody, do not age")
    void whatDoesNotAge() {
        for (var log : List.of(TokenLog.SHARED, TokenLog.NONE)) {
            var shard = planned(_ -> {});
            known(shard, log, log == TokenLog.NONE ? WINDOW : -1, false, false);
            var old = segment(shard, 0, 1, 0, shard.now() - 1_000 * WINDOW * MS, false, false, 3);
            shard.written(arrive(shard, old).start());
            shard.assertAtRest();
        }
    }

    @Test
    @DisplayName(
            "EO-10 Tokens that are forgotten at once don't end the process: a replay is counted, a first sending is"
                    + " not, and where rows can be read they are")
    void whatIsForgottenAtOnce() {
        for (var readable : List.of(true, false)) {
            for (var replayed : List.of(true, false)) {
                var shard = planned(_ -> {});
                known(shard, TokenLog.SHARED, 0, false, readable);
                var step = arrive(shard, segment(shard, 0, 1, 0, shard.now(), replayed, false, 3));
                assertThat(stops(step)).isEmpty();
                assertThat(step.start().expired()).isEqualTo(readable);
                assertThat(step.told(ShardNote.TokenExpired.class)).hasSize(readable ? 1 : 0);
                assertThat(shard.counts.possibleDuplicates())
                        .as("readable %s, replayed %s", readable, replayed)
                        .isEqualTo(replayed && !readable ? 3 : 0);
                shard.written(step.start());
                shard.assertAtRest();
            }
        }
    }

    // --- EO-6: where a replay is recognised

    @Test
    @DisplayName("EO-6 A replay to servers that share no log is counted before it is sent, once; a first sending never")
    void aReplayToServersThatShareNoLogIsCounted() {
        for (var log : TokenLog.values()) {
            for (var replayed : List.of(true, false)) {
                var shard = planned(s -> s.replicas = 2);
                known(shard, log, -1, false, false);
                var start = arrive(shard, segment(shard, 0, 1, 0, shard.now(), replayed, false, 3, 4))
                        .start();
                var counted = replayed && log != TokenLog.SHARED ? 7 : 0;
                assertThat(shard.counts.possibleDuplicates())
                        .as("%s, %s", log, replayed)
                        .isEqualTo(counted);
                shard.end(start.attempt(), Shard.sick(false));
                var again = shard.tickWhenDue();
                shard.written(again.start());
                assertThat(shard.counts.possibleDuplicates()).isEqualTo(counted);
                shard.assertAtRest();
            }
        }
    }

    @Test
    @DisplayName("EO-6 A sink that recognises rows one by one doubles none, split, replayed or old")
    void byRowNothingIsCounted() {
        var shard = planned(_ -> {});
        known(shard, TokenLog.SHARED, -1, true, false);
        var old = segment(shard, 0, 1, 0, shard.now() - 1_000 * WINDOW * MS, true, true, 3);
        shard.written(arrive(shard, old).start());
        assertThat(shard.counts.possibleDuplicates()).isZero();
        shard.assertAtRest();
    }
}
