package dev.millrace.checkpoint;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The open segments of one partition in one epoch: which are cut, which of them are known to be
/// in the committed plan, and what is to be committed.
///
/// Invariants. P1 (write-ahead): a segment is told as written ahead only when an acknowledged
/// commit contained it, or when it was read from one. P2 (continuity): what is committed is the
/// start of the first open segment, or where nothing is open the watermark; a cut never moves. P3:
/// the text never passes three quarters of its limit by a cut.
///
/// Thread ownership: the source thread.
public final class SegmentPlan {
    /// What a partition's plans have in common. `textLimit` is the broker's limit, in characters.
    public record Settings(long fingerprint, int cluster, int maxOpen, int textLimit) {
        public Settings {
            if (maxOpen < 1) throw new IllegalArgumentException("max_open_segments " + maxOpen + " < 1");
        }
    }

    private static final class Open {
        Segment segment;
        boolean writtenAhead;
        boolean splitWrittenAhead;
        /// At its end; null until that was passed.
        @Nullable
        Integer leaderEpoch;

        Open(Segment segment, boolean writtenAhead) {
            this.segment = segment;
            this.writtenAhead = writtenAhead;
            this.splitWrittenAhead = writtenAhead && segment.split();
        }
    }

    private final Settings settings;
    private final SourcePartition partition;
    private final ArrayDeque<Open> open = new ArrayDeque<>();
    private final Map<Integer, Long> newestTokens = new TreeMap<>();
    private long offset;
    private int leaderEpoch;
    private long end;
    private @Nullable CommitEntry entry;

    /// It begins at a committed entry, with the segments that its plan has open.
    public SegmentPlan(Settings settings, SourcePartition partition, CommitEntry start, @Nullable Plan committed) {
        this.settings = settings;
        this.partition = partition;
        this.offset = start.offset();
        this.leaderEpoch = start.leaderEpoch();
        this.end = start.offset();
        if (committed == null) return;
        newestTokens.putAll(committed.newestTokens());
        for (var segment : committed.segments()) {
            if (segment.from() != end)
                throw new IllegalArgumentException(partition + ": " + segment + " does not begin at " + end);
            open.add(new Open(segment, true));
            end = segment.to();
        }
    }

    /// Where the next segment begins.
    public long end() {
        return end;
    }

    /// The open segments, in order.
    public List<Segment> segments() {
        return open.stream().map(one -> one.segment).toList();
    }

    public int open() {
        return open.size();
    }

    /// Whether there is room for one more: in number, and in the text.
    public boolean mayCut() {
        return open.size() < settings.maxOpen
                && entry().metadata().length() + PlanCodec.MOST_CHARACTERS_OF_A_SEGMENT <= settings.textLimit * 3L / 4;
    }

    /// Cuts `[end, to)`, of which the last record has this leader epoch.
    public Segment cut(long to, int leaderEpochAtEnd, long bytes, long nowSeconds) {
        var segment = new Segment(end, to, Math.max(0, nowSeconds), bytes, false);
        var one = new Open(segment, false);
        one.leaderEpoch = leaderEpochAtEnd;
        open.add(one);
        end = to;
        entry = null;
        return segment;
    }

    /// All of a segment that was read from a plan has been read again, up to its end.
    public void passed(Segment segment, int leaderEpochAtEnd) {
        var one = find(segment.from());
        if (one != null) one.leaderEpoch = leaderEpochAtEnd;
    }

    /// Everything below `watermark` is done. Returns whether there is something new to commit.
    public boolean reached(long watermark, int leaderEpochThere) {
        var before = offset;
        for (var first = open.peek(); first != null && first.segment.to() <= watermark; first = open.peek()) {
            offset = first.segment.to();
            var there = first.leaderEpoch;
            leaderEpoch = there == null ? -1 : there;
            open.remove();
        }
        if (open.isEmpty() && watermark > offset) {
            offset = watermark;
            leaderEpoch = leaderEpochThere;
        }
        end = Math.max(end, offset);
        if (offset == before) return false;
        entry = null;
        return true;
    }

    /// Parts of a segment's batches are to be sent under tokens of their own. Returns whether that
    /// is news; false for a segment that is not open.
    public boolean split(long from) {
        var one = find(from);
        if (one == null || one.segment.split()) return false;
        one.segment = one.segment.asSplit();
        entry = null;
        return true;
    }

    /// Whether the committed plan is known to have it.
    public boolean writtenAhead(long from) {
        var one = find(from);
        return one != null && one.writtenAhead;
    }

    /// Whether the committed plan is known to say that it is split.
    public boolean splitWrittenAhead(long from) {
        var one = find(from);
        return one != null && one.splitWrittenAhead;
    }

    /// A shard that keeps tokens for ever has acknowledged this one. Committed with what moves next.
    public void acknowledged(int shard, long token) {
        if (!Long.valueOf(token).equals(newestTokens.put(shard, token))) entry = null;
    }

    private @Nullable Open find(long from) {
        for (var one : open) if (one.segment.from() == from) return one;
        return null;
    }

    /// What is to be committed now.
    public CommitEntry entry() {
        var known = entry;
        if (known != null) return known;
        var plan = new Plan(
                settings.fingerprint, partition.topicId(), settings.cluster, new TreeMap<>(newestTokens), segments());
        var made = new CommitEntry(offset, leaderEpoch, PlanCodec.encode(plan, offset));
        entry = made;
        return made;
    }

    /// A commit of this entry was acknowledged, and nothing can undo it. What it says, and nothing
    /// else, is written ahead.
    public void committed(CommitEntry acknowledged) {
        if (!(CommitNote.read(acknowledged) instanceof CommitNote.Planned(var plan))) return;
        var said = new HashMap<Long, Segment>();
        for (var segment : plan.segments()) said.put(segment.from(), segment);
        for (var one : open) {
            var its = said.get(one.segment.from());
            if (its == null || its.to() != one.segment.to()) continue;
            one.writtenAhead = true;
            one.splitWrittenAhead |= its.split();
        }
    }

    /// Characters of the text that is to be committed now.
    public int characters() {
        return entry().metadata().length();
    }
}
