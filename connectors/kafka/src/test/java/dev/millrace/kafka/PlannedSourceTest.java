package dev.millrace.kafka;

import static dev.millrace.kafka.Bench.ID;
import static dev.millrace.kafka.Bench.MS;
import static dev.millrace.kafka.Bench.P0;
import static dev.millrace.kafka.Bench.P1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight.Answer;
import dev.millrace.checkpoint.CommitFlight.Send;
import dev.millrace.checkpoint.CommitNote;
import dev.millrace.checkpoint.Plan;
import dev.millrace.checkpoint.PlanCodec;
import dev.millrace.checkpoint.Segment;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.KafkaSourceSettings.OnLostOffset;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.MemoryIntake;
import dev.millrace.sinkpool.MemoryIntake.Offered;
import dev.millrace.sinkpool.Target;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// A source under effectively-once delivery: what is cut, what is handed over when, and what is
/// rebuilt from a plan.
final class PlannedSourceTest {
    private static final long LINGER = 50 * MS;
    private static final long QUARANTINE = 10_000 * MS;
    private static final long FINGERPRINT = 77;
    private static final int CLUSTER = 5;
    private static final long WALL_SECONDS = 1_700_000_000L;

    private int maxOpen = 64;
    private int textLimit = 4096;
    private int maxRows = 1_000_000;
    private int shards = 1;
    private boolean blackhole;
    private long fingerprint = FINGERPRINT;
    private int cluster = CLUSTER;
    private boolean planned = true;
    private boolean replans;
    private int consumers = 1;
    private OnLostOffset onLostOffset = OnLostOffset.HALT;
    private Map<Integer, Long> newestTokens = Map.of();

    private Bench bench(MemoryIntake intake) {
        var settings =
                Bench.settings().replans(replans).onLostOffset(onLostOffset).consumers(consumers);
        if (planned)
            settings = settings.planning(new Planning(
                    fingerprint,
                    new AtomicInteger(cluster),
                    maxOpen,
                    textLimit,
                    QUARANTINE,
                    () -> Instant.ofEpochSecond(WALL_SECONDS),
                    _ -> newestTokens));
        var plain = Bench.sink(shards);
        var sinks = new ArrayList<SinkFeed>();
        sinks.add(new SinkFeed(
                plain.name(),
                plain.topics(),
                plain.encoder(),
                plain.router(),
                plain.shards(),
                plain.lanes(),
                plain.slabs(),
                plain.chunkLingerNanos(),
                planned ? new SinkFeed.PlannedBatches(maxRows, 1 << 30, () -> LINGER) : null));
        if (blackhole)
            sinks.add(new SinkFeed(
                    "hole",
                    plain.topics(),
                    plain.encoder(),
                    new PartitionRouter(1),
                    1,
                    1,
                    plain.slabs().slabBytes(),
                    plain.chunkLingerNanos()));
        return new Bench(settings, sinks, intake, DeadLetters.none());
    }

    private static Segment segment(long from, long to) {
        return new Segment(from, to, WALL_SECONDS - 60, 1024, false);
    }

    private static Plan plan(Segment... segments) {
        return new Plan(FINGERPRINT, ID, CLUSTER, new TreeMap<>(), List.of(segments));
    }

    private static CommitEntry entry(Segment... segments) {
        var offset = segments[0].from();
        return new CommitEntry(offset, 0, PlanCodec.encode(plan(segments), offset));
    }

    private static void assign(Bench bench, SourcePartition partition, CommitEntry committed) {
        bench.tell(new SourceEvent.Assigned(partition, committed, committed));
    }

    private static Plan said(CommitEntry entry) {
        if (CommitNote.read(entry) instanceof CommitNote.Planned(var plan)) return plan;
        throw new AssertionError(entry + " " + entry.metadata());
    }

    /// The segments of the last commit that was asked for, as `[from, to)`.
    private static String asked(Bench bench, SourcePartition partition) {
        var send = bench.all(SourceCommand.Commit.class).getLast().send();
        return said(Bench.entry(send, partition)).segments().toString();
    }

    private static void answer(Bench bench, Answer answer) {
        var send = bench.all(SourceCommand.Commit.class).getLast().send();
        bench.tell(new SourceEvent.CommitAnswered(send.attempt(), answer));
    }

    /// Every commit that is asked for is acknowledged, and what is resolved is told, until nothing
    /// more comes of it.
    private static void settle(Bench bench) {
        for (var i = 0; i < 40; i++) {
            bench.after(60 * MS);
            bench.after(60 * MS);
            if (bench.machine.commitOut()) bench.acknowledge();
        }
    }

    private static String offered(Bench bench) {
        var out = new ArrayList<String>();
        for (var one : bench.intake.segments())
            out.add(one.segment().from() + "-" + one.segment().to() + ":" + one.offsets());
        return String.join(" ", out);
    }

    private static void stopped(Bench bench, String... words) {
        assertThat(bench.all(SourceCommand.Stop.class)).hasSize(1);
        var stop = bench.all(SourceCommand.Stop.class).getFirst();
        assertThat(stop.exitCode()).isEqualTo(5);
        assertThat(stop.reason()).contains(words);
    }

    private static void nothingLeaks(Bench bench) {
        bench.machine.close();
        bench.intake.settleHeld(Ending.ABANDONED);
        assertThat(bench.handles.count()).as("open handles").isZero();
        assertThat(bench.intake.budget().rows()).as("rows in the budget").isZero();
        assertThat(bench.intake.budget().bytes()).as("bytes in the budget").isZero();
    }

    // --- EO-1, EO-4, EO-5: written ahead

