package dev.millrace.testkit;

import dev.millrace.checkpoint.Resolution;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.RowCounts;
import dev.millrace.sinkpool.RowRef;
import dev.millrace.sinkpool.ShardCommand;
import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.ShardEvent;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardView;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Holds one shard machine against the truth: its chunks, its batches, its replicas.
///
/// Thread ownership: the run.
final class ShardOracle {
    private final PipelineProcess process;
    private final World world;
    private final ChunkOracle chunks;
    private final BatchOracle batches;
    private final ReplicaOracle replicas;
    private final SealOracle seals;
    private final NoteOracle notes = new NoteOracle();
    private final RetryOracle retries;
    private final CountOracle numbers;
    private final PoisonOracle poison;
    private final PinOracle pins;
    private final ShardCounts counts;
    private final ShardSettings settings;
    private boolean finished;

    ShardOracle(PipelineProcess process, ShardSettings settings, ShardCounts counts, SentBatch.Sender sender) {
        this.process = process;
        this.world = process.world;
        this.settings = settings;
        this.counts = counts;
        chunks = new ChunkOracle(process);
        batches = new BatchOracle(world, settings);
        seals = new SealOracle(process, settings);
        retries = new RetryOracle(process, settings);
        numbers = new CountOracle(counts);
        poison = new PoisonOracle(process, settings);
        pins = new PinOracle(process, settings, sender);
        replicas = new ReplicaOracle(world, settings, retries, numbers);
    }

    void offered(EncodedChunk chunk) {
        chunks.offered(chunk);
    }

    /// The machine wants chunks.
    void takes(ShardView before) {
        batches.takes(before);
    }

    void arrived(EncodedChunk chunk) {
        chunks.arrived(chunk);
        seals.arrived(chunk);
    }

    /// The machine answered; nothing is carried out yet.
    void decided(ShardEvent event, List<ShardView.Replica> before, ShardView after, Collection<ShardCommand> commands) {
        if (event instanceof ShardEvent.EpochEnded(var partition, var epoch)) chunks.epochEnded(partition, epoch);
        var settling = false;
        for (var command : commands) {
            if (command instanceof ShardCommand.Settle) settling = true;
            if (settling && command instanceof ShardCommand.StartAttempt start)
                throw new Violation("WRT-7", "attempt " + start.attempt() + " is started after something is settled");
            if (command instanceof ShardCommand.Tell(ShardNote.Sealed(var batch))) {
                batches.sealed(batch);
                seals.sealed(batch);
            }
        }
        if (event instanceof ShardEvent.AttemptEnded(var id, var outcome) && replicas.isLive(id))
            poison.ended(id, outcome);
        if (event instanceof ShardEvent.DeadLettered(var _, var row)) chunks.acknowledged(row);
        pins.decided(event, commands);
        replicas.decided(event, before, after, commands);
        for (var command : commands)
            if (command instanceof ShardCommand.Tell(ShardNote.Abandoned told)) abandoned(told, after, commands);
    }

    /// `after` is null of a worker that died in that event: what its replicas were then nobody told.
    void started(ShardCommand.StartAttempt start, FakeAttempt attempt, @Nullable ShardView after) {
        if (after != null) replicas.prefersAnother(start.batch().id(), start.replica(), after);
        batches.started(start, replicas);
        replicas.started(start.attempt(), start.replica(), start.batch().id());
        retries.started(start.batch().id());
        numbers.began(start.replica());
        poison.started(start);
        pins.started(start, attempt);
        chunks.started(start, attempt);
        seals.started(start);
    }

    void pinged(long id, int replica) {
        replicas.started(id, replica, 0);
    }

    /// Attempts to write that are neither ended nor cancelled.
    int writing() {
        return replicas.writing();
    }

    boolean isOut(long attempt) {
        return replicas.isLive(attempt);
    }

    void cancelled(long id) {
        replicas.cancelled(id);
    }

