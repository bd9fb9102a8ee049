package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;

/// A shard machine under random schedules, against what its sink was asked and said.
///
/// The rig checks after each event; here, that an ending is what the attempts of a chunk justify, that
/// nothing stays behind once the sink is well, and that a drain ends whatever the sink does.
final class ShardMachineModelTest {
    private static final class Run {
        final SplittableRandom random;
        final Shard shard;
        final Map<Long, ShardCommand.StartAttempt> live = new HashMap<>();
        final Set<Long> pings = new HashSet<>();
        final List<Long> cancelled = new ArrayList<>();
        final Set<RowRef> written = new HashSet<>();
        final Set<RowRef> doubted = new HashSet<>();
        final Set<RowRef> deadLettered = new HashSet<>();
        final List<ShardCommand.DeadLetter> letters = new ArrayList<>();
        final Set<EncodedChunk> settled = new HashSet<>();
        final List<EncodedChunk> arrived = new ArrayList<>();
        final Set<RowRef> lettersSent = new HashSet<>();
        final long[] epochs = {1, 1, 1};
        final long[] offsets = new long[3];
        /// A deadline is near: rows that are wanted may be given up.
        boolean bounded;

        Run(long seed) {
            random = new SplittableRandom(seed);
            shard = new Shard(s -> {
                s.replicas = 1 + random.nextInt(3);
                s.maxInFlight = 1 + random.nextInt(3);
                s.ordered = random.nextBoolean();
                s.lanes = s.ordered ? 1 + random.nextInt(3) : 1;
                if (random.nextInt(4) == 0) s.poison = PoisonTest.setsLoneRowsAside();
                s.maxRows = 10;
                s.maxBytes = 400;
                s.failures = 1 + random.nextInt(3);
                s.openFor = new long[] {0, 100, 5000}[random.nextInt(3)];
                s.probes = 1 + random.nextInt(2);
                s.writeTimeout = 1000 + random.nextLong(5000);
                s.probeTimeout = 500 + random.nextLong(5000);
                s.originNanos = random.nextBoolean() ? 0 : Long.MAX_VALUE - random.nextInt(20_000) * Shard.MS;
            });
        }

        void saw(Step step) {
            for (var command : step.commands()) {
                switch (command) {
                    case ShardCommand.StartAttempt start -> {
                        var rows = new HashSet<RowRef>();
                        rows(start, rows);
                        assertThat(start.mayBeStored())
                                .as("%s, whose rows may be stored", start)
                                .isEqualTo(!Collections.disjoint(rows, doubted));
                        live.put(start.attempt(), start);
                    }
                    case ShardCommand.StartPing(var id, var _, var _) -> pings.add(id);
                    case ShardCommand.CancelAttempt(var id) -> {
                        cancelled.add(id);
                        pings.remove(id);
                        var start = live.remove(id);
                        if (start != null) doubt(start);
                    }
                    case ShardCommand.Settle(var chunk, var ended) -> settled(chunk, ended);
                    case ShardCommand.Tell _,
                            ShardCommand.AskSlot _,
                            ShardCommand.GiveSlotBack _,
                            ShardCommand.Finished _,
                            ShardCommand.MarkSplit _,
                            ShardCommand.StopForExpired _,
                            ShardCommand.StopFor _ -> {}
                    case ShardCommand.DeadLetter letter -> {
                        letters.add(letter);
                        lettersSent.add(letter.row());
                    }
                }
            }
            if (shard.setup.ordered) for (var start : step.started()) assertInOrder(start);
        }

        /// SEAL-8: of the partitions whose rows it has, which are of one lane each, nothing before them waits.
        private void assertInOrder(ShardCommand.StartAttempt start) {
            for (var slice : start.rows().slices()) {
                var first = slice.chunk().offset(slice.fromRow());
                for (var chunk : arrived) {
                    if (settled.contains(chunk)
                            || chunk.epoch() != slice.chunk().epoch()
                            || !chunk.partition().equals(slice.chunk().partition())) continue;
                    for (var i = 0; i < chunk.rows() && chunk.offset(i) < first; i++) {
                        var row = new RowRef(chunk, i);
                        var decided = written.contains(row)
                                || lettersSent.contains(row)
                                || start.rows().slices().stream()
                                        .anyMatch(one -> one.chunk() == chunk && one.fromRow() <= row.row());
                        assertThat(decided)
                                .as("%s, before %s, which is sent", row, start.rows())
                                .isTrue();
                    }
                }
            }
        }

