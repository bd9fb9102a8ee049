package dev.millrace.testkit;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The topics: records with gaps between their offsets, whose rows are a function of (seed, life
/// of the partition, offset). Logs grow, are cut at both ends, and are made anew, as they are in Kafka.
///
/// A *slot* is a partition by its name, whatever life it is in: what a group assigns and commits by.
///
/// Thread ownership: the run.
final class FakeLog {
    /// Slots fit into the bits of a long.
    static final int MOST_SLOTS = 12;

    /// Of one partition in one shard; a power of two.
    private static final int KEYS = 8;

    /// What a fetch at a position gives.
    sealed interface Fetched {
        /// Records, or null for none, and the position after them.
        record Some(@Nullable FakeRecords records, long next, int leaderEpoch) implements Fetched {}

        record Nothing() implements Fetched {}

        record OutOfRange() implements Fetched {}

        /// The log differs from what was read, from this offset on.
        record Differs(long at) implements Fetched {}
    }

    private static final Fetched NOTHING = new Fetched.Nothing();
    private static final Fetched OUT_OF_RANGE = new Fetched.OutOfRange();
    private static final String ID_FILL = "A".repeat(22);

    private final World world;
    private final List<FakePartition> lives = new ArrayList<>();
    private final List<FakePartition> now = new ArrayList<>();
    private final List<TopicId> topics = new ArrayList<>();
    private final List<SourcePartition> names = new ArrayList<>();
    private final Map<SourcePartition, FakePartition> latest = new HashMap<>();
    private int ids;
    private boolean madeAnew;

    FakeLog(World world) {
        this.world = world;
        var load = world.scenario.load();
        for (var topic = 0; topic < load.topics(); topic++) topics.add(nextId());
        for (var topic = 0; topic < load.topics(); topic++)
            for (var i = 0; i < load.partitions(); i++) add(topic, i, load.records());
    }

    private TopicId nextId() {
        var text = ID_FILL + ++ids;
        return new TopicId(text.substring(text.length() - ID_FILL.length() + 1) + "A");
    }

    private static int topicOf(FakePartition partition) {
        return partition.id.topic().charAt(1) - '0';
    }

    private FakePartition add(int topic, int partition, int records) {
        var id = new SourcePartition("t" + topic, topics.get(topic), partition);
        var made = make(id, now.size(), records);
        now.add(made);
        names.add(id);
        return made;
    }

    private FakePartition make(SourcePartition id, int slot, int records) {
        var offsets = new long[records];
        var at = world.chance.of(0.5) ? 0L : world.chance.between(0, 1_000);
        for (var i = 0; i < records; i++) {
            offsets[i] = at;
            at += 1 + gap();
        }
        var end = offsets[records - 1] + 1 + gap();
        var steps = world.scenario.load().stepsOfEpoch();
        var made = new FakePartition(lives.size(), slot, id, null, 0, offsets, end, steps);
        made.logStart = world.scenario.seed() % 2 == 0 ? 0 : offsets[0];
        return alive(made);
    }

    private FakePartition alive(FakePartition made) {
        lives.add(made);
        latest.put(made.id, made);
        for (var i = made.cutAt; i < made.size(); i++) {
            made.poison[i] = world.strikes(Fault.POISON, 0.01);
            made.tombstone[i] = world.scenario.load().skips() && world.chance.of(0.03);
            made.large[i] =
                    world.scenario.largeRow() > 0 && !made.poison[i] && world.strikes(Fault.LARGE_RECORD, 0.005);
        }
        return made;
    }

    /// Now and then one too wide for the offset deltas of a chunk.
    private long gap() {
        if (world.chance.of(0.9)) return 0;
        return world.chance.of(0.95) ? world.chance.between(1, 50) : world.chance.between(1L << 30, 1L << 33);
    }

    // --- the load

    /// Lets records appear until some are left for the healed world.
    void begin() {
        var step = world.scenario.chaosNanos() / (world.chance.of(0.3) ? 1 : world.chance.between(2, 40));
        for (var part : now) part.visible = world.chance.between(0, part.size() / 2);
        world.agenda.in(step, () -> produce(step));
    }

    private void produce(long step) {
        if (world.healed()) return;
        for (var part : now) {
            var most = part.size() * 9 / 10;
            var more = Math.min(most, part.visible + world.chance.between(0, Math.max(1, most / 8)));
            if (more > part.visible) grown(part, more);
        }
        world.agenda.in(step + world.outageNanos(), () -> produce(step));
    }

    private void grown(FakePartition part, int visible) {
        part.visible = visible;
        world.dataAt(part.slot);
    }

    /// The rest appears a while after the world healed.
    void heal() {
        for (var part : now) {
            part.stable = Integer.MAX_VALUE;
            part.slowUntilNanos = 0;
            world.dataAt(part.slot);
        }
        world.agenda.in(world.chance.millis(0, 2_000), () -> {
            for (var part : now) {
                if (part.takenAtEnd) part.logStart = part.end;
                if (part.takenAtEnd) part.first = part.size();
                grown(part, part.size());
            }
        });
    }

    // --- what happens to logs

    private FakePartition any() {
        return world.chance.any(now);
    }

    /// Retention takes what is before some record, read or not.
    void retain() {
        var part = any();
        if (world.chance.of(0.1)) part.takenAtEnd = true;
        if (part.visible <= part.first) return;
        part.first = world.chance.between(part.first + 1, part.visible);
        part.logStart = part.first == part.visible ? part.logEnd() : part.offsets[part.first];
        world.note("retention", part.slot, part.logStart);
        world.dataAt(part.slot);
    }

    /// A leader that lacked the last records took over: others come in their place, under its
    /// epoch. Without leader epochs nobody could ever tell, so it happens only with them; and once
    /// to a partition.
    void truncate() {
        var part = any();
        if (world.scenario.load().stepsOfEpoch() == 0 || part.before != null || part.visible <= part.first + 1) return;
        var cutAt = world.chance.between(Math.max(part.first, part.visible / 2), part.visible - 1);
        var offsets = part.offsets;
        var cut = new FakePartition(
                lives.size(),
                part.slot,
                part.id,
                part,
                cutAt,
                offsets,
                part.end,
                world.scenario.load().stepsOfEpoch());
        cut.first = part.first;
        cut.logStart = part.logStart;
        cut.visible = cutAt;
        cut.takenAtEnd = part.takenAtEnd;
        now.set(part.slot, alive(cut));
        world.note("truncation", part.slot, offsets[cutAt]);
        // What was sent of the rows that are gone is in batches with rows that are not.
        world.planLost();
        world.dataAt(part.slot);
    }

    /// A topic is deleted and made again under its name. The group's offsets of it go with it.
    /// Once in a run.
    void makeAnew() {
        if (madeAnew) return;
        madeAnew = true;
        var topic = world.chance.between(0, topics.size() - 1);
        topics.set(topic, nextId());
        world.reached(Sometimes.TOPIC_RECREATED);
        world.note("topic made anew", topic, 0);
        for (var part : List.copyOf(now)) {
            if (topicOf(part) != topic) continue;
            var records = world.chance.between(1, part.size());
            var id = new SourcePartition(part.id.topic(), topics.get(topic), part.id.partition());
            var made = make(id, part.slot, records);
            made.visible = world.chance.between(0, records / 2);
            made.anew = true;
            now.set(part.slot, made);
            names.set(part.slot, id);
            world.group.deleted(part.slot);
            world.dataAt(part.slot);
        }
    }

    /// A topic gets one more partition. The group learns of it later.
    void grow() {
        if (now.size() >= MOST_SLOTS) return;
        var topic = world.chance.between(0, topics.size() - 1);
        var partitions = (int) now.stream().filter(p -> topicOf(p) == topic).count();
        var made = add(
                topic, partitions, world.chance.between(1, world.scenario.load().records()));
        made.grownLater = true;
        world.note("partition added", made.slot, topic);
        world.agenda.in(world.chance.millis(0, 2_000), world.group::rebalance);
    }

    void stallStable(long nanos) {
        var part = any();
        if (part.visible < part.stable) part.stable = part.visible;
        world.agenda.in(nanos, () -> {
            part.stable = Integer.MAX_VALUE;
            world.dataAt(part.slot);
        });
    }

    void slow(long nanos) {
        var part = any();
        part.slowUntilNanos = world.agenda.elapsed() + nanos;
        world.agenda.in(nanos, () -> world.dataAt(part.slot));
    }

    // --- readers

    int slots() {
        return now.size();
    }

    /// The partition of that name as it is now.
    FakePartition at(int slot) {
        return now.get(slot);
    }

    /// Of this life or an earlier one.
    FakePartition life(SourcePartition id) {
        var life = latest.get(id);
        if (life == null) throw new IllegalArgumentException("no partition " + id);
        return life;
    }

    /// The identities of the topics, by number.
    List<TopicId> topics() {
        return List.copyOf(topics);
    }

    Fetched fetch(int slot, FakePosition at, int most, SkipOracle skips) {
        var position = at.offset;
        var part = now.get(slot);
        if (world.agenda.elapsed() < part.slowUntilNanos) {
            world.reached(Sometimes.FETCH_SLOW);
            return NOTHING;
        }
        var differs = part.differsAt(position, at.leaderEpoch);
        if (differs >= 0 && world.chance.of(0.7)) return new Fetched.Differs(differs);
        if (position < part.logStart || position > part.logEnd()) return OUT_OF_RANGE;
        if (differs >= 0) return new Fetched.Differs(differs);
        if (position >= part.end) return NOTHING;
        var first = part.at(position);
        var limit = Math.min(part.visible, part.stable);
        if (first >= limit && first < part.visible) world.reached(Sometimes.LSO_STALLED);
        var last = Math.min(limit, first + most);
        var count = Math.max(0, last - first);
        var after = first + count;
        var all = after == part.size();
        var upTo = all ? part.end : part.offsets[after];
        if (count == 0) {
            // Only a gap: the position moves on over it, where the record behind it is there or the log ends.
            if (!all && (after >= limit || position >= upTo)) return NOTHING;
            return new Fetched.Some(null, upTo, part.leaderEpoch(first - 1));
        }
        var least = part.offsets[after - 1] + 1;
        var records = new FakeRecords(this, at.as, part, first, count, skips);
        return new Fetched.Some(records, world.chance.between(least, upTo), part.leaderEpoch(after - 1));
    }

    // --- rows

    List<SourcePartition> partitions() {
        return names;
    }

    /// Whoever begins there now gets this record, as it was.
    boolean isReadable(int p, long offset) {
        var life = lives.get(p);
        var current = now.get(life.slot);
        return current.id.equals(life.id)
                && offset >= current.logStart
                && current.exists(offset)
                && current.holder(current.at(offset)) == life;
    }

    int indexOf(SourcePartition partition) {
        return life(partition).index;
    }

    FakePartition life(int p) {
        return lives.get(p);
    }

    /// The same for all that was ever at this place of a partition of that name.
    private long place(int p, long offset) {
        return Mix.of(world.scenario.seed(), lives.get(p).slot, offset);
    }

    long value(int p, long offset) {
        return Mix.of(place(p, offset), p);
    }

    int shardOf(int p, long offset, int route) {
        return (int) Math.floorMod(
                place(p, offset) >>> 8, (long) world.scenario.sink().shards());
    }

    /// One of the few keys that a partition has in a shard.
    int keyOf(int p, long offset) {
        return (int) (place(p, offset) >>> 40 & KEYS - 1);
    }

    boolean skips(int p, long offset) {
        return world.scenario.load().skips() && (place(p, offset) & 15) == 0;
    }

    /// The stores do not take it for what is in it.
    boolean refused(int p, long offset) {
        return world.scenario.has(Fault.SINK_POISON)
                && Math.floorMod(value(p, offset) >>> 8, 100_000L)
                        < world.scenario.sink().content().poison();
    }

    /// The row ended though no sink has it: it was skipped, or the dead-letter topic has it.
    void setAside(int p, long offset) {
        var life = lives.get(p);
        life.skipped(life.at(offset));
    }

    int lengthOf(FakePartition part, int record) {
        if (part.large[record]) return world.scenario.largeRow();
        return FakeRows.HEAD
                + (int) Math.floorMod(
                        place(part.index, part.offsets[record]) >>> 16, (long) Scenario.LONGEST_ROW - FakeRows.HEAD);
    }

    /// A sink stored a row of this offset.
    void landed(int p, long offset) {
        var life = lives.get(p);
        life.landed(life.at(offset));
    }

    /// A sink lost a row that it had not acknowledged. Younger lives share its record.
    void takenBack(int p, long offset) {
        var of = lives.get(p);
        var record = of.at(offset);
        of.takenBack(record);
        var holder = of.holder(record);
        for (var life : lives) if (life.slot == of.slot) life.lookAgain(holder, record);
    }

    /// In any life of the partition's name: a reader that does not know yet that its topic was
    /// made anew reads the new one, and calls it the old one.
    boolean hasLanded(int p, long offset) {
        var slot = lives.get(p).slot;
        for (var life : lives)
            if (life.slot == slot && life.exists(offset) && life.hasLanded(life.at(offset))) return true;
        return false;
    }

    boolean exists(int p, long offset) {
        return p >= 0 && p < lives.size() && lives.get(p).exists(offset);
    }

    /// Rows stored more than once: replayed.
    long repeats() {
        var out = 0L;
        for (var life : lives) out += life.repeats();
        return out;
    }
}
