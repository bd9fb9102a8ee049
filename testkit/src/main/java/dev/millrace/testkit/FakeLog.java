package dev.millrace.testkit;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The topics: records with gaps between their offsets, whose rows are a function of (seed, partition, offset).
/// Knows of each record whether a sink has it.
///
/// Thread ownership: the run.
final class FakeLog {
    private final World world;
    private final List<SourcePartition> partitions = new ArrayList<>();
    private final long[][] offsets;
    private final long[] ends;
    private final int[] visible;
    private final int[][] landed;
    private final boolean[][] skipped;
    private final int[] doneBefore;

    FakeLog(World world) {
        this.world = world;
        var load = world.scenario.load();
        for (var topic = 0; topic < load.topics(); topic++)
            for (var i = 0; i < load.partitions(); i++)
                partitions.add(new SourcePartition("t" + topic, new TopicId("id" + topic), i));
        var count = partitions.size();
        offsets = new long[count][load.records()];
        ends = new long[count];
        visible = new int[count];
        landed = new int[count][load.records()];
        skipped = new boolean[count][load.records()];
        doneBefore = new int[count];
        for (var p = 0; p < count; p++) {
            var at = world.chance.of(0.5) ? 0L : world.chance.between(0, 1_000);
            for (var i = 0; i < load.records(); i++) {
                offsets[p][i] = at;
                at += 1 + gap();
            }
            ends[p] = offsets[p][load.records() - 1] + 1 + gap();
        }
    }

    /// Now and then one too wide for the offset deltas of a chunk.
    private long gap() {
        if (world.chance.of(0.9)) return 0;
        return world.chance.of(0.95) ? world.chance.between(1, 50) : world.chance.between(1L << 30, 1L << 33);
    }

    /// Lets records appear until some are left for the healed world.
    void begin() {
        var most = offsets[0].length;
        var step = world.scenario.chaosNanos() / (world.chance.of(0.3) ? 1 : world.chance.between(2, 40));
        for (var p = 0; p < visible.length; p++) visible[p] = world.chance.between(0, most / 2);
        world.agenda.in(step, () -> produce(step));
    }

    private void produce(long step) {
        if (world.healed()) return;
        var most = offsets[0].length * 9 / 10;
        for (var p = 0; p < visible.length; p++)
            visible[p] =
                    Math.max(visible[p], Math.min(most, visible[p] + world.chance.between(0, Math.max(1, most / 8))));
        world.agenda.in(step + world.outageNanos(), () -> produce(step));
    }

    /// The rest appears a while after the world healed.
    void produceAll() {
        world.agenda.in(world.chance.millis(0, 2_000), () -> Arrays.fill(visible, offsets[0].length));
    }

    List<SourcePartition> partitions() {
        return partitions;
    }

    int indexOf(SourcePartition partition) {
        return partitions.indexOf(partition);
    }

    long start(int p) {
        return world.scenario.seed() % 2 == 0 ? 0 : offsets[p][0];
    }

    long end(int p) {
        return ends[p];
    }

    /// One poll of one partition.
    record Polled(List<FakeRecord> records, long from, long next, int leaderEpoch) {}

    /// What a poll at `position` gives: at most `most` records, of one leader epoch; or null for nothing.
    @Nullable
    Polled poll(int p, long position, int most) {
        if (position >= ends[p]) return null;
        var first = firstAt(p, position);
        var last = Math.min(visible[p], first + most);
        var records = new ArrayList<FakeRecord>();
        for (var i = first; i < last && leaderEpoch(i) == leaderEpoch(first); i++)
            records.add(new FakeRecord(this, p, offsets[p][i]));
        var after = first + records.size();
        var all = after == offsets[p].length;
        var upTo = all ? ends[p] : offsets[p][after];
        if (records.isEmpty()) {
            // Only a gap: the position moves on over it, where the record behind it is there or the log ends.
            if (all || (after < visible[p] && position < upTo)) return new Polled(records, position, upTo, -1);
            return null;
        }
        var least = records.getLast().offset() + 1;
        return new Polled(records, position, world.chance.between(least, upTo), leaderEpoch(first));
    }

    private int leaderEpoch(int index) {
        var steps = world.scenario.load().stepsOfEpoch();
        return steps == 0 ? -1 : index / steps;
    }

    private int firstAt(int p, long position) {
        var found = Arrays.binarySearch(offsets[p], position);
        return found >= 0 ? found : -found - 1;
    }

    long value(int p, long offset) {
        return Mix.of(world.scenario.seed(), p, offset);
    }

    int shardOf(int p, long offset) {
        return (int) Math.floorMod(
                value(p, offset) >>> 8, (long) world.scenario.sink().shards());
    }

    boolean skips(int p, long offset) {
        return world.scenario.load().skips() && (value(p, offset) & 15) == 0;
    }

    void skipped(int p, long offset) {
        skipped[p][firstAt(p, offset)] = true;
        world.reached(Sometimes.ROW_SKIPPED);
    }

    /// A sink stored a row of this offset.
    void landed(int p, long offset) {
        landed[p][firstAt(p, offset)]++;
    }

    /// A sink lost a row that it had not acknowledged.
    void takenBack(int p, long offset) {
        var at = firstAt(p, offset);
        landed[p][at]--;
        doneBefore[p] = Math.min(doneBefore[p], at);
    }

    boolean hasLanded(int p, long offset) {
        return landed[p][firstAt(p, offset)] > 0;
    }

    boolean exists(int p, long offset) {
        return p >= 0 && p < offsets.length && Arrays.binarySearch(offsets[p], offset) >= 0;
    }

    /// The first offset of a record that neither landed nor was skipped; `Long.MAX_VALUE` if all did.
    long firstMissing(int p) {
        while (doneBefore[p] < offsets[p].length && (landed[p][doneBefore[p]] > 0 || skipped[p][doneBefore[p]]))
            doneBefore[p]++;
        return doneBefore[p] == offsets[p].length ? Long.MAX_VALUE : offsets[p][doneBefore[p]];
    }

    /// Rows stored more than once: replayed.
    long repeats() {
        var out = 0L;
        for (var of : landed) for (var times : of) out += Math.max(0, times - 1);
        return out;
    }
}