        private void settled(EncodedChunk chunk, RowCounts ended) {
            assertThat(settled.add(chunk)).isTrue();
            var wanted = chunk.epoch() == epochs[chunk.partition().partition()];
            if (wanted && !bounded)
                assertThat(ended.written() + ended.deadLettered())
                        .as("%s, which is wanted: %s", chunk, ended)
                        .isEqualTo(chunk.rows());
            assertThat(ended).as("%s", chunk).isEqualTo(truth(chunk));
        }

        private RowCounts truth(EncodedChunk chunk) {
            int inSink = 0, inDoubt = 0;
            var dead = new ArrayList<Integer>();
            for (var i = 0; i < chunk.rows(); i++) {
                var row = new RowRef(chunk, i);
                if (written.contains(row)) inSink++;
                else if (deadLettered.contains(row)) dead.add(i);
                else if (doubted.contains(row) || sent(row)) inDoubt++;
            }
            return new RowCounts(inSink, dead.size(), 0, chunk.rows() - inSink - dead.size() - inDoubt, inDoubt, dead);
        }

        private boolean sent(RowRef row) {
            return letters.stream().anyMatch(letter -> letter.row().equals(row));
        }

        private void doubt(ShardCommand.StartAttempt start) {
            rows(start, doubted);
        }

        private static void rows(ShardCommand.StartAttempt start, Set<RowRef> into) {
            for (var slice : start.rows().slices())
                for (var row = slice.fromRow(); row < slice.toRow(); row++) into.add(new RowRef(slice.chunk(), row));
        }

        void acknowledgeOne() {
            if (letters.isEmpty()) return;
            var letter = letters.remove(random.nextInt(letters.size()));
            if (!settled.contains(letter.row().chunk())) deadLettered.add(letter.row());
            saw(shard.on(new ShardEvent.DeadLettered(letter.batch().id(), letter.row())));
        }

        void step(boolean well) {
            switch (random.nextInt(13)) {
                case 0, 1, 2 -> arrive();
                case 3 -> {
                    shard.atNanos(shard.now() + random.nextLong(50 * Shard.MS));
                    saw(shard.on(new ShardEvent.Tick()));
                }
                case 4 -> tickWhenDue();
                case 5 -> {
                    if (!cancelled.isEmpty()) {
                        var id = cancelled.remove(random.nextInt(cancelled.size()));
                        saw(random.nextBoolean() ? shard.lost(id) : shard.end(id, outcome(10, false)));
                    }
                }
                case 6 -> saw(shard.on(new ShardEvent.Pressure()));
                case 7 -> {
                    var partition = random.nextInt(3);
                    if (random.nextBoolean())
                        saw(shard.on(
                                new ShardEvent.Revoking(Source.partition("orders", partition), epochs[partition])));
                    if (random.nextInt(3) == 0) saw(shard.epochEnded("orders", partition, epochs[partition]++));
                }
                case 8 -> {
                    acknowledgeOne();
                    for (var letter : letters)
                        if (random.nextInt(4) == 0)
                            saw(shard.on(new ShardEvent.DeadLetterFailed(
                                    letter.batch().id(), letter.row(), new Failure("isr", "too few", true))));
                }
                default -> endOne(well);
            }
        }

        private void arrive() {
            if (!shard.machine.wantsChunks()) return;
            var chunks = new EncodedChunk[1 + random.nextInt(4)];
            for (var i = 0; i < chunks.length; i++) {
                var partition = random.nextInt(3);
                var rows = 1 + random.nextInt(6);
                chunks[i] = shard.source.chunk(
                        partition % shard.setup.lanes,
                        FakeRecord.AS_IS,
                        "orders",
                        partition,
                        epochs[partition],
                        offsets[partition],
                        rows,
                        20,
                        shard.now());
                offsets[partition] += rows;
                arrived.add(chunks[i]);
            }
            saw(shard.arrive(chunks));
        }

