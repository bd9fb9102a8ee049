package dev.millrace.sinkpool;

import java.util.List;
import java.util.function.Predicate;

/// The open batches of one lane: which chunks become a batch together, and when.
///
/// Thread ownership: the shard machine that created it.
interface Composition {
    /// Chunks that became a batch, and why.
    record Sealing(List<EncodedChunk> chunks, SealReason reason) {}

    /// Adds a chunk, and seals what is whole by it into `sealed`.
    void add(EncodedChunk chunk, List<Sealing> sealed);

    /// Seals what has lingered long enough.
    void sealDue(long lingerNanos, long nowNanos, List<Sealing> sealed);

    /// Nothing more would come: seals what is worth it.
    void sealUnderPressure(long nowNanos, List<Sealing> sealed);

    /// Seals what is open, if it holds a chunk that `which` names.
    void sealIf(Predicate<EncodedChunk> which, SealReason reason, List<Sealing> sealed);

    /// Takes the chunks out that `which` names.
    List<EncodedChunk> takeOut(Predicate<EncodedChunk> which);

    boolean isEmpty();

    long rows();

    /// When linger will seal what is open.
    long wakeAtNanos(long lingerNanos);
}
