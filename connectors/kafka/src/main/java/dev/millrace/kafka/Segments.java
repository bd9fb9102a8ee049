package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.Segment;
import dev.millrace.checkpoint.SegmentPlan;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PlannedSegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The rows of one partition in one epoch by segments: collects what is encoded for the next one,
/// keeps what is cut until its plan is committed, and rebuilds those that the plan had before.
///
/// Invariant S1: no chunk reaches an outlet before [SegmentPlan] calls its segment written ahead.
/// S2: a segment that the plan has is rebuilt by its offsets alone; nothing is cut before all of
/// them were.
///
/// Thread ownership: the source thread.
final class Segments {
    /// Of one segment, by outlet: what goes to each shard as one batch.
    private record Cut(Segment segment, SortedMap<Integer, List<EncodedChunk>> chunks) {
        void discard() {
            chunks.values().forEach(list -> list.forEach(EncodedChunk::close));
        }
    }

    private static final class Group {
        final List<EncodedChunk> chunks = new ArrayList<>();
        long rows;
        long bytes;
    }

    /// Cuts of one partition that wait for their plan, beside what is collected meanwhile.
    static final int MOST_WAITING = 1;

    final SegmentPlan plan;
    private final Feeds feeds;
    private final AdmissionBudget budget;
    private final Supplier<SegmentShare> share;
    private final LongSupplier nowSeconds;
    private final ArrayDeque<Segment> replay = new ArrayDeque<>();
    private final Map<Long, Long> sinceNanos = new HashMap<>();
    private final ArrayDeque<Cut> cuts = new ArrayDeque<>();
    private final Set<Long> splitsAsked = new HashSet<>();
    private TreeMap<Integer, Group> collected = new TreeMap<>();
    private boolean any;
    private long oldestNanos;
    private long rows;
    private long bytes;
    private boolean full;
    private boolean changed;
    private long rebuiltUpTo;
    private AdmissionBudget.@Nullable Lease reserved;

    /// `share`: a segment is full with so much, whatever its shards could take; it is asked each
    /// time, since partitions come and go. What is open of the plan is replayed; it was cut by a
    /// clock that now shows `nowSeconds`.
    Segments(
            SegmentPlan plan,
            Feeds feeds,
            AdmissionBudget budget,
            Supplier<SegmentShare> share,
            long nowNanos,
            LongSupplier nowSeconds) {
        this.plan = plan;
        this.feeds = feeds;
        this.budget = budget;
        this.share = share;
        this.nowSeconds = nowSeconds;
        var seconds = nowSeconds.getAsLong();
        for (var segment : plan.segments()) {
            replay.add(segment);
            var age = Math.max(0, seconds - segment.cutSeconds());
            sinceNanos.put(segment.from(), nowNanos - age * 1_000_000_000L);
        }
    }

    // --- replay

    /// The segment that is being rebuilt, or null.
    @Nullable
    Segment replaying() {
        return replay.peek();
    }

    /// Where the segment to rebuild ends that this offset is in; `Long.MAX_VALUE` for none.
    long replayEnd(long offset) {
        for (var segment : replay) if (segment.from() <= offset && offset < segment.to()) return segment.to();
        return Long.MAX_VALUE;
    }

    /// How many offsets the segments have that are rebuilt and are not all behind `to` or before
    /// `from`.
    long planned(long from, long to) {
        var offsets = 0L;
        for (var segment : replay)
            if (segment.from() < to && from < segment.to()) offsets += segment.to() - segment.from();
        return offsets;
    }

    /// Its rows have a place, or are let in though they have none.
    boolean admitted() {
        return reserved != null;
    }

    /// Reserves the place of the segment that is rebuilt next before its first row is encoded, so
    /// that replay cannot fill the budget with halves of segments (EO-16). `anyway`: nothing else
    /// that is rebuilt will make room. Returns whether it may be encoded.
    boolean admit(boolean anyway) {
        var next = replay.peek();
        if (next == null || reserved != null) return true;
        if (!anyway) {
            if (budget.full() || budget.bytes() + next.bytes() > budget.maxBytes()) return false;
            // What a dead sink has of it does not end: one partition leaves room for the others.
            var mine = rebuiltBytes();
            if (mine > 0
                    && mine + next.bytes() > SegmentShare.PARTS * share.get().bytes()) return false;
        }
        reserved = budget.take(0, next.bytes());
        return true;
    }

    /// Something that was rebuilt is not done: the room that it has comes back by itself.
    boolean rebuiltIsOpen() {
        return plan.entry().offset() < rebuiltUpTo;
    }

    private long rebuiltBytes() {
        var sum = 0L;
        for (var segment : plan.segments()) if (segment.to() <= rebuiltUpTo) sum += segment.bytes();
        return sum;
    }

