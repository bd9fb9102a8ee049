package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.Intake;
import dev.millrace.sinkpool.SlabSource;
import dev.millrace.sinkpool.Target;
import java.util.ArrayList;
import java.util.List;

/// The chunks of one source thread for one target that its shard has not taken yet.
///
/// They go over in bulk: waking a shard for each chunk costs more than anything else between poll and socket. A
/// refused offer keeps them, in order, and blocks the outlet until one is taken.
///
/// Thread ownership: the source thread.
final class Outlet {
    private static final long BULK_BYTES = 1 << 20;

    final Target target;
    final SlabSource slabs;
    final long lingerNanos;
    private final Intake intake;
    private ArrayList<EncodedChunk> ready = new ArrayList<>();
    private long bytes;
    private boolean blocked;
    private boolean made;

    Outlet(Target target, int chunkBytes, long lingerNanos, Intake intake) {
        this.target = target;
        this.slabs = new SlabSource(chunkBytes);
        this.lingerNanos = lingerNanos;
        this.intake = intake;
    }

    void add(EncodedChunk chunk) {
        ready.add(chunk);
        bytes += chunk.byteCount();
        made = true;
        if (!blocked && bytes >= BULK_BYTES) offer();
    }

    /// Whether a chunk came since this was last asked.
    boolean tookChunk() {
        var took = made;
        made = false;
        return took;
    }

    /// Offers what there is. Returns whether nothing is left.
    boolean offer() {
        if (ready.isEmpty()) {
            // What it waited with was taken away by the end of an epoch: the target itself is asked.
            if (blocked) blocked = !intake.hasRoom(target);
            return true;
        }
        if (intake.offer(target, ready)) {
            ready = new ArrayList<>();
            bytes = 0;
        } else {
            offerInPieces();
        }
        blocked = !ready.isEmpty();
        return !blocked;
    }

    // All of it may be more than the target's share of the budget, and then would never be taken at once.
    private void offerInPieces() {
        var taken = 0;
        while (taken < ready.size() && intake.offer(target, List.of(ready.get(taken)))) {
            bytes -= ready.get(taken).byteCount();
            taken++;
        }
        ready.subList(0, taken).clear();
    }

    /// The last offer was refused.
    boolean blocked() {
        return blocked;
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
        bytes = 0;
        for (var chunk : ready) {
            if (chunk.epoch() == epoch && chunk.partition().equals(partition)) {
                chunk.close();
            } else {
                kept.add(chunk);
                bytes += chunk.byteCount();
            }
        }
        ready = kept;
    }

    /// Gives up everything.
    void discard() {
        for (var chunk : ready) chunk.close();
        ready = new ArrayList<>();
        bytes = 0;
    }
}
