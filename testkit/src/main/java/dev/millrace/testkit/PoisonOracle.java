package dev.millrace.testkit;

import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.PoisonSettings.SingleRow;
import dev.millrace.sinkpool.RowRef;
import dev.millrace.sinkpool.SealedBatch;
import dev.millrace.sinkpool.ShardCommand;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.Slice;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/// POI-1, POI-3, POI-4: a row is condemned only when its sink refused it alone, and took something of the shard
/// nearby; what was refused before its batch had landed anything is refused once more before that.
///
/// Thread ownership: the run.
final class PoisonOracle {
    private record Place(EncodedChunk chunk, int row) {}

    private record Refusal(long number, boolean tooLarge) {}

    private record Decided(long nanos, long rows, boolean poison) {}

    private static final long LEAST_OF_A_DRIFT = 100;
    private static final long WINDOW_ROWS = 10_000;

    private static final long WINDOW_NANOS = 60_000_000_000L;

    private final PipelineProcess process;
    private final ShardSettings settings;
    private final Map<Long, ShardCommand.StartAttempt> out = new HashMap<>();
    private final Map<Place, Refusal> refused = new HashMap<>();
    private final Map<Long, Long> landed = new HashMap<>();
    private final Map<EncodedChunk, SealedBatch> batchOf = new HashMap<>();
    private long number;
    private final ArrayDeque<Decided> decided = new ArrayDeque<>();
    private boolean accepted;
    private long acceptedNanos;

    PoisonOracle(PipelineProcess process, ShardSettings settings) {
        this.process = process;
        this.settings = settings;
    }

    void started(ShardCommand.StartAttempt start) {
        out.put(start.attempt(), start);
        for (var slice : start.batch().rows().slices()) batchOf.put(slice.chunk(), start.batch());
    }

    void settled(EncodedChunk chunk) {
        batchOf.remove(chunk);
        refused.keySet().removeIf(place -> place.chunk == chunk);
    }

    /// An attempt that counts ended.
    void ended(long attempt, WriteOutcome outcome) {
        var start = out.remove(attempt);
        if (start == null) return;
        switch (outcome) {
            case WriteOutcome.Written written -> accepted(start, written);
            case WriteOutcome.Refused(var failure, var _) -> {
                if (!failure.mayHaveStored()) refused(start, false);
            }
            case WriteOutcome.TooLarge(var failure) -> {
                if (!failure.mayHaveStored()) refused(start, true);
            }
            case WriteOutcome.Unavailable _, WriteOutcome.Misconfigured _ -> {}
        }
    }

    private void accepted(ShardCommand.StartAttempt start, WriteOutcome.Written written) {
        var rows = start.rows().rows();
        if (settings.countsRows() && written.accepted() + written.duplicate() != rows) return;
        accepted = true;
        acceptedNanos = process.now();
        decided.addLast(new Decided(process.now(), rows, false));
        if (rows < start.batch().rows().rows()) landed.putIfAbsent(start.batch().id(), ++number);
    }

    private void refused(ShardCommand.StartAttempt start, boolean tooLarge) {
        if (start.rows().rows() != 1) return;
        Slice slice = start.rows().slices().getFirst();
        refused.put(new Place(slice.chunk(), slice.fromRow()), new Refusal(++number, tooLarge));
    }

    /// POI-13: no more rows are set aside than may be poison. What is surely in the machine's window is held
    /// against all that was ever decided.
    void judged() {
        var rows = 0L;
        var poison = 0L;
        for (var all = decided.descendingIterator(); all.hasNext(); ) {
            var one = all.next();
            if (one.poison && (rows < WINDOW_ROWS || process.now() - one.nanos < WINDOW_NANOS)) poison++;
            rows += one.rows;
        }
        if (poison >= LEAST_OF_A_DRIFT && poison > settings.poison().maxRate() * rows)
            throw new Violation("POI-13", poison + " of " + rows + " rows are set aside as poison");
    }

    /// A row is set aside.
    void condemned(RowRef row) {
        decided.addLast(new Decided(process.now(), 1, true));
        var refusal = refused.get(new Place(row.chunk(), row.row()));
        var batch = batchOf.get(row.chunk());
        if (refusal == null || batch == null)
            throw new Violation("POI-1", row + " is condemned, and was never refused alone");
        if (refusal.tooLarge) return;
        var first = landed.get(batch.id());
        if (first != null && refusal.number < first)
            throw new Violation("POI-1", row + " is condemned by what was said before its batch landed anything");
        var single = (batch.rows().rows() == 1 || settings.ordered())
                && settings.poison().singleRow() == SingleRow.DEAD_LETTER;
        var near =
                accepted && process.now() - acceptedNanos <= settings.poison().evidenceNanos();
        if (first == null && !near && !single)
            throw new Violation("POI-3", row + " is condemned, and nothing was taken");
    }
}
