package dev.millrace.testkit;

import dev.millrace.checkpoint.Ack;
import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.ChunkBuilder;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.Target;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One partition in one epoch at one member: tracker, builders, and the records of the last poll that are not encoded
/// yet.
///
/// Thread ownership: the run.
final class Flow {
    final SourcePartition partition;
    final int index;
    final long epoch;
    final PartitionTracker tracker;
    private final Member member;
    private final List<ChunkBuilder> builders = new ArrayList<>();
    private final FakeRows encoder;
    private FakeLog.@Nullable Polled polled;
    private int at;
    private @Nullable Ack ack;
    private long position;

    Flow(Member member, SourcePartition partition, long epoch, @Nullable CommitEntry committed) {
        this.member = member;
        this.partition = partition;
        this.epoch = epoch;
        var process = member.process();
        var world = process.world;
        index = world.log.indexOf(partition);
        position = committed == null ? world.log.start(index) : committed.offset();
        tracker = new PartitionTracker(
                partition,
                epoch,
                position,
                committed == null ? -1 : committed.leaderEpoch(),
                process.source.maxPending(),
                process.handles);
        encoder = new FakeRows(world.log);
        for (var shard = 0; shard < process.shards.size(); shard++)
            builders.add(new ChunkBuilder(
                    partition,
                    epoch,
                    new Target(0, shard, 0),
                    member.slabs(shard),
                    process.budget,
                    process.tallies.get(index),
                    member::ready));
    }

    boolean hasCursor() {
        return polled != null;
    }

    /// Polls, if the last poll is encoded. False if there was nothing.
    boolean poll() {
        if (polled != null) return true;
        var world = member.process().world;
        var next = world.log.poll(
                index, position, world.chance.between(1, member.process().source.polled()));
        if (next == null) return false;
        position = next.next();
        polled = next;
        at = 0;
        var range = tracker.register(next.from(), next.next(), next.leaderEpoch(), member::resolved);
        ack = range;
        for (var builder : builders) builder.begin(range, member.process().now());
        return true;
    }

    /// Encodes until the cursor is done, or something is full. Returns whether it is done.
    boolean encode() {
        var from = polled;
        if (from == null) return true;
        while (at < from.records().size()) {
            var record = from.records().get(at);
            var shard = member.process().world.log.shardOf(index, record.offset());
            if (!member.mayEncode(shard)) return false;
            if (builders.get(shard).append(record, encoder) instanceof RowEncoder.Encoded.Written) member.appended(1);
            at++;
        }
        endCursor();
        return true;
    }

    private void endCursor() {
        polled = null;
        var range = ack;
        ack = null;
        if (range != null) range.close();
    }

    /// What is not encoded is given up: its range fails.
    void dropCursor() {
        var range = ack;
        if (range != null) range.fail();
        endCursor();
    }

    void handOver() {
        builders.forEach(ChunkBuilder::handOver);
    }

    void handOverLingering(long now, long linger) {
        for (var builder : builders)
            if (builder.rows() > 0 && now - builder.oldestNanos() >= linger) builder.handOver();
    }

    /// Gives up what is not handed over.
    void discard() {
        dropCursor();
        for (var builder : builders) {
            member.appended(-builder.rows());
            builder.discard();
        }
    }
}
