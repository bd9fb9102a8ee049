package dev.millrace.sinkpool;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// Turns the chunks of one shard into sealed batches, lane by lane, and numbers and names them.
///
/// Invariant: a chunk that was added is open in one lane, or in one batch that [#sealed] gave or
/// will give, or was taken out.
///
/// Thread ownership: the shard machine that created it.
final class Composer {
    private final ShardSettings settings;
    private final TokenMint mint;
    private final ShardCounts counts;
    private final List<Composition> lanes = new ArrayList<>();
    private final List<Composition.Sealing> sealings = new ArrayList<>();
    private long batches;

    Composer(ShardSettings settings, TokenMint mint, ShardCounts counts) {
        this.settings = settings;
        this.mint = mint;
        this.counts = counts;
        for (var i = 0; i < settings.lanes(); i++)
            lanes.add(settings.planned() ? new PlannedComposition() : new MergedComposition(settings.batch()));
    }

    void add(EncodedChunk chunk) {
        lanes.get(chunk.target().lane()).add(chunk, sealings);
    }

    /// Seals what has lingered so long.
    void sealDue(long lingerNanos, long nowNanos) {
        for (var lane : lanes) lane.sealDue(lingerNanos, nowNanos, sealings);
    }

    void sealUnderPressure(long nowNanos) {
        for (var lane : lanes) lane.sealUnderPressure(nowNanos, sealings);
    }

    void sealIf(Predicate<EncodedChunk> which, SealReason reason) {
        for (var lane : lanes) lane.sealIf(which, reason, sealings);
    }

    /// The batches sealed since the last call, in order.
    List<SealedBatch> sealed(long nowNanos) {
        if (sealings.isEmpty()) return List.of();
        var out = new ArrayList<SealedBatch>(sealings.size());
        for (var sealing : sealings) {
            counts.sealed(sealing.reason());
            out.add(batchOf(sealing.chunks(), sealing.reason(), nowNanos));
        }
        sealings.clear();
        return out;
    }

    /// A batch of these chunks under a number and a token of its own. Its rows are never added to,
    /// and never taken from once an attempt has begun.
    SealedBatch batchOf(List<EncodedChunk> chunks, SealReason reason, long nowNanos) {
        var id = ++batches;
        var rows = BatchRows.of(chunks);
        var lane = chunks.getFirst().target().lane();
        return new SealedBatch(
                id, settings.shard(), lane, reason, rows, mint.mint(settings.shard(), id, rows), nowNanos);
    }

    /// Takes out all that was added and is in no batch, what [#sealed] failed to make one of among it.
    List<EncodedChunk> takeAll() {
        var out = takeOut(_ -> true);
        sealings.forEach(sealing -> out.addAll(sealing.chunks()));
        sealings.clear();
        return out;
    }

    /// Takes the open chunks out that `which` names.
    List<EncodedChunk> takeOut(Predicate<EncodedChunk> which) {
        var out = new ArrayList<EncodedChunk>();
        for (var lane : lanes) out.addAll(lane.takeOut(which));
        return out;
    }

    boolean isEmpty() {
        for (var lane : lanes) if (!lane.isEmpty()) return false;
        return true;
    }

    long openRows() {
        var out = 0L;
        for (var lane : lanes) out += lane.rows();
        return out;
    }

    long wakeAtNanos(long lingerNanos) {
        var wake = NanoClock.NEVER;
        for (var lane : lanes) wake = NanoClock.earlier(wake, lane.wakeAtNanos(lingerNanos));
        return wake;
    }
}
