package dev.millrace.kafka;

import dev.millrace.checkpoint.Ack;
import dev.millrace.checkpoint.Range;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.AdvisoryAccount.Drop;
import dev.millrace.sinkpool.ChunkBuilder;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The rows of one partition in one epoch that one advisory sink is to see: encoded beside those of the
/// acknowledged sinks, and kept with their range until every one of these has it.
///
/// Life of a range: [#see] for each of its records, [#end] when all are encoded, [#resolved] when it was
/// told. It holds no part of the range, so nothing waits for it.
///
/// Invariant A1: a row is handed on at most once, after its range was told done in this epoch, and only
/// if every acknowledged sink that takes its topic has it.
///
/// Thread ownership: the source thread.
final class Follower {
    private record Kept(Ack range, List<EncodedChunk> chunks) {}

    private final SourcePartition partition;
    private final long epoch;
    private final AdvisoryOutlet outlet;
    private final AdvisoryAccount account;
    private final @Nullable ChunkBuilder[] builders;
    private final Map<Long, Kept> kept = new HashMap<>();
    private List<EncodedChunk> current = new ArrayList<>();

    Follower(SourcePartition partition, long epoch, AdvisoryOutlet outlet) {
        this.partition = partition;
        this.epoch = epoch;
        this.outlet = outlet;
        this.account = outlet.account();
        this.builders = new ChunkBuilder[outlet.targets()];
    }

    /// Looks at the next record of the range. `encoded`: it became a row of every acknowledged sink.
    void see(RecordView record, boolean encoded, long polledNanos) {
        account.saw(1);
        var why = encoded ? refused(record, polledNanos) : Drop.NOT_ACCEPTED;
        if (why != null) account.drop(why, 1);
    }

    /// Why it did not become a row, or null.
    private @Nullable Drop refused(RecordView record, long polledNanos) {
        if (outlet.budget().full()) return Drop.NO_ROOM;
        var encoder = outlet.encoder();
        if (encoder == null) return Drop.UNREACHED;
        var builder = builder(outlet.target(record));
        if (builder.rows() == 0) builder.beginUnawaited(polledNanos);
        return builder.append(record, encoder) instanceof Encoded.Written ? null : Drop.NOT_ENCODED;
    }

    private ChunkBuilder builder(int target) {
        var builder = builders[target];
        if (builder == null)
            builders[target] = builder = outlet.builder(partition, epoch, target, chunk -> current.add(chunk));
        return builder;
    }

    /// Rows that follow may be of another layout.
    void handOver() {
        for (var builder : builders) if (builder != null) builder.handOver();
    }

    /// All records of the range were looked at. Before it is closed: it may be told from then on.
    void end(Ack range) {
        handOver();
        if (current.isEmpty()) return;
        kept.put(range.range().from(), new Kept(range, current));
        current = new ArrayList<>();
    }

    /// The range was told, in this epoch.
    void resolved(Range range, Resolution resolution, long nowNanos) {
        var one = kept.remove(range.from());
        if (one == null) return;
        if (resolution == Resolution.DONE) handOn(one.chunks(), one.range().leftOut(), nowNanos);
        else drop(one.chunks());
    }

    private void handOn(List<EncodedChunk> chunks, Set<Long> leftOut, long nowNanos) {
        for (var chunk : chunks) {
            var rows = chunk.handOn(leftOut, nowNanos);
            var left = chunk.rows() - rows.stream().mapToInt(EncodedChunk::rows).sum();
            if (left > 0) account.drop(Drop.NOT_ACCEPTED, left);
            outlet.accept(rows);
        }
    }

    /// The range that is being encoded is given up.
    void giveUpCurrent() {
        handOver();
        drop(current);
        current = new ArrayList<>();
    }

    /// Whatever is told of its ranges from now on is of no epoch that counts.
    void giveUp() {
        giveUpCurrent();
        kept.values().forEach(one -> drop(one.chunks()));
        kept.clear();
    }

    private void drop(List<EncodedChunk> chunks) {
        for (var chunk : chunks) outlet.drop(chunk, Drop.NOT_DONE);
    }
}
