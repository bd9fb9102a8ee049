package dev.millrace.testkit;

import dev.millrace.kafka.SourceCounters;
import dev.millrace.sinkpool.ShardCounts;
import dev.millrace.sinkpool.TokenLog;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// O3: every row that is stored more than once has a cause that is allowed. One stretch of owning a
/// partition sends a row under one token only; a sink that honours tokens stores that once; elsewhere
/// there are no more repeats than production counts attempts that may have stored, and deliveries that
/// the network doubled. The rest are replays: of another epoch or another run.
///
/// Knows every row that is there, and apart from that those that the sink lost after it had
/// acknowledged them.
///
/// Thread ownership: the run.
final class RepeatOracle {
    /// One copy of a row, and the copy that was there before.
    private record Copy(SentBatch batch, int row, @Nullable Copy before) {}

    private record Place(int partition, long offset) {}

    private final World world;
    private final boolean neverRepeats;
    private final boolean countsRepeats;
    private final boolean oneLog;
    private final List<ShardCounts> counted = new ArrayList<>();
    private final List<SourceCounters> countedBySources = new ArrayList<>();
    private String example = "";
    private final Map<Place, Copy> copies = new HashMap<>();
    private final Map<Place, Long> gone = new HashMap<>();
    private final Map<SentBatch.Sender, long[]> repeatedBlocks = new HashMap<>();
    private final Map<SentBatch.Sender, Long> doubled = new HashMap<>();
    private final Map<SentBatch.Sender, Set<SentBatch>> repeated = new HashMap<>();
    private long rowsStored;
    private long rowsRepeated;
    private long rowsReplayed;

    RepeatOracle(World world) {
        this.world = world;
        var kind = world.scenario.sink().store().kind();
        neverRepeats = kind.neverRepeats();
        countsRepeats = kind.tokenLog() != TokenLog.SHARED;
        oneLog = kind.tokenLog() == TokenLog.SHARED && kind != SinkKind.LAGGING;
    }

    /// What a shard of a run counts.
    void counts(ShardCounts of) {
        counted.add(of);
    }

    /// What a member of a run counts.
    void counts(SourceCounters of) {
        countedBySources.add(of);
    }

    /// O3 under effectively-once delivery: whatever befell processes, group and network, no row is
    /// there twice that is not counted as perhaps there twice.
    void total() {
        if (!world.scenario.planned() || !oneLog || world.isPlanLost()) return;
        var most = 0L;
        for (var counts : counted) most += counts.possibleDuplicates();
        for (var counts : countedBySources) most += counts.possibleDuplicates();
        if (rowsRepeated + rowsReplayed > most)
            throw new Violation(
                    "O3",
                    rowsRepeated + " rows are stored again under their token and " + rowsReplayed
                            + " under another, and " + most + " possible duplicates are counted" + example);
    }

    /// The network delivered a request twice.
    void doubled(SentBatch batch) {
        doubled.merge(batch.sender, (long) batch.blocks(), Long::sum);
        batch.doubled();
    }

    /// Without the rows that are `known` already.
    void stored(SentBatch batch, int block, BitSet known) {
        if (batch.store(block) > 0) repeated(batch, block);
        for (var row = batch.from(block); row < batch.to(block); row++) {
            if (known.get(row)) continue;
            var p = batch.partitions[row];
            var offset = batch.offsets[row];
            var place = new Place(p, offset);
            var before = copies.get(place);
            copies.put(place, new Copy(batch, row, before));
            gone.remove(place);
            world.log.landed(p, offset);
            rowsStored++;
            if (before != null) another(batch, row, before);
        }
    }