    @Test
    @DisplayName("EO-1 Nothing is offered before the commit that lists its segment was acknowledged")
    void nothingIsOfferedBeforeItsPlanIsCommitted() {
        var bench = bench(new MemoryIntake());
        bench.assign(P0, 100);
        bench.poll(P0, 100, 3);
        bench.emptyPoll();
        assertThat(bench.all(SourceCommand.Commit.class)).isEmpty();
        bench.after(LINGER);
        assertThat(asked(bench, P0)).isEqualTo("[[100, 103)]");
        assertThat(Bench.entry(bench.all(SourceCommand.Commit.class).getLast().send(), P0)
                        .offset())
                .isEqualTo(100);
        bench.after(30_000 * MS);
        assertThat(bench.intake.segments()).isEmpty();
        bench.acknowledge();
        assertThat(offered(bench)).isEqualTo("100-103:[100, 101, 102]");
        assertThat(bench.intake.segments().getFirst().segment().replayed()).isFalse();
        settle(bench);
        assertThat(bench.committed(P0)).isEqualTo(103);
        assertThat(said(last(bench)).segments()).isEmpty();
        nothingLeaks(bench);
    }

    private static CommitEntry last(Bench bench) {
        var entry = bench.machine.committed(P0);
        if (entry == null) throw new AssertionError("nothing is committed");
        return entry;
    }

