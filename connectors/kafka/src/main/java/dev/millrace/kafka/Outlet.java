package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.Intake;
import dev.millrace.sinkpool.SlabSource;
import dev.millrace.sinkpool.Target;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The chunks of one source thread for one target that its shard has not taken yet.
///
/// They go over in bulk: waking a shard for each chunk costs more than anything else between poll
/// and socket. What waits
/// here counts in the budget, so a bulk is a small part of it: of a dead shard that holds its
/// share, no more than that comes on top. A refused offer keeps them, in order, and blocks the
/// outlet until one is taken. Planned rows count in their shard's share from when they are encoded:
/// when that is full the outlet is blocked too, but for what is rebuilt.
///
/// Thread ownership: the source thread.
final class Outlet {
    private static final long BULK_BYTES = 1 << 20;
    private static final long PART_OF_BUDGET = 16;

    final Target target;
    final SlabSource slabs;
    final long lingerNanos;
    private final SinkFeed.@Nullable PlannedBatches planned;
    private final Intake intake;
    private final AdmissionBudget budget;
    private final long bulkRows;
    private final long bulkBytes;
    private ArrayList<EncodedChunk> ready = new ArrayList<>();
    private long rows;
    private long bytes;
    private boolean refused;
    private boolean atItsShare;
    private boolean made;

    Outlet(Target target, SinkFeed sink, Intake intake) {
        this.target = target;
        this.slabs = new SlabSource(sink.slabs());
        this.lingerNanos = sink.chunkLingerNanos();
        this.planned = sink.planned();
        this.intake = intake;
        this.budget = intake.budget(target);
        this.bulkRows = intake.budget().maxRows() / PART_OF_BUDGET;
        this.bulkBytes = Math.min(BULK_BYTES, intake.budget().maxBytes() / PART_OF_BUDGET);
    }

    /// What its rows count in.
    AdmissionBudget budget() {
        return budget;
    }

    /// Its chunks come by segments.
    boolean planned() {
        return planned != null;
    }

    /// A batch of so much is full.
    boolean fullBatch(long ofRows, long ofBytes) {
        var batches = planned;
        return batches != null && (ofRows >= batches.maxRows() || ofBytes >= batches.maxBytes());
    }

    /// All that a segment has for the target.
    void addSegment(List<EncodedChunk> chunks) {
        for (var chunk : chunks) put(chunk);
        if (!refused) offer();
    }

    private void put(EncodedChunk chunk) {
        ready.add(chunk);
        rows += chunk.rows();
        bytes += chunk.byteCount();
        made = true;
    }

    void add(EncodedChunk chunk) {
        put(chunk);
        if (!refused && (rows >= bulkRows || bytes >= bulkBytes)) offer();
    }

    /// A chunk was made that waits for its segment elsewhere.
    void collected() {
        made = true;
        look();
    }

    private void look() {
        atItsShare = planned != null && budget.full();
    }

    /// Whether a chunk came since this was last asked.
    boolean tookChunk() {
        if (!made) return false;
        made = false;
        return true;
    }

    /// Offers what there is. Returns whether nothing is left.
    boolean offer() {
        look();
        if (ready.isEmpty()) {
            // What it waited with was taken away by the end of an epoch: the target itself is asked.
            if (refused) refused = !intake.hasRoom(target);
            return true;
        }
        if (planned != null) {
            offerSegments();
        } else if (intake.offer(target, ready)) {
            ready = new ArrayList<>();
            rows = 0;
            bytes = 0;
        } else {
            offerInPieces();
        }
        refused = !ready.isEmpty();
        return !refused;
    }

    /// One segment's chunks at a time: they are one batch, which a shard takes whole or not at all.
    private void offerSegments() {
        while (!ready.isEmpty()) {
            var count = 1;
            while (!ready.get(count - 1).endsSegment()) count++;
            var chunks = new ArrayList<>(ready.subList(0, count));
            if (!intake.offer(target, chunks)) return;
            ready.subList(0, count).clear();
            for (var chunk : chunks) {
                rows -= chunk.rows();
                bytes -= chunk.byteCount();
            }
        }
    }

    // All of it may be more than the target's share of the budget, and then would never be taken at once.
    private void offerInPieces() {
        var taken = 0;
        while (taken < ready.size() && intake.offer(target, List.of(ready.get(taken)))) {
            rows -= ready.get(taken).rows();
            bytes -= ready.get(taken).byteCount();
            taken++;
        }
        ready.subList(0, taken).clear();
    }

    /// The last offer was refused.
    boolean refused() {
        return refused;
    }

    /// Nothing new is encoded for it.
    boolean blocked() {
        return refused || atItsShare;
    }

    boolean isEmpty() {
        return ready.isEmpty();
    }

    /// When the oldest row was polled. Meaningless when empty.
    long oldestNanos() {
        return ready.getFirst().polledNanos();
    }

    /// Gives up what is of this epoch: it replays.
    void drop(SourcePartition partition, long epoch) {
        var kept = new ArrayList<EncodedChunk>();
        rows = 0;
        bytes = 0;
        for (var chunk : ready) {
            if (chunk.epoch() == epoch && chunk.partition().equals(partition)) {
                chunk.close();
            } else {
                kept.add(chunk);
                rows += chunk.rows();
                bytes += chunk.byteCount();
            }
        }
        ready = kept;
    }

    /// Gives up everything.
    void discard() {
        for (var chunk : ready) chunk.close();
        ready = new ArrayList<>();
        rows = 0;
        bytes = 0;
    }
}