    /// All of the segment that is being rebuilt was read.
    void passed(int leaderEpoch) {
        var segment = replay.remove();
        endReservation();
        plan.passed(segment, leaderEpoch);
        var rebuilt = new Cut(segment, take());
        // Nothing of it is left to send, or is any sink's that waits for plans.
        if (rebuilt.chunks.isEmpty()) return;
        rebuiltUpTo = segment.to();
        if (plan.writtenAhead(segment.from()) && cuts.isEmpty()) release(rebuilt, true);
        else cuts.add(rebuilt);
    }

    private void endReservation() {
        var lease = reserved;
        reserved = null;
        if (lease != null) lease.close();
    }

    // --- collecting

    /// A row was encoded, of what was polled then.
    void row(long polledNanos) {
        if (any) return;
        any = true;
        oldestNanos = polledNanos;
    }

    void add(int outlet, EncodedChunk chunk) {
        feeds.outlet(outlet).collected();
        var group = collected.computeIfAbsent(outlet, _ -> new Group());
        group.chunks.add(chunk);
        group.rows += chunk.rows();
        group.bytes += chunk.byteCount();
        bytes += chunk.byteCount();
        rows += chunk.rows();
        var most = share.get();
        full |= rows >= most.rows()
                || bytes >= most.bytes()
                || feeds.outlet(outlet).fullBatch(group.rows, group.bytes);
    }

    /// Some row waits for a cut.
    boolean any() {
        return any;
    }

    /// More would make one of its batches too large.
    boolean full() {
        return full;
    }

    boolean mayCut() {
        return replay.isEmpty() && cuts.size() < MOST_WAITING && plan.mayCut();
    }

    /// When it is to be cut for its age.
    long dueNanos(long lingerNanos) {
        return any && mayCut() ? NanoClock.due(oldestNanos, lingerNanos) : NanoClock.NEVER;
    }

    /// What was collected is a segment now, up to `to`.
    void cut(long to, int leaderEpoch, long nowNanos) {
        var segment = plan.cut(to, leaderEpoch, bytes, nowSeconds.getAsLong());
        sinceNanos.put(segment.from(), nowNanos);
        cuts.add(new Cut(segment, take()));
        changed = true;
    }

    private SortedMap<Integer, List<EncodedChunk>> take() {
        var taken = new TreeMap<Integer, List<EncodedChunk>>();
        collected.forEach((outlet, group) -> taken.put(outlet, group.chunks));
        collected = new TreeMap<>();
        any = false;
        rows = 0;
        bytes = 0;
        full = false;
        return taken;
    }

    // --- what is committed

    /// There is more to commit than when this was last asked, and writes wait for it.
    boolean changed() {
        var was = changed;
        changed = false;
        return was;
    }

    /// A commit of this entry lasts: what it says is written ahead goes to the shards. Returns
    /// where the segments begin that may be taken apart from now on.
    List<Long> committed(CommitEntry entry) {
        plan.committed(entry);
        for (var first = cuts.peek(); first != null && plan.writtenAhead(first.segment.from()); first = cuts.peek())
            release(cuts.remove(), false);
        var marked = new ArrayList<Long>();
        for (var from : splitsAsked) if (plan.splitWrittenAhead(from)) marked.add(from);
        marked.forEach(splitsAsked::remove);
        return marked;
    }

    private void release(Cut cut, boolean replayed) {
        var segment = cut.segment;
        var of = new PlannedSegment(
                segment.from(),
                segment.to(),
                sinceNanos.getOrDefault(segment.from(), 0L),
                replayed,
                plan.splitWrittenAhead(segment.from()));
        cut.chunks.forEach((outlet, chunks) -> {
            for (var chunk : chunks) chunk.planned(of, chunk == chunks.getLast());
            feeds.outlet(outlet).addSegment(chunks);
        });
    }

    /// A batch of the segment that this offset is in is to be taken apart. Returns where the
    /// segment begins if that is in the committed plan already, else -1: it is asked for.
    long split(long offset) {
        for (var segment : plan.segments()) {
            if (offset < segment.from() || offset >= segment.to()) continue;
            if (plan.splitWrittenAhead(segment.from())) return segment.from();
            splitsAsked.add(segment.from());
            changed |= plan.split(segment.from());
        }
        return -1;
    }

    /// Whether something was cut, or rebuilt, and waits for its plan to be committed.
    boolean waitsForPlan() {
        return !cuts.isEmpty();
    }

    /// How it stands, in words.
    @Override
    public String toString() {
        return plan.segments() + " open, " + replay.size() + " to rebuild" + (admitted() ? " (admitted), " : ", ")
                + cuts.size() + " wait for their plan, " + (any ? "" : "nothing ") + "collected";
    }

    // --- how it ends

    /// Gives up what is in no segment yet, or in one that is half rebuilt.
    void discardCollected() {
        new Cut(new Segment(0, 1, 0, 0, false), take()).discard();
        endReservation();
    }

    /// Gives up all that no shard has. What is cut stays cut.
    void discard() {
        discardCollected();
        cuts.forEach(Cut::discard);
        cuts.clear();
    }
}