    @Test
    @DisplayName("EO-1 What is cut while a commit is out waits for the next one")
    void whatIsCutMeanwhileWaits() {
        var bench = bench(new MemoryIntake());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 2);
        bench.after(LINGER);
        var first = bench.all(SourceCommand.Commit.class).getLast().send();
        bench.poll(P0, 2, 2);
        bench.after(LINGER);
        bench.tell(new SourceEvent.CommitAnswered(first.attempt(), new Answer.Acknowledged()));
        assertThat(offered(bench)).isEqualTo("0-2:[0, 1]");
        bench.after(200 * MS);
        bench.acknowledge();
        assertThat(offered(bench)).isEqualTo("0-2:[0, 1] 2-4:[2, 3]");
        nothingLeaks(bench);
    }

    @Test
    @DisplayName(
            "EO-5 No answer but a sure one hands over: not a refusal, not a time-out, not what came in its quarantine")
    void onlyASureAnswerHandsOver() {
        for (var bad : List.of(new Answer.Later(), new Answer.Refused("no", Map.of()), new Answer.Unknown())) {
            var bench = bench(new MemoryIntake());
            bench.assign(P0, 0);
            bench.poll(P0, 0, 2);
            bench.after(LINGER);
            answer(bench, bad);
            var until = bench.now + QUARANTINE;
            assertThat(bench.intake.segments()).as("%s", bad).isEmpty();
            while (bench.intake.segments().isEmpty()) {
                var before = bench.all(SourceCommand.Commit.class).size();
                bench.after(100 * MS);
                if (bench.all(SourceCommand.Commit.class).size() == before) continue;
                var sent = bench.now;
                bench.acknowledge();
                if (bad instanceof Answer.Unknown)
                    assertThat(bench.intake.segments().isEmpty()).isEqualTo(sent < until);
                assertThat(bench.now).as("%s", bad).isLessThan(until + 60_000 * MS);
            }
            assertThat(offered(bench)).isEqualTo("0-2:[0, 1]");
            nothingLeaks(bench);
        }
    }

    @Test
    @DisplayName("EO-5 In the quarantine of one partition the others go on")
    void aQuarantineHoldsOnePartition() {
        var bench = bench(new MemoryIntake());
        bench.assign(P0, 0);
        bench.assign(P1, 0);
        bench.poll(P0, 0, 2);
        bench.after(LINGER);
        answer(bench, new Answer.Unknown());
        bench.poll(P1, 0, 2);
        bench.after(LINGER);
        bench.after(1_000 * MS);
        bench.acknowledge();
        assertThat(bench.intake.segments()).extracting(Offered::partition).containsExactly(P1);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("EO-4 While a refusal for the membership is unexplained nothing new is cut, and then it goes on")
    void nothingIsCutWhileARefusalIsUnexplained() {
        var bench = bench(new MemoryIntake());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 2);
        bench.after(LINGER);
        answer(bench, new Answer.Later());
        assertThat(bench.machine.unexplained()).isTrue();
        bench.poll(P0, 2, 2);
        bench.after(10 * LINGER);
        assertThat(bench.machine.segments(P0)).startsWith("[[0, 2)] open");
        bench.after(1_000 * MS);
        assertThat(asked(bench, P0)).isEqualTo("[[0, 2)]");
        bench.acknowledge();
        settle(bench);
        assertThat(offered(bench)).isEqualTo("0-2:[0, 1] 2-4:[2, 3]");
        nothingLeaks(bench);
    }

    @Test
    @DisplayName(
            "EO-1 A lost or revoked partition hands over nothing of what no commit had, whatever is answered later")
    void aLostPartitionHandsOverNothing() {
        for (var lost : List.of(true, false)) {
            var bench = bench(new MemoryIntake());
            bench.assign(P0, 0);
            bench.poll(P0, 0, 2);
            bench.after(LINGER);
            bench.tell(lost ? new SourceEvent.Lost(Set.of(P0)) : new SourceEvent.Revoking(Set.of(P0)));
            if (!lost) {
                assertThat(bench.machine.idle(Set.of(P0)))
                        .as("it does not wait")
                        .isTrue();
                bench.acknowledge();
                bench.tell(new SourceEvent.Revoked(Set.of(P0)));
            } else bench.acknowledge();
            assertThat(bench.intake.segments()).isEmpty();
            // Owned again, from what the group has: an answer of before is nothing to it.
            bench.assign(P0, 0);
            bench.poll(P0, 0, 2);
            bench.acknowledge();
            assertThat(bench.intake.segments()).isEmpty();
            nothingLeaks(bench);
        }
    }

    @Test
    @DisplayName("EO-3 A revoke waits for no write of a segment: whoever comes next has its plan")
    void aRevokeWaitsForNoWrite() {
        var bench = bench(new MemoryIntake().hold());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 2);
        bench.after(LINGER);
        bench.acknowledge();
        assertThat(bench.intake.heldChunks()).isEqualTo(1);
        bench.poll(P0, 2, 2);
        bench.tell(new SourceEvent.Revoking(Set.of(P0)));
        assertThat(bench.machine.idle(Set.of(P0))).isTrue();
        bench.tell(new SourceEvent.Revoked(Set.of(P0)));
        bench.intake.settleHeld(Ending.WRITTEN);
        bench.takeInbox();
        nothingLeaks(bench);
    }

    // --- EO-3: replay

    @Test
    @DisplayName(
            "EO-3 A plan is rebuilt by its offsets: same cuts, no linger, gaps and holes at their ends, empty ones")
    void aPlanIsRebuiltByItsOffsets() {
        var bench = bench(new MemoryIntake());
        assign(bench, P0, entry(segment(100, 105), segment(105, 110), segment(110, 112), segment(112, 120)));
        // 104 and 105 are markers, [110, 112) was compacted away, and so was the end of the last.
        var first = new TestRecords("orders", 0).add(100, "k", "{}").add(103, "k", "{}");
        bench.polled(P0, first, 104);
        bench.after(10 * LINGER);
        assertThat(bench.intake.segments()).isEmpty();
        bench.polled(
                P0,
                new TestRecords("orders", 0)
                        .add(106, "k", "{}")
                        .add(109, "k", "{}")
                        .add(115, "k", "{}"),
                116);
        bench.after(MS);
        bench.after(MS);
        assertThat(offered(bench)).isEqualTo("100-105:[100, 103] 105-110:[106, 109]");
        bench.polled(P0, new TestRecords("orders", 0).add(125, "k", "{}"), 126);
        bench.after(MS);
        assertThat(offered(bench)).isEqualTo("100-105:[100, 103] 105-110:[106, 109] 112-120:[115]");
        assertThat(bench.intake.segments()).allMatch(one -> one.segment().replayed());
        // By the age that the plan tells.
        assertThat(bench.intake.segments())
                .allMatch(one -> bench.now - one.segment().sinceNanos() >= 60_000 * MS);
        settle(bench);
        assertThat(offered(bench)).endsWith("112-120:[115] 120-126:[125]");
        assertThat(bench.intake.segments().getLast().segment().replayed()).isFalse();
        assertThat(bench.committed(P0)).isEqualTo(126);
        assertThat(bench.counters.possibleDuplicates()).isZero();
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("EO-3 A segment whose end only markers pass is whole without another record")
    void aSegmentEndsWithThePosition() {
        var bench = bench(new MemoryIntake());
        assign(bench, P0, entry(segment(0, 5), segment(5, 9)));
        bench.polled(P0, new TestRecords("orders", 0).add(0, "k", "{}"), 1);
        assertThat(bench.intake.segments()).isEmpty();
        bench.tell(new SourceEvent.Polled(List.of(new SourceEvent.Batch(P0, null, 20, 0))));
        assertThat(offered(bench)).isEqualTo("0-5:[0]");
        settle(bench);
        assertThat(bench.committed(P0)).isEqualTo(20);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName(
            "EO-3 SRC-10 A segment that ends in a gap is committed with the leader epoch of what follows, by which a"
                    + " truncated log is told")
    void aSegmentThatEndsInAGapKnowsItsLeader() {
        var bench = bench(new MemoryIntake().hold());
        assign(bench, P0, entry(segment(0, 5), segment(5, 9)));
        bench.polled(P0, new TestRecords("orders", 0).add(0, "k", "{}").add(7, "k", "{}"), 8);
        bench.intake.settleOne(0, Ending.WRITTEN);
        bench.takeInbox();
        bench.after(6_000 * MS);
        var committed =
                Bench.entry(bench.all(SourceCommand.Commit.class).getLast().send(), P0);
        assertThat(committed.offset()).isEqualTo(5);
        assertThat(committed.leaderEpoch()).isZero();
        bench.intake.letGo();
        bench.acknowledge();
        nothingLeaks(bench);
    }

    /// Whatever a log has in and between its segments, and however polls fall.
    @Property(tries = 1_500, edgeCases = EdgeCasesMode.NONE)
    @Tag("EO-3")
    @Tag("I3")
    void anyPlanIsRebuiltExactly(@ForAll long seed) {
        var chance = new Random(seed);
        shards = 1 + chance.nextInt(3);
        maxRows = chance.nextBoolean() ? 3 : 1_000_000;
        blackhole = chance.nextBoolean();
        var bench = bench(new MemoryIntake());
        var cuts = new TreeSet<Long>();
        for (var i = 1 + chance.nextInt(6); i > 0; i--) cuts.add(100L + 1 + chance.nextInt(100));
        var segments = new ArrayList<Segment>();
        var from = 100L;
        for (var to : cuts) {
            segments.add(new Segment(from, to, WALL_SECONDS, chance.nextInt(9_000), chance.nextInt(4) == 0));
            from = to;
        }
        assign(bench, P0, entry(segments.toArray(Segment[]::new)));
        var expected = new TreeMap<Long, List<Long>>();
        for (var one : segments) expected.put(one.from(), new ArrayList<>());
        var all = new TreeSet<Long>();
        var epoch = chance.nextInt(3);
        var position = 100L;
        while (position < 230) {
            var records = new TestRecords("orders", 0);
            var next = position + 1 + chance.nextInt(40);
            for (var at = position; at < next; at++) {
                if (chance.nextInt(3) == 0) continue;
                if (chance.nextInt(30) == 0) epoch++;
                records.add(at, "k" + chance.nextInt(9), "{\"n\":" + at + "}", epoch);
                all.add(at);
                var of = expected.floorEntry(at);
                if (at < cuts.last()) of.getValue().add(at);
            }
            bench.tell(new SourceEvent.Polled(
                    List.of(new SourceEvent.Batch(P0, records.size() == 0 ? null : records, next, epoch))));
            for (var i = chance.nextInt(3); i > 0; i--) bench.after(chance.nextInt(3) * LINGER);
            position = next;
        }
        settle(bench);
        var replayed = new TreeMap<Long, TreeSet<Long>>();
        var rows = new ArrayList<Long>();
        for (var one : bench.intake.segments()) {
            var of = one.segment();
            rows.addAll(one.offsets());
            assertThat(one.offsets()).isNotEmpty().isSorted().allMatch(at -> at >= of.from() && at < of.to());
            assertThat(of.replayed()).isEqualTo(of.from() < cuts.last());
            if (of.replayed()) {
                var its = segments.stream()
                        .filter(s -> s.from() == of.from())
                        .findFirst()
                        .orElseThrow();
                assertThat(of.to()).isEqualTo(its.to());
                assertThat(of.split()).isEqualTo(its.split());
                assertThat(replayed.computeIfAbsent(of.from(), _ -> new TreeSet<>())
                                .addAll(one.offsets()))
                        .isTrue();
            }
        }
        expected.values().removeIf(List::isEmpty);
        assertThat(replayed.keySet()).isEqualTo(expected.keySet());
        expected.forEach((at, its) -> assertThat(replayed.get(at)).containsExactlyElementsOf(its));
        assertThat(rows).as("each row once").hasSameSizeAs(all);
        assertThat(new TreeSet<>(rows)).isEqualTo(all);
        assertThat(bench.committed(P0)).isEqualTo(position);
        assertThat(bench.counters.possibleDuplicates()).isZero();
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("EO-3 A crash at any time: the next one rebuilds what the last acknowledged commit lists, and no more")
    void theNextOneGoesOnFromTheLastCommit() {
        var bench = bench(new MemoryIntake().hold());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.after(LINGER);
        bench.acknowledge();
        bench.poll(P0, 3, 4);
        bench.after(200 * MS);
        var committed = last(bench);
        assertThat(said(committed).segments().toString()).isEqualTo("[[0, 3)]");
        assertThat(asked(bench, P0)).as("sent and not acknowledged").isEqualTo("[[0, 3), [3, 7)]");
        for (var one : List.of(
                committed,
                Bench.entry(bench.all(SourceCommand.Commit.class).getLast().send(), P0))) {
            var next = bench(new MemoryIntake());
            assign(next, P0, one);
            next.poll(P0, 0, 9);
            settle(next);
            assertThat(offered(next))
                    .isEqualTo(
                            one.equals(committed)
                                    ? "0-3:[0, 1, 2] 3-9:[3, 4, 5, 6, 7, 8]"
                                    : "0-3:[0, 1, 2] 3-7:[3, 4, 5, 6] 7-9:[7, 8]");
            nothingLeaks(next);
        }
        nothingLeaks(bench);
    }

    // --- EO-7: split

    @Test
    @DisplayName(
            "EO-7 A batch is split only when the committed plan says so, and the next one to ask is answered at once")
    void aSplitIsCommittedFirst() {
        var bench = bench(new MemoryIntake().hold());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.after(LINGER);
        bench.acknowledge();
        bench.intake.held(0).splitting();
        bench.takeInbox();
        bench.after(200 * MS);
        assertThat(asked(bench, P0)).isEqualTo("[[0, 3) split]");
        assertThat(bench.intake.calls()).isEmpty();
        answer(bench, new Answer.Later());
        assertThat(bench.intake.calls()).isEmpty();
        bench.after(1_000 * MS);
        bench.acknowledge();
        assertThat(bench.intake.calls()).containsExactly("marked orders-0 1 0");
        bench.intake.held(0).splitting();
        bench.takeInbox();
        assertThat(bench.intake.calls()).hasSize(2);
        var next = bench(new MemoryIntake());
        assign(next, P0, last(bench));
        next.poll(P0, 0, 3);
        next.after(MS);
        assertThat(next.intake.segments().getFirst().segment().split()).isTrue();
        nothingLeaks(next);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("EO-7 A commit that was out when the split was asked for says nothing of it")
    void aCommitThatWasOutSaysNothingOfASplit() {
        var bench = bench(new MemoryIntake().hold());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.after(LINGER);
        bench.acknowledge();
        bench.poll(P0, 3, 2);
        bench.after(200 * MS);
        assertThat(bench.machine.commitOut()).isTrue();
        bench.intake.held(0).splitting();
        bench.takeInbox();
        bench.acknowledge();
        assertThat(bench.intake.segments()).hasSize(2);
        assertThat(bench.intake.calls()).isEmpty();
        bench.after(200 * MS);
        assertThat(asked(bench, P0)).isEqualTo("[[0, 3) split, [3, 5)]");
        bench.acknowledge();
        assertThat(bench.intake.calls()).containsExactly("marked orders-0 1 0");
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("EO-7 In a quarantine no split is called marked")
    void inAQuarantineNoSplitIsMarked() {
        var bench = bench(new MemoryIntake().hold());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.after(LINGER);
        bench.acknowledge();
        bench.intake.held(0).splitting();
        bench.takeInbox();
        bench.after(200 * MS);
        answer(bench, new Answer.Unknown());
        bench.after(1_000 * MS);
        bench.acknowledge();
        assertThat(bench.intake.calls()).isEmpty();
        for (var i = 0; i < 100; i++) bench.after(QUARANTINE / 100);
        if (bench.machine.commitOut()) bench.acknowledge();
        assertThat(bench.intake.calls()).as("it was sent before").isEmpty();
        bench.after(5_000 * MS);
        bench.acknowledge();
        assertThat(bench.intake.calls()).containsExactly("marked orders-0 1 0");
        nothingLeaks(bench);
    }

    // --- EO-8, I9: the plan's size, and what can't be read

    @Test
    @DisplayName(
            "EO-8 As many segments are open as may be: the partition pauses with PLAN, and goes on when one is done")
    void aFullPlanPauses() {
        maxOpen = 2;
        var bench = bench(new MemoryIntake().hold());
        bench.assign(P0, 0);
        for (var i = 0; i < 2; i++) {
            bench.poll(P0, 2L * i, 2);
            bench.after(LINGER);
            bench.after(200 * MS);
            bench.acknowledge();
        }
        assertThat(bench.intake.heldChunks()).isEqualTo(2);
        // What comes now is collected, and never cut.
        bench.poll(P0, 4, 2);
        bench.after(10 * LINGER);
        assertThat(bench.machine.segments(P0)).startsWith("[[0, 2), [2, 4)] open");
        bench.intake.settleOne(0, Ending.WRITTEN);
        settle(bench);
        assertThat(bench.machine.segments(P0)).startsWith("[[2, 4), [4, 6)] open");
        assertThat(bench.committed(P0)).isEqualTo(2);
        bench.intake.letGo();
        settle(bench);
        assertThat(bench.committed(P0)).isEqualTo(6);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("EO-8 Full segments that may not be cut pause their partition with PLAN; when one is done they go on")
    void aFullPlanPausesWithPlan() {
        maxOpen = 1;
        maxRows = 1;
        var bench = bench(new MemoryIntake().hold());
        bench.assign(P0, 0);
        bench.after(MS);
        var large = new TestRecords("orders", 0);
        for (var i = 0; i < 20; i++) large.add(i, "k", "{\"x\":\"" + "y".repeat(5_000) + "\"}");
        bench.polled(P0, large, 20);
        bench.after(200 * MS);
        bench.acknowledge();
        bench.after(200 * MS);
        assertThat(bench.all(SourceCommand.Pause.class))
                .anyMatch(pause ->
                        pause.reason() == PauseReason.PLAN && pause.partitions().contains(P0));
        bench.intake.letGo();
        settle(bench);
        assertThat(bench.committed(P0)).isEqualTo(20);
        assertThat(bench.paused(P0)).isFalse();
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("EO-8 The text stays below three quarters of its limit, however many segments may be open")
    void theTextStaysBelowItsLimit() {
        textLimit = 240;
        var bench = bench(new MemoryIntake().hold());
        bench.assign(P0, 0);
        for (var i = 0; i < 60; i++) {
            bench.poll(P0, 3L * i, 3);
            var before = bench.all(SourceCommand.Commit.class).size();
            bench.after(120 * MS);
            if (bench.all(SourceCommand.Commit.class).size() > before) bench.acknowledge();
        }
        assertThat(bench.intake.segments().size()).isBetween(3, 30);
        for (var commit : bench.all(SourceCommand.Commit.class))
            assertThat(Bench.entry(commit.send(), P0).metadata().length()).isLessThanOrEqualTo(180);
        bench.intake.letGo();
        settle(bench);
        assertThat(bench.committed(P0)).isEqualTo(180);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName(
            "EO-8 SRC-8 I9 A plan that can't be read is none: said, its rows counted up to the log's end, and sent again")
    void whatCantBeReadIsNoPlan() {
        var damaged = entry(segment(100, 105)).metadata();
        for (var text : List.of(damaged.substring(0, damaged.length() - 2), "s1.", "s1.!", damaged + "A")) {
            var bench = bench(new MemoryIntake());
            var committed = new CommitEntry(100, 0, text);
            bench.tell(new SourceEvent.Assigned(P0, committed, committed, 150));
            assertThat(bench.counters.possibleDuplicates()).as(text).isEqualTo(50);
            assertThat(bench.all(SourceCommand.Tell.class)).hasSize(1);
            assertThat(bench.all(SourceCommand.Tell.class).getFirst().event()).isEqualTo("plan_lost");
            assertThat(bench.all(SourceCommand.Stop.class)).isEmpty();
            bench.poll(P0, 100, 3);
            settle(bench);
            assertThat(offered(bench)).isEqualTo("100-103:[100, 101, 102]");
            nothingLeaks(bench);
        }
        var bench = bench(new MemoryIntake());
        var copied = new CommitEntry(101, 0, damaged);
        bench.tell(new SourceEvent.Assigned(P0, copied, copied, -1));
        assertThat(bench.all(SourceCommand.Tell.class).getFirst().text()).contains("unknown number");
        bench.machine.close();
    }

    @Test
    @DisplayName(
            "SRC-8 Somebody else's text is ignored with a warning, and nothing is counted; ours of before says nothing")
    void somebodyElsesTextIsIgnored() {
        for (var text : List.of("their note", "", "t1.AAAAAAAAAAAAAAAAAAAAAA")) {
            var bench = bench(new MemoryIntake());
            assign(bench, P0, new CommitEntry(100, 0, text));
            assertThat(bench.all(SourceCommand.Tell.class)).hasSize(text.startsWith("their") ? 1 : 0);
            assertThat(bench.counters.possibleDuplicates()).isZero();
            bench.poll(P0, 100, 3);
            settle(bench);
            assertThat(bench.committed(P0)).isEqualTo(103);
            nothingLeaks(bench);
        }
    }

    // --- EO-9: other settings

    private void haltsOn(CommitEntry committed, String... words) {
        var bench = bench(new MemoryIntake());
        assign(bench, P0, committed);
        stopped(bench, words);
        bench.poll(P0, committed.offset(), 8);
        settleNothing(bench);
        assertThat(bench.intake.rows()).isEmpty();
        nothingLeaks(bench);
    }

    /// Not a commit is asked for: the plan stays for who has its settings.
    private static void settleNothing(Bench bench) {
        for (var i = 0; i < 20; i++) bench.after(100 * MS);
        bench.tell(new SourceEvent.LayoutChanged("sink"));
        bench.tell(new SourceEvent.StopTaking(bench.now + 100 * MS));
        for (var i = 0; i < 20; i++) bench.after(100 * MS);
        bench.tell(new SourceEvent.CommitNow(null));
        assertThat(bench.all(SourceCommand.Commit.class)).isEmpty();
    }

    @Test
    @DisplayName(
            "EO-9 Segments that are open under other settings halt: nothing is sent, nothing committed, and it says"
                    + " what to do")
    void openSegmentsOfOtherSettingsHalt() {
        var open = entry(segment(100, 105), segment(105, 108));
        fingerprint = 78;
        haltsOn(open, "[100, 108)", "orders-0", "drained", "on_config_change: replan");
        planned = false;
        haltsOn(open, "[100, 108)", "delivery", "on_config_change: replan");
    }

    @Test
    @DisplayName("EO-9 An offset that another cluster counts in halts, whatever else is set")
    void anotherClusterHalts() {
        replans = true;
        cluster = 6;
        haltsOn(entry(segment(100, 105)), "another Kafka cluster", "reset");
    }

    @Test
    @DisplayName("EO-9 on_config_change: replan cuts them anew, and counts their rows before the first is sent")
    void replanCountsThem() {
        replans = true;
        for (var how : List.of(0, 1)) {
            fingerprint = 78;
            planned = how == 0;
            var bench = bench(new MemoryIntake());
            assign(bench, P0, entry(segment(100, 105), segment(105, 108)));
            assertThat(bench.counters.possibleDuplicates()).isEqualTo(8);
            assertThat(bench.all(SourceCommand.Stop.class)).isEmpty();
            assertThat(bench.all(SourceCommand.Tell.class).getFirst().event()).isEqualTo("plan_lost");
            bench.poll(P0, 100, 10);
            bench.emptyPoll();
            settle(bench);
            assertThat(bench.intake.rows()).hasSize(10);
            assertThat(bench.committed(P0)).isEqualTo(110);
            nothingLeaks(bench);
        }
    }

    @Test
    @DisplayName("EO-9 With nothing open any settings go on")
    void withNothingOpenAnySettingsGoOn() {
        fingerprint = 78;
        for (var how : List.of(true, false)) {
            planned = how;
            var bench = bench(new MemoryIntake());
            assign(bench, P0, new CommitEntry(100, 0, PlanCodec.encode(plan(), 100)));
            bench.poll(P0, 100, 3);
            bench.emptyPoll();
            settle(bench);
            assertThat(bench.committed(P0)).isEqualTo(103);
            assertThat(bench.counters.possibleDuplicates()).isZero();
            nothingLeaks(bench);
        }
    }

    // --- EO-15: shards and sinks

    @Test
    @DisplayName("EO-15 A shard without rows gets nothing; a segment is done when all its batches are")
    void aSegmentIsDoneWithAllItsBatches() {
        shards = 3;
        var bench = bench(new MemoryIntake().hold());
        bench.assign(P0, 0);
        var router = new KeyRouter(3);
        var records = new TestRecords("orders", 0);
        var used = new TreeSet<Integer>();
        for (var i = 0; i < 40; i++) {
            var record = new TestRecords("orders", 0).add(i, "key-" + i, "{}");
            var shard = router.shard(record.at(0));
            if (shard == 2) continue;
            used.add(shard);
            records.add(i, "key-" + i, "{}");
        }
        assertThat(used).containsExactly(0, 1);
        bench.polled(P0, records, 40);
        bench.after(LINGER);
        bench.acknowledge();
        assertThat(bench.intake.segments())
                .extracting(Offered::target)
                .containsExactly(new Target(0, 0, 0), new Target(0, 1, 0));
        bench.intake.settleOne(0, Ending.WRITTEN);
        settle(bench);
        assertThat(bench.committed(P0)).isZero();
        bench.intake.settleOne(0, Ending.WRITTEN);
        settle(bench);
        assertThat(bench.committed(P0)).isEqualTo(40);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("EO-15 EO-1 A sink that keeps no tokens waits for no plan; the offset waits for both")
    void aSinkWithoutTokensWaitsForNoPlan() {
        blackhole = true;
        var bench = bench(new MemoryIntake().hold());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.emptyPoll();
        assertThat(bench.intake.heldChunks()).as("only of the hole").isEqualTo(1);
        assertThat(bench.intake.held(0).target().sink()).isEqualTo(1);
        assertThat(bench.intake.segments()).isEmpty();
        bench.after(LINGER);
        bench.acknowledge();
        assertThat(offered(bench)).isEqualTo("0-3:[0, 1, 2]");
        bench.intake.settleOne(1, Ending.WRITTEN);
        settle(bench);
        assertThat(bench.committed(P0)).as("the hole has not answered").isZero();
        bench.intake.settleOne(0, Ending.WRITTEN);
        settle(bench);
        assertThat(bench.committed(P0)).isEqualTo(3);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("EO-15 A segment of which one batch fails stays open, and its offset is never committed")
    void aFailedBatchKeepsItsSegmentOpen() {
        var bench = bench(new MemoryIntake().hold());
        bench.assign(P0, 0);
        for (var i = 0; i < 2; i++) {
            bench.poll(P0, 3L * i, 3);
            bench.after(LINGER);
            bench.after(100 * MS);
            bench.acknowledge();
        }
        bench.intake.settleOne(0, Ending.IN_DOUBT);
        bench.intake.settleOne(0, Ending.WRITTEN);
        settle(bench);
        assertThat(bench.committed(P0)).isZero();
        assertThat(said(last(bench)).segments().toString()).isEqualTo("[[0, 3), [3, 6)]");
        nothingLeaks(bench);
    }

    // --- EO-16: the budget

    @Test
    @DisplayName(
            "EO-16 Plans of more than the budget are rebuilt to their end: one segment always, others when they fit")
    void aPlanLargerThanTheBudgetIsRebuilt() {
        var budget = new AdmissionBudget(1_000_000, 40_000, 0.6);
        var intake = new MemoryIntake(budget).hold();
        var bench = bench(intake);
        // Each segment is nearly the budget; together they are several times it.
        var partitions = List.of(P0, P1, new SourcePartition("orders", ID, 2));
        for (var partition : partitions) {
            var segments = new Segment[3];
            for (var i = 0; i < 3; i++) segments[i] = new Segment(10L * i, 10L * i + 10, WALL_SECONDS, 38_000, false);
            assign(bench, partition, entry(segments));
        }
        bench.after(MS);
        var paused = partitions.stream().filter(bench::paused).toList();
        bench.after(200 * MS);
        assertThat(partitions.stream().filter(one -> !bench.paused(one)))
                .as("who is read")
                .hasSize(1);
        assertThat(paused).hasSizeGreaterThanOrEqualTo(2);
        var position = new TreeMap<SourcePartition, Integer>();
        var most = 0L;
        for (var turn = 0; turn < 600; turn++) {
            for (var partition : partitions) {
                var at = position.getOrDefault(partition, 0);
                if (bench.paused(partition) || at >= 30) continue;
                var records = new TestRecords("orders", partition.partition())
                        .add(at, "k", "{\"x\":\"" + "y".repeat(3_700) + "\"}");
                bench.polled(partition, records, at + 1);
                position.put(partition, at + 1);
            }
            bench.after(20 * MS);
            most = Math.max(most, budget.bytes());
            if (turn % 3 == 2 && intake.heldChunks() > 0) intake.settleOne(0, Ending.WRITTEN);
            var commits = bench.all(SourceCommand.Commit.class);
            if (bench.machine.commitOut()) {
                var send = commits.getLast().send();
                bench.tell(new SourceEvent.CommitAnswered(send.attempt(), new Answer.Acknowledged()));
            }
        }
        intake.letGo();
        settle(bench);
        for (var partition : partitions) assertThat(bench.committed(partition)).isEqualTo(30);
        assertThat(bench.intake.segments()).hasSize(9);
        // What is being rebuilt is reserved and held at once.
        assertThat(most).isLessThan(3 * 40_000);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("EO-16 A partition whose plans nobody commits leaves room for the others, also if it came first")
    void oneWithoutPlansLeavesRoomForOthers() {
        var budget = new AdmissionBudget(1_000, 1 << 30, 0.6);
        var bench = bench(new MemoryIntake(budget));
        var partitions = new ArrayList<SourcePartition>();
        for (var i = 0; i < 9; i++) partitions.add(new SourcePartition("orders", ID, i));
        for (var partition : partitions) bench.assign(partition, 0);
        var first = partitions.getFirst();
        var at = 0;
        for (var turn = 0; turn < 200; turn++) {
            if (!bench.paused(first)) {
                bench.poll(first, at, 10);
                at += 10;
            }
            bench.after(60 * MS);
            // Its topic is refused, or nobody answers.
            if (bench.machine.commitOut()) answer(bench, new Answer.Unknown());
        }
        assertThat(budget.rows()).isLessThan(1_000 / 5);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("ADM-6 What is collected and planned for a dead shard counts in its half of the budget")
    void aDeadShardHoldsHalf() {
        var budget = new AdmissionBudget(1_000, 1 << 30, 0.6);
        var bench = bench(new MemoryIntake(budget).halved().hold());
        var partitions = List.of(P0, P1, new SourcePartition("orders", ID, 2));
        for (var partition : partitions) bench.assign(partition, 0);
        var at = new int[partitions.size()];
        for (var turn = 0; turn < 200; turn++) {
            for (var i = 0; i < at.length; i++) {
                if (bench.paused(partitions.get(i))) continue;
                bench.poll(partitions.get(i), at[i], 20);
                at[i] += 20;
            }
            bench.after(10 * MS);
            if (bench.machine.commitOut()) bench.acknowledge();
        }
        for (var partition : partitions) assertThat(bench.paused(partition)).isTrue();
        assertThat(budget.rows()).isBetween(500L, 600L);
        bench.intake.letGo();
        settle(bench);
        for (var partition : partitions) assertThat(bench.paused(partition)).isFalse();
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("ADM-6 Members of one process share what waits for plans: a segment is the smaller the more there are")
    void membersShareWhatWaits() {
        for (var members : List.of(1, 4)) {
            consumers = members;
            var budget = new AdmissionBudget(1_200, 1 << 30, 0.6);
            var bench = bench(new MemoryIntake(budget).hold());
            bench.assign(P0, 0);
            bench.poll(P0, 0, 1_000);
            bench.after(MS);
            bench.acknowledge();
            // One in four parts of a share of one, and one over, for each partition that all may have.
            assertThat(bench.intake.segments().getFirst().offsets())
                    .hasSizeBetween(1_200 / (4 * (members + 1)), 1_200 / (4 * (members + 1)) + 40);
            bench.intake.settleHeld(Ending.ABANDONED);
        }
    }

    @Test
    @DisplayName("EO-16 ADM-6 Of what is rebuilt for a dead shard one partition holds its part, and others have room")
    void whatIsRebuiltLeavesRoomForOthers() {
        var budget = new AdmissionBudget(1 << 20, 4 * 1_024, 0.6);
        var bench = bench(new MemoryIntake(budget).hold());
        assign(bench, P0, entry(segment(0, 2), segment(2, 4), segment(4, 6), segment(6, 8)));
        bench.poll(P0, 0, 8);
        for (var i = 0; i < 10; i++) bench.after(60 * MS);
        assertThat(offered(bench)).isEqualTo("0-2:[0, 1] 2-4:[2, 3]");
        assign(bench, P1, entry(segment(0, 2)));
        bench.poll(P1, 0, 2);
        for (var i = 0; i < 10; i++) bench.after(60 * MS);
        assertThat(offered(bench)).isEqualTo("0-2:[0, 1] 2-4:[2, 3] 0-2:[0, 1]");
        bench.intake.letGo();
        settle(bench);
        assertThat(bench.committed(P0)).isEqualTo(8);
        assertThat(bench.committed(P1)).isEqualTo(2);
        nothingLeaks(bench);
    }

    // --- SRC-6, CH-8, drain

    @Test
    @DisplayName("SRC-6 What retention took of a planned segment is counted: what is left is another batch")
    void retentionInsideASegmentIsCounted() {
        onLostOffset = OnLostOffset.CONTINUE;
        var bench = bench(new MemoryIntake());
        assign(bench, P0, entry(segment(100, 110), segment(110, 120), segment(120, 130)));
        bench.tell(new SourceEvent.OffsetsLost(P0, 100, 115));
        assertThat(bench.counters.offsetsLost()).isEqualTo(15);
        assertThat(bench.counters.possibleDuplicates()).isEqualTo(20);
        assertThat(bench.all(SourceCommand.SeekTo.class).getFirst().offset()).isEqualTo(115);
        bench.poll(P0, 115, 20);
        settle(bench);
        assertThat(offered(bench))
                .isEqualTo(
                        "110-120:[115, 116, 117, 118, 119] 120-130:[120, 121, 122, 123, 124, 125, 126, 127, 128, 129]"
                                + " 130-135:[130, 131, 132, 133, 134]");
        assertThat(bench.committed(P0)).isEqualTo(135);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("SRC-14 What a person leaves out of a planned segment is counted too: what is left is another batch")
    void whatIsLeftOutOfASegmentIsCounted() {
        var bench = bench(new MemoryIntake());
        assign(bench, P0, entry(segment(100, 110), segment(110, 120)));
        bench.poll(P0, 100, 5);
        bench.tell(new SourceEvent.Skipped(P0, 106));
        assertThat(bench.counters.possibleDuplicates()).isEqualTo(10);
        bench.poll(P0, 106, 14);
        settle(bench);
        assertThat(offered(bench))
                .isEqualTo("100-110:[100, 101, 102, 103, 104, 106, 107, 108, 109]"
                        + " 110-120:[110, 111, 112, 113, 114, 115, 116, 117, 118, 119]");
        assertThat(bench.committed(P0)).isEqualTo(120);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("CH-8 EO-3 A table that changes under way: what is cut stays cut, is rebuilt in place, and counted")
    void aLayoutChangeKeepsTheCuts() {
        var bench = bench(new MemoryIntake().hold());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 3);
        bench.after(LINGER);
        bench.acknowledge();
        bench.poll(P0, 3, 3);
        bench.after(LINGER);
        bench.poll(P0, 6, 3);
        bench.tell(new SourceEvent.LayoutChanged("sink"));
        assertThat(bench.intake.segments()).hasSize(1);
        bench.after(6_000 * MS);
        assertThat(bench.all(SourceCommand.ReadAgain.class)).hasSize(1);
        assertThat(bench.all(SourceCommand.ReadAgain.class).getFirst().from().offset())
                .isZero();
        bench.intake.settleHeld(Ending.ABANDONED);
        bench.takeInbox();
        bench.intake.letGo();
        bench.poll(P0, 0, 12);
        bench.after(MS);
        bench.after(MS);
        assertThat(offered(bench))
                .as("of the others no commit was acknowledged")
                .isEqualTo("0-3:[0, 1, 2] 0-3:[0, 1, 2]");
        settle(bench);
        var again = offered(bench);
        assertThat(again).isEqualTo("0-3:[0, 1, 2] 0-3:[0, 1, 2] 3-6:[3, 4, 5] 6-12:[6, 7, 8, 9, 10, 11]");
        assertThat(bench.counters.possibleDuplicates()).isGreaterThanOrEqualTo(3);
        assertThat(bench.committed(P0)).isEqualTo(12);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("CH-8 A table that changes in the middle of a replay: the half is given up and rebuilt whole")
    void aLayoutChangeInTheMiddleOfAReplay() {
        var bench = bench(new MemoryIntake());
        assign(bench, P0, entry(segment(0, 6), segment(6, 9)));
        bench.poll(P0, 0, 4);
        bench.tell(new SourceEvent.LayoutChanged("sink"));
        bench.after(6_000 * MS);
        assertThat(bench.intake.segments()).isEmpty();
        bench.poll(P0, 0, 9);
        settle(bench);
        assertThat(offered(bench)).isEqualTo("0-6:[0, 1, 2, 3, 4, 5] 6-9:[6, 7, 8]");
        assertThat(bench.committed(P0)).isEqualTo(9);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName(
            "SHD-1 EO-3 A drain hands over what it may cut and commit; a half that was being rebuilt stays in the plan")
    void aDrainLeavesAHalfToThePlan() {
        var bench = bench(new MemoryIntake());
        assign(bench, P0, entry(segment(0, 6), segment(6, 9)));
        bench.assign(P1, 0);
        bench.poll(P0, 0, 7);
        bench.poll(P1, 0, 2);
        bench.tell(new SourceEvent.StopTaking(bench.now + 5_000 * MS));
        settle(bench);
        assertThat(bench.all(SourceCommand.InputFinished.class)).hasSize(1);
        assertThat(bench.intake.segments()).extracting(Offered::partition).containsExactlyInAnyOrder(P0, P1);
        assertThat(bench.committed(P0)).isEqualTo(6);
        assertThat(said(last(bench)).segments().toString()).isEqualTo("[[6, 9)]");
        assertThat(bench.committed(P1)).isEqualTo(2);
        nothingLeaks(bench);
    }

    @Test
    @DisplayName("SHD-1 EO-1 A drain whose plans nobody commits ends at its time, and hands over nothing of them")
    void aDrainWithoutCommitsEnds() {
        var bench = bench(new MemoryIntake());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 2);
        bench.tell(new SourceEvent.StopTaking(bench.now + 1_000 * MS));
        bench.after(900 * MS);
        assertThat(bench.all(SourceCommand.InputFinished.class)).isEmpty();
        bench.after(100 * MS);
        assertThat(bench.all(SourceCommand.InputFinished.class)).hasSize(1);
        assertThat(bench.intake.segments()).isEmpty();
        bench.acknowledge();
        assertThat(bench.intake.segments()).isEmpty();
        nothingLeaks(bench);
    }

    // --- EO-13

    @Test
    @DisplayName("EO-13 The newest tokens go into the plan, and whoever gets the partition next asks for them")
    void theNewestTokensAreAskedFor() {
        newestTokens = Map.of(11, 22L);
        var bench = bench(new MemoryIntake());
        bench.assign(P0, 0);
        bench.poll(P0, 0, 2);
        settle(bench);
        assertThat(said(last(bench)).newestTokens()).isEqualTo(newestTokens);
        var next = bench(new MemoryIntake());
        assign(next, P0, last(bench));
        assertThat(next.all(SourceCommand.AskFor.class))
                .containsExactly(new SourceCommand.AskFor(P0, new TreeMap<>(newestTokens)));
        newestTokens = Map.of();
        next.poll(P0, 2, 2);
        settle(next);
        assertThat(said(last(next)).newestTokens())
                .as("kept until there are newer ones")
                .containsEntry(11, 22L);
        nothingLeaks(next);
        nothingLeaks(bench);
    }

    private static Send sent(Bench bench) {
        return bench.all(SourceCommand.Commit.class).getLast().send();
    }

    @Test
    @DisplayName("EO-1 Plans of all partitions go in one commit, at once, and not at the interval")
    void plansGoTogetherAndAtOnce() {
        var bench = bench(new MemoryIntake());
        bench.assign(P0, 0);
        bench.assign(P1, 0);
        bench.poll(P0, 0, 2);
        bench.poll(P1, 0, 2);
        bench.after(LINGER);
        assertThat(sent(bench).entries()).containsOnlyKeys(P0, P1);
        assertThat(bench.machine.planOut()).isTrue();
        bench.acknowledge();
        assertThat(bench.intake.segments()).hasSize(2);
        nothingLeaks(bench);
    }
}