        void tickWhenDue() {
            if (shard.machine.wakeAtNanos() == NanoClock.NEVER) return;
            saw(shard.tickWhenDue());
        }

        void endOne(boolean well) {
            if (!pings.isEmpty() && random.nextBoolean()) {
                var id = pings.iterator().next();
                pings.remove(id);
                saw(shard.end(id, well ? new WriteOutcome.Written(0, 0) : outcome(0, false)));
                return;
            }
            if (live.isEmpty()) return;
            var ids = new ArrayList<>(live.keySet());
            var start = Objects.requireNonNull(live.remove(ids.get(random.nextInt(ids.size()))));
            if (!well && random.nextInt(8) == 0) {
                doubt(start);
                saw(shard.lost(start.attempt()));
                return;
            }
            var outcome = outcome(start.rows().rows(), well);
            switch (outcome) {
                case WriteOutcome.Written(var accepted, var _) -> {
                    if (accepted == start.rows().rows()) rows(start, written);
                    else doubt(start);
                }
                case WriteOutcome.Unavailable(var failure, var _) -> {
                    if (failure.mayHaveStored()) doubt(start);
                }
                case WriteOutcome.Refused _, WriteOutcome.TooLarge _, WriteOutcome.Misconfigured _ -> {}
            }
            saw(shard.end(start.attempt(), outcome));
        }

        private WriteOutcome outcome(int rows, boolean well) {
            if (well) return new WriteOutcome.Written(rows, 0);
            var failure = new Failure("f" + random.nextInt(3), "no", random.nextBoolean());
            var refusal = new Failure("469", "no", false);
            return switch (random.nextInt(9)) {
                case 0 -> new WriteOutcome.Unavailable(failure, new WriteOutcome.Blame.Overload(random.nextLong()));
                case 1 -> new WriteOutcome.Unavailable(failure, new WriteOutcome.Blame.Nobody());
                case 2 -> new WriteOutcome.Refused(refusal, random.nextInt(12) - 1);
                case 3 -> new WriteOutcome.TooLarge(refusal);
                case 4 -> new WriteOutcome.Misconfigured(refusal);
                case 5 -> new WriteOutcome.Written(rows + 1, 0);
                case 6 -> new WriteOutcome.Written(rows, 0);
                default -> new WriteOutcome.Unavailable(failure, new WriteOutcome.Blame.Replica());
            };
        }
    }

    @Property(tries = 400, shrinking = ShrinkingMode.OFF)
    @Tag("WRT-3")
    @Tag("SEAL-8")
    void onceTheSinkIsWellEverythingThatIsWantedIsWritten(@ForAll long seed) {
        var run = new Run(seed);
        for (var i = 0; i < 250; i++) run.step(false);
        run.saw(run.shard.on(new ShardEvent.DrainBy(NanoClock.due(run.shard.now(), 100_000_000 * Shard.MS))));
        run.saw(run.shard.closeInput());
        for (var i = 0; !run.shard.finished(); i++) {
            assertThat(i).as("steps to the end").isLessThan(5000);
            run.cancelled.forEach(id -> run.saw(run.shard.lost(id)));
            run.cancelled.clear();
            while (!run.live.isEmpty() || !run.pings.isEmpty()) run.endOne(true);
            while (!run.letters.isEmpty()) run.acknowledgeOne();
            if (!run.shard.finished()) run.tickWhenDue();
        }
        run.shard.assertAtRest();
    }

    @Property(tries = 400, shrinking = ShrinkingMode.OFF)
    @Tag("DRN-4")
    void aDrainEndsAtItsDeadlineWhateverTheSinkDoes(@ForAll long seed) {
        var run = new Run(seed);
        for (var i = 0; i < 250; i++) run.step(false);
        run.bounded = true;
        var deadline = NanoClock.due(run.shard.now(), run.random.nextLong(20_000 * Shard.MS));
        run.saw(run.shard.on(new ShardEvent.DrainBy(deadline)));
        for (var i = 0; !run.shard.finished(); i++) {
            assertThat(i).as("steps to the end").isLessThan(5000);
            if (run.random.nextInt(3) == 0) run.endOne(false);
            else run.tickWhenDue();
        }
        assertThat(deadline - run.shard.now()).as("time left").isNotNegative();
        run.shard.assertAtRest();
    }
}