    /// DRN-2: what a cut drain says it left is what it gives up, and is shown for the report.
    private static void abandoned(ShardNote.Abandoned told, ShardView after, Collection<ShardCommand> commands) {
        var givenUp = new EnumMap<Ending, Long>(Ending.class);
        for (var command : commands)
            if (command instanceof ShardCommand.Settle(var _, var ended) && ended.resolution() != Resolution.DONE)
                for (var ending : Ending.values()) givenUp.merge(ending, (long) ended.of(ending), Long::sum);
        var done = givenUp.getOrDefault(Ending.WRITTEN, 0L)
                + givenUp.getOrDefault(Ending.DEAD_LETTERED, 0L)
                + givenUp.getOrDefault(Ending.SKIPPED, 0L);
        if (told.rows() > givenUp.getOrDefault(Ending.ABANDONED, 0L)
                || told.inDoubt() > givenUp.getOrDefault(Ending.IN_DOUBT, 0L)
                || told.rows() + told.inDoubt() > after.heldRows()
                || told.rows() + told.inDoubt() + done < after.heldRows())
            throw new Violation("DRN-2", told + ", given up are " + givenUp + ", shown " + after.heldRows());
    }

    /// Returns whether an attempt of it had begun.
    boolean settled(EncodedChunk chunk, RowCounts ending) {
        batches.settled(chunk);
        poison.settled(chunk);
        seals.settled(chunk);
        return chunks.settled(chunk, ending);
    }

    /// All commands of one event are carried out.
    void carriedOut(ShardEvent event, ShardView after) {
        replicas.carriedOut(after);
        batches.carriedOut(after);
        seals.carriedOut(event, after, finished);
        notes.carriedOut(after);
        poison.judged();
        if (!finished) pins.carriedOut(after);
        if (!finished) retries.carriedOut(after);
        numbers.compare();
        chunks.compare(counts);
        bounded(after);
        world.note("held", after.held().size(), after.openRows());
    }

    /// O7: a machine holds no more than what it may have in flight, one batch that is open, and one that
    /// it took in when nothing waited.
    private void bounded(ShardView after) {
        var batch = settings.batch();
        // A lane has what is open, what waits behind the one that holds it, and what was taken in with that.
        var lanes = settings.ordered() ? 3L * settings.lanes() : 0;
        var most = (settings.maxInFlight() + 2L + lanes) * (batch.maxRows() + MemoryOracle.chunkRows(process.source));
        var rows = after.openRows();
        for (var held : after.held()) if (!held.parked()) rows += held.rows();
        if (rows > most) throw new Violation("O7", "a machine holds " + rows + " rows, may hold " + most);
    }

    /// Its letter is sent.
    void sent(RowRef row) {
        chunks.sent(row);
    }

    void told(ShardNote note, ShardView before) {
        if (note instanceof ShardNote.Poison(var row, var _, var skipped)) {
            poison.condemned(row);
            world.order.setAside(FakeRows.lifeOf(row), row.offset());
            if (skipped) chunks.skipped(row);
        }
        if (note instanceof ShardNote.Wrote wrote) pins.wrote(wrote.batch().id(), before);
        notes.told(note);
    }

    void finished() {
        finished = true;
        chunks.finished();
        replicas.finished();
        batches.finished();
    }

    void died(List<EncodedChunk> unsettled) {
        chunks.died(unsettled);
    }

    /// Its worker meets an error in this event: what came with it is true all the same.
    void diesIn(ShardEvent event) {
        if (event instanceof ShardEvent.AttemptEnded(var id, var outcome) && replicas.isLive(id))
            poison.ended(id, outcome);
        if (event instanceof ShardEvent.DeadLettered(var _, var row)) chunks.acknowledged(row);
        replicas.diesIn(event);
    }

    /// Its shard decided to leave out some rows, and died before it told which.
    void skippedUntold(EncodedChunk chunk, RowCounts counts) {
        chunks.skippedUntold(chunk, counts);
    }

    /// The worker met an error: from now on the machine only gives up what it holds.
    void dies() {
        chunks.dies();
    }

    void compare() {
        chunks.compare(counts);
    }
}
