package dev.millrace.sinkpool;

import dev.millrace.checkpoint.SourcePartition;
import java.util.List;

/// Where source threads hand chunks over: the front of the pool as a source sees it. Nothing here
/// blocks, and nobody calls back: a source looks again at each of its turns.
///
/// Thread ownership: any source thread.
public interface Intake {
    /// Hands chunks of one target over, in order, all or none. False: keep them, pause what feeds
    /// them, ask [#hasRoom].
    boolean offer(Target target, List<EncodedChunk> chunks);

    boolean hasRoom(Target target);

    AdmissionBudget budget();

    /// What the rows for this target count in: the whole, or a part of it that they count in from
    /// when they are encoded. One that is full has no room, and is offered what was collected for
    /// it all the same.
    default AdmissionBudget budget(Target target) {
        return budget();
    }

    /// A source is paused by the budget or its pending bound, so nothing more would come (SEAL-5).
    void pressure();

    /// The partition is being revoked: seal what is open of it.
    void revoking(SourcePartition partition, long epoch);

    /// The committed plan says of this segment that its batches may be taken apart.
    default void splitMarked(SourcePartition partition, long epoch, long from) {}

    /// The partition is no longer this epoch's: forget what no attempt has begun of it (CKP-6).
    void epochEnded(SourcePartition partition, long epoch);
}
