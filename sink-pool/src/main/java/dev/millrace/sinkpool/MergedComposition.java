package dev.millrace.sinkpool;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The open batch of one lane: chunks of whatever partitions, until rows, bytes or linger seal it.
///
/// Linger counts from the poll that gave its oldest row.
///
/// Thread ownership: the shard machine that created it.
final class MergedComposition implements Composition {
    private final ShardSettings.BatchSettings settings;
    private List<EncodedChunk> open = new ArrayList<>();
    private long rows;
    private long bytes;
    private long oldestNanos;

    MergedComposition(ShardSettings.BatchSettings settings) {
        this.settings = settings;
    }

    /// Adds a chunk, and seals what has reached a threshold into `sealed`: never more than one
    /// chunk too much. A chunk that reaches a threshold alone seals what is open before it, and
    /// goes alone (SEAL-2). So does one of another layout.
    @Override
    public void add(EncodedChunk chunk, List<Sealing> sealed) {
        if (!open.isEmpty() && open.getFirst().layout() != chunk.layout()) seal(SealReason.LAYOUT, sealed);
        var alone = reason(chunk.rows(), chunk.byteCount());
        if (alone != null) seal(alone, sealed);
        put(chunk);
        var reason = reason(rows, bytes);
        if (reason != null) seal(reason, sealed);
    }

    private @Nullable SealReason reason(long atRows, long atBytes) {
        if (atRows >= settings.maxRows()) return SealReason.ROWS;
        return atBytes >= settings.maxBytes() ? SealReason.BYTES : null;
    }

    @Override
    public void sealDue(long lingerNanos, long nowNanos, List<Sealing> sealed) {
        if (!open.isEmpty() && nowNanos - oldestNanos >= lingerNanos) seal(SealReason.LINGER, sealed);
    }

    /// Seals what is at least a quarter full, or has half the linger of the settings behind it, since
    /// nothing more would come; what is less would only make small batches.
    @Override
    public void sealUnderPressure(long nowNanos, List<Sealing> sealed) {
        var worth = rows * 4 >= settings.maxRows()
                || bytes * 4 >= settings.maxBytes()
                || (nowNanos - oldestNanos) * 2 >= settings.lingerNanos();
        if (!open.isEmpty() && worth) seal(SealReason.PRESSURE, sealed);
    }

    @Override
    public void sealIf(Predicate<EncodedChunk> which, SealReason reason, List<Sealing> sealed) {
        if (open.stream().anyMatch(which)) seal(reason, sealed);
    }

    private void seal(SealReason reason, List<Sealing> sealed) {
        if (open.isEmpty()) return;
        sealed.add(new Sealing(open, reason));
        open = new ArrayList<>();
        rows = 0;
        bytes = 0;
    }

    @Override
    public List<EncodedChunk> takeOut(Predicate<EncodedChunk> which) {
        var out = new ArrayList<EncodedChunk>();
        var kept = new ArrayList<EncodedChunk>();
        for (var chunk : open) (which.test(chunk) ? out : kept).add(chunk);
        if (out.isEmpty()) return out;
        open = new ArrayList<>();
        rows = 0;
        bytes = 0;
        for (var chunk : kept) put(chunk);
        return out;
    }

    private void put(EncodedChunk chunk) {
        if (open.isEmpty() || chunk.polledNanos() - oldestNanos < 0) oldestNanos = chunk.polledNanos();
        open.add(chunk);
        rows += chunk.rows();
        bytes += chunk.byteCount();
    }

    @Override
    public boolean isEmpty() {
        return open.isEmpty();
    }

    @Override
    public long rows() {
        return rows;
    }

    @Override
    public long wakeAtNanos(long lingerNanos) {
        return open.isEmpty() ? NanoClock.NEVER : NanoClock.due(oldestNanos, lingerNanos);
    }
}