    private void another(SentBatch batch, int row, Copy before) {
        if (before.batch == batch) {
            rowsRepeated++;
            if (example.isEmpty())
                example = "; first " + batch.partitions[row] + "@" + batch.offsets[row] + " again as " + batch + " at "
                        + world.agenda.elapsed() / 1_000_000 + " ms";
            return;
        }
        rowsReplayed++;
        if (example.isEmpty())
            example = "; first " + batch.partitions[row] + "@" + batch.offsets[row] + " as " + batch + " after "
                    + before.batch;
        // There a token is one batch in every epoch and run, so none tells who sent a copy: see total.
        if (world.scenario.planned()) return;
        for (var copy = before; copy != null; copy = copy.before)
            if (copy.batch != batch
                    && !takenApart(batch, copy.batch)
                    && copy.batch.sender.run() == batch.sender.run()
                    && copy.batch.epochs[copy.row] == batch.epochs[row])
                throw new Violation(
                        "O3",
                        batch.partitions[row] + "@" + batch.offsets[row] + " is stored under two tokens of one epoch: "
                                + batch + " and " + copy.batch);
    }

    /// Of a batch of which an attempt ended unknown, parts were sent when it was then refused:
    /// those are repeats that are counted.
    private static boolean takenApart(SentBatch one, SentBatch other) {
        return one.root.equals(other.root) && (one.doubtful() || other.doubtful());
    }

    private void repeated(SentBatch batch, int block) {
        if (neverRepeats)
            throw new Violation("O3", "block " + block + " is stored twice by a sink that honours tokens");
        // Whoever replays it is another sender, and counts for itself: see total.
        if (world.scenario.planned()) return;
        if (batch.sender.pins())
            throw new Violation("WRT-11", "block " + block + " is sent to a replica that does not know it");
        repeated.computeIfAbsent(batch.sender, _ -> new HashSet<>()).add(batch);
        var repeats = ++repeatedBlocks.computeIfAbsent(batch.sender, _ -> new long[1])[0];
        var most = batch.sender.doubtful() + doubled.getOrDefault(batch.sender, 0L);
        if (repeats > most)
            throw new Violation(
                    "O3",
                    repeats + " batches of run " + batch.sender.run() + " are stored again, of " + most
                            + " that may be by what is counted");
    }

    /// WRT-11: rows of batches that their shard knows to be in, and that are there more than once
    /// by its doing, are counted.
    void compare(SentBatch.Sender sender) {
        if (!countsRepeats) return;
        var rows = 0L;
        for (var batch : repeated.getOrDefault(sender, Set.of())) if (batch.isWritten()) rows += batch.rowsRepeated();
        var counted = sender.counts().possibleDuplicates();
        if (rows > counted)
            throw new Violation("WRT-11", rows + " rows are stored again, " + counted + " possible duplicates counted");
    }

    /// A block is there no more. If it was acknowledged, that is the sink's own loss; else nobody
    /// may count on it.
    void lost(SentBatch batch, int block) {
        batch.lose(block);
        world.reached(batch.acknowledged() ? Sometimes.REPLICATION_LOSS : Sometimes.LOST_BEFORE_ACKNOWLEDGED);
        for (var row = batch.from(block); row < batch.to(block); row++) {
            var p = batch.partitions[row];
            var offset = batch.offsets[row];
            var place = new Place(p, offset);
            var left = without(copies.get(place), batch);
            if (left == null) copies.remove(place);
            else copies.put(place, left);
            if (batch.acknowledged()) {
                if (left == null) gone.put(place, batch.sender.run());
            } else world.log.takenBack(p, offset);
        }
    }

    private static @Nullable Copy without(@Nullable Copy from, SentBatch batch) {
        if (from == null) return null;
        if (from.batch == batch) return from.before;
        return new Copy(from.batch, from.row, without(from.before, batch));
    }

    /// Rows that the sink lost after it had acknowledged them, and that did not come again.
    long gone() {
        return gone.size();
    }

    long rowsStored() {
        return rowsStored;
    }

    /// Rows stored again under their own token.
    long rowsRepeated() {
        return rowsRepeated;
    }

    /// Rows stored again by another epoch or run.
    long rowsReplayed() {
        return rowsReplayed;
    }
}
