package dev.millrace.kafka;

import dev.millrace.checkpoint.Ack;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.Range;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.Resolved;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.ChunkBuilder;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One partition of one member in one epoch: what was polled and is not encoded yet, what is being
/// built, and how far it is done.
///
/// A poll's records wait as a cursor. Encoding stops at the first full thing and goes on later from the
/// same record, so nothing is encoded without room, and no record is encoded twice.
///
/// Thread ownership: the source thread.
final class PartitionFlow {
    /// Where encoding stopped.
    sealed interface Progress {
        /// Nothing waits.
        record Done() implements Progress {}

        /// The budget is full.
        record NoBudget() implements Progress {}

        /// The next record goes to a target that takes no more.
        record NoRoom() implements Progress {}

        /// What is collected has to be cut before more is encoded, and no further segment may be open.
        record NoPlan() implements Progress {}

        /// The segment that is to be read again has no place in the budget yet.
        record NoPlace() implements Progress {}

        /// Too many dead letters of this partition wait to be acknowledged.
        record LettersOut() implements Progress {}

        /// Too many of its rows are poison to be poison, or a row needs what its table had before.
        record Drifting() implements Progress {}

        /// Under `poison.action: stop`: what was polled from it on failed, and nothing more of
        /// this partition is taken.
        record Poisoned(long offset, String reason, String detail) implements Progress {}
    }

    private static final Progress DONE = new Progress.Done();
    private static final Progress NO_BUDGET = new Progress.NoBudget();
    private static final Progress NO_ROOM = new Progress.NoRoom();
    private static final Progress NO_PLACE = new Progress.NoPlace();
    private static final Progress NO_PLAN = new Progress.NoPlan();
    private static final Progress LETTERS_OUT = new Progress.LettersOut();
    private static final Progress DRIFTING = new Progress.Drifting();

    /// The records of one range; `at` is the next to encode.
    private static final class Run {
        final Ack ack;
        final @Nullable PolledRecords records;
        final int first;
        final int end;
        final long polledNanos;
        int at;

        Run(Ack ack, @Nullable PolledRecords records, int at, int end, long polledNanos) {
            this.ack = ack;
            this.records = records;
            this.first = at;
            this.at = at;
            this.end = end;
            this.polledNanos = polledNanos;
        }
    }

    final SourcePartition partition;
    final long epoch;
    final PartitionTracker tracker;
    final PartitionAccount account;
    private final Feeds feeds;
    private final Feeds.Feed[] mine;
    private final ValueFormat format;
    private final PoisonRows poisonRows;
    private final Resolved resolved;
    private final AdmissionBudget budget;
    /// Null where nothing is planned.
    private final @Nullable Segments segments;
    private final long plannedLingerNanos;

    /// For advisory sinks; none, mostly.
    private final Follower[] followers;

    private final ArrayDeque<Run> waiting = new ArrayDeque<>();
    private final @Nullable ChunkBuilder[] builders;
    private final @Nullable Run[] begun;
    private final boolean[] open;
    private final int[] targets;
    private final int[] openBuilders;
    private int openCount;
    private int leaderEpoch;
    private int builtEpoch = -1;

    /// What its table has to get back before it goes on.
    private @Nullable String waitsFor;

    PartitionFlow(
            PartitionTracker tracker,
            PartitionAccount account,
            Feeds feeds,
            ValueFormat format,
            PoisonRows.Shared poison,
            Resolved resolved,
            AdmissionBudget budget,
            List<AdvisoryOutlet> advisory,
            @Nullable Segments segments) {
        this.partition = tracker.partition();
        this.epoch = tracker.epoch();
        this.tracker = tracker;
        this.account = account;
        this.feeds = feeds;
        this.mine = feeds.of(partition.topic()).toArray(Feeds.Feed[]::new);
        this.format = format;
        this.poisonRows = new PoisonRows(partition, poison);
        this.resolved = resolved;
        this.budget = budget;
        this.followers = advisory.stream()
                .filter(outlet -> outlet.takes(partition.topic()))
                .map(outlet -> new Follower(partition, epoch, outlet))
                .toArray(Follower[]::new);
        var count = feeds.outlets();
        this.builders = new ChunkBuilder[count];
        this.begun = new Run[count];
        this.open = new boolean[count];
        this.openBuilders = new int[count];
        this.targets = new int[mine.length];
        this.segments = segments;
        this.leaderEpoch = tracker.watermarkLeaderEpoch();
        var linger = Long.MAX_VALUE;
        for (var feed : mine) {
            var planned = feed.sink().planned();
            if (planned != null) linger = Math.min(linger, planned.lingerNanos().getAsLong());
        }
        this.plannedLingerNanos = linger;
    }

    /// Null where nothing is planned.
    @Nullable
    Segments segments() {
        return segments;
    }

    /// Registers what a poll gave, up to the position after it. Ranges end where the leader epoch
    /// changes.
    void polled(@Nullable PolledRecords records, long next, int nextLeaderEpoch, long nowNanos) {
        var size = records == null ? 0 : records.size();
        if (records != null && (records.offset(0) < tracker.end() || records.offset(size - 1) >= next))
            throw new IllegalStateException(partition + ": polled [" + records.offset(0) + ", "
                    + records.offset(size - 1) + "] outside of [" + tracker.end() + ", " + next + ")");
        account.polled(size);
        var at = 0;
        while (records != null && at < size) {
            var epochOfRun = records.leaderEpoch(at);
            var bound = replayEnd();
            var to = below(bound, records, at, endOfEpoch(records, at, size, epochOfRun));
            if (to == at) {
                // The log had what follows under this leader, so it had all before that too.
                gap(bound, epochOfRun, nowNanos);
                continue;
            }
            var last = to == size && (nextLeaderEpoch == epochOfRun || nextLeaderEpoch < 0);
            var end = last ? next : to < size ? records.offset(to) : records.offset(size - 1) + 1;
            waiting.addLast(new Run(register(Math.min(end, bound), epochOfRun), records, at, to, nowNanos));
            at = to;
        }
        gap(next, nextLeaderEpoch, nowNanos);
    }

    // A range never spans the end of a segment that is rebuilt.
    private long replayEnd() {
        return segments == null ? Long.MAX_VALUE : segments.replayEnd(tracker.end());
    }

    private static int below(long bound, PolledRecords records, int from, int to) {
        if (records.offset(to - 1) < bound) return to;
        var at = from;
        while (at < to && records.offset(at) < bound) at++;
        return at;
    }

    /// Markers and holes alone, up to `next`: ranges that are done as soon as those before them are.
    private void gap(long next, int leaderEpochThere, long nowNanos) {
        while (next > tracker.end()) {
            var ack = register(Math.min(next, replayEnd()), leaderEpochThere);
            if (segments == null) ack.close();
            else waiting.addLast(new Run(ack, null, 0, 0, nowNanos));
        }
    }

    /// Counts what a poll gave and nobody takes.
    void droppedAtOnce(@Nullable PolledRecords records) {
        var size = records == null ? 0 : records.size();
        account.polled(size);
        account.dropped(size);
    }

    private Ack register(long next, int leaderEpoch) {
        return tracker.register(tracker.end(), next, leaderEpoch, resolved);
    }

    // Epochs never fall, so a run whose ends agree is of one.
    private static int endOfEpoch(PolledRecords records, int from, int size, int leaderEpoch) {
        if (records.leaderEpoch(size - 1) == leaderEpoch) return size;
        var to = from + 1;
        while (records.leaderEpoch(to) == leaderEpoch) to++;
        return to;
    }

    /// Offsets that nobody will ever read: done as soon as those before them are.
    void passOver(long next, int leaderEpochThere, long nowNanos) {
        gap(next, leaderEpochThere, nowNanos);
    }

    /// Which of its dead letters is not taken for now and why; null while all are taken.
    @Nullable
    String letterNotTaken() {
        return poisonRows.notTaken();
    }

    /// Encodes what waits, as far as there is room.
    Progress encodeOn(long nowNanos) {
        if (waiting.isEmpty()) return DONE;
        if (rebuilds() ? !admitted() : budget.full()) return rebuilds() ? NO_PLACE : NO_BUDGET;
        for (var run = waiting.peekFirst(); run != null; run = waiting.peekFirst()) {
            if (rebuilds() && !admitted()) return NO_PLACE;
            var stopped = encode(run, nowNanos);
            poisonRows.tally();
            if (stopped != null) return stopped;
            // A cut has put what is left of it in its place.
            if (waiting.peekFirst() != run) continue;
            waiting.removeFirst();
            close(run);
        }
        return DONE;
    }

    /// A segment of the plan is being read again.
    boolean rebuilds() {
        return segments != null && segments.replaying() != null;
    }

    /// Its rows have a place in the budget already.
    boolean admitted() {
        return segments != null && rebuilds() && segments.admitted();
    }

    /// All that it gives was encoded: it may be told from now on.
    private void close(Run run) {
        for (var follower : followers) follower.end(run.ack);
        leaderEpoch = run.ack.range().leaderEpoch();
        if (segments != null) {
            var replayed = segments.replaying();
            if (replayed != null && replayed.to() == run.ack.range().next()) {
                handOver();
                segments.passed(leaderEpoch);
            }
        }
        run.ack.close();
    }

    /// What is collected is a segment from now on, if one more may be open.
    boolean cut(long nowNanos) {
        if (segments == null || !segments.any() || !segments.mayCut()) return false;
        var at = tracker.end();
        var run = waiting.peekFirst();
        var records = run == null ? null : run.records;
        if (run != null && (records == null || run.at == run.first)) {
            at = run.ack.range().from();
        } else if (run != null && records != null && run.at < run.end) {
            at = records.offset(run.at);
            leaderEpoch = run.ack.range().leaderEpoch();
            if (at > run.ack.range().from()) cut(run, at);
        } else if (run != null) {
            at = run.ack.range().next();
            leaderEpoch = run.ack.range().leaderEpoch();
        }
        handOver();
        segments.cut(at, leaderEpoch, nowNanos);
        return true;
    }

    /// When what is collected is to be cut for its age.
    long cutAtNanos() {
        return segments == null ? NanoClock.NEVER : segments.dueNanos(plannedLingerNanos);
    }

    /// Cuts what has waited so long for more.
    boolean cutDue(long nowNanos) {
        return segments != null && NanoClock.reached(cutAtNanos(), nowNanos) && cut(nowNanos);
    }

    /// A range was told, in this epoch.
    void resolved(Range range, Resolution resolution, long nowNanos) {
        for (var follower : followers) follower.resolved(range, resolution, nowNanos);
    }

    private @Nullable Progress encode(Run run, long nowNanos) {
        var records = run.records;
        if (records == null) return null;
        if (segments != null && builtEpoch != run.ack.range().leaderEpoch()) {
            // A token tells the epoch of every record, and a chunk knows one.
            handOver();
            builtEpoch = run.ack.range().leaderEpoch();
        }
        while (run.at < run.end) {
            if (segments != null && segments.full() && segments.replaying() == null) {
                if (!cut(nowNanos)) return NO_PLAN;
                if (waiting.peekFirst() != run) return null;
            }
            var record = records.at(run.at);
            var everywhere = false;
            var full = held();
            if (full == null) full = route(record);
            if (full != null) return full;
            switch (format.check(record)) {
                case Encoded.Written() -> {
                    records.checked(format.members());
                    // Before any sink has the row: it comes again to all of them.
                    if (waits(record, run)) return DRIFTING;
                    everywhere = true;
                    for (var i = 0; i < targets.length; i++) {
                        switch (append(i, record, run)) {
                            case Encoded.Written() -> {}
                            case Encoded.Skipped(var reason) -> {
                                everywhere = false;
                                account.sinks.get(i).skip(reason);
                            }
                            case Encoded.Poison poison -> {
                                everywhere = false;
                                if (poisonRows.stops()) return poisoned(run, poison, nowNanos);
                                poisonRows.setAside(record, poison, account.sinks.subList(i, i + 1), run.ack);
                            }
                        }
                    }
                }
                case Encoded.Skipped(var reason) -> {
                    for (var sink : account.sinks) sink.skip(reason);
                }
                case Encoded.Poison poison -> {
                    if (poisonRows.stops()) return poisoned(run, poison, nowNanos);
                    poisonRows.setAside(record, poison, account.sinks, run.ack);
                }
            }
            poisonRows.decided();
            for (var follower : followers) follower.see(record, everywhere, run.polledNanos);
            run.at++;
        }
        return null;
    }

    private @Nullable Progress held() {
        if (waitsFor != null || poisonRows.drifts()) return DRIFTING;
        return poisonRows.full() ? LETTERS_OUT : null;
    }

    /// Where the record goes, or what is full. Every sink's target is looked at before any sink
    /// gets the row.
    private @Nullable Progress route(RecordView record) {
        var rebuilding = rebuilds();
        for (var i = 0; i < targets.length; i++) {
            var target = mine[i].outlet(record);
            var outlet = feeds.outlet(target);
            // What is rebuilt has its place already, and ends where its plan says.
            if (rebuilding ? outlet.refused() : outlet.blocked()) return NO_ROOM;
            if (outlet.tookChunk() && budget.full() && !rebuilding) return NO_BUDGET;
            targets[i] = target;
        }
        return null;
    }

    private Encoded append(int i, RecordView record, Run run) {
        var target = targets[i];
        var builder = builder(target, i);
        if (begun[target] != run) {
            begun[target] = run;
            builder.begin(run.ack, run.polledNanos);
        }
        var answer = builder.append(record, mine[i].encoder());
        if (segments != null
                && answer instanceof Encoded.Written
                && feeds.outlet(target).planned()) segments.row(run.polledNanos);
        if (!open[target] && builder.rows() > 0) {
            open[target] = true;
            openBuilders[openCount++] = target;
        }
        return answer;
    }

    private ChunkBuilder builder(int target, int i) {
        var builder = builders[target];
        if (builder == null) {
            var outlet = feeds.outlet(target);
            var tally = account.sinks.get(i).tally;
            builder = new ChunkBuilder(
                    partition, epoch, outlet.target, outlet.slabs, outlet.budget(), tally, ready(target));
            builders[target] = builder;
        }
        return builder;
    }

    private Consumer<EncodedChunk> ready(int target) {
        var collecting = segments;
        var outlet = feeds.outlet(target);
        return collecting != null && outlet.planned() ? chunk -> collecting.add(target, chunk) : outlet::add;
    }

    /// Whether a sink's table lacks what the record needs. What is before it is done when its
    /// chunks are; it is looked at again in another epoch only.
    private boolean waits(RecordView record, Run run) {
        for (var feed : mine) {
            var what = feed.encoder().waitsFor(record);
            if (what == null) continue;
            var offset = record.offset();
            waitsFor = "offset " + offset + ", " + feed.sink().name() + ": " + what;
            handOver();
            if (offset > run.ack.range().from()) cut(run, offset);
            return true;
        }
        return false;
    }

    /// Why it takes nothing more while it drifts.
    String drift() {
        var what = waitsFor;
        return what == null ? Owned.DRIFT : what;
    }

    private Progress poisoned(Run run, Encoded.Poison poison, long nowNanos) {
        var records = run.records;
        var offset = records == null ? -1 : records.offset(run.at);
        giveUpWaiting(nowNanos);
        return new Progress.Poisoned(offset, poison.reason(), poison.detail());
    }

    /// Gives up what waits from the next record on; what is before it is done when its chunks are.
    void giveUpWaiting(long nowNanos) {
        if (segments != null && !cut(nowNanos)) {
            handOver();
            segments.discardCollected();
        }
        handOver();
        var run = waiting.peekFirst();
        var records = run == null ? null : run.records;
        if (run != null && records != null && run.at < run.end) {
            var offset = records.offset(run.at);
            if (offset > run.ack.range().from()) cut(run, offset);
        }
        dropWaiting();
    }

    /// Advisory sinks may get rows of another layout from now on.
    void splitAdvisory() {
        for (var follower : followers) follower.handOver();
    }

    /// What is before the offset is done when its chunks are; what is left of the range is a range
    /// of its own.
    private void cut(Run run, long offset) {
        var rest = tracker.cut(run.ack, offset, resolved);
        waiting.removeFirst();
        waiting.addFirst(new Run(rest, run.records, run.at, run.end, run.polledNanos));
        close(run);
    }

    /// Hands over what is being built.
    void handOver() {
        for (var i = 0; i < openCount; i++) {
            var target = openBuilders[i];
            open[target] = false;
            var builder = builders[target];
            if (builder != null) builder.handOver();
        }
        openCount = 0;
    }

    /// Hands over what no segment is collected of.
    void handOverUnplanned() {
        var kept = 0;
        for (var i = 0; i < openCount; i++) {
            var target = openBuilders[i];
            var builder = builders[target];
            if (feeds.outlet(target).planned()) {
                openBuilders[kept++] = target;
                continue;
            }
            open[target] = false;
            if (builder != null) builder.handOver();
        }
        openCount = kept;
    }

    /// Hands over what is `chunk.linger` old.
    void handOverDue(long nowNanos) {
        var kept = 0;
        for (var i = 0; i < openCount; i++) {
            var target = openBuilders[i];
            var builder = builders[target];
            if (builder != null && builder.rows() > 0) {
                if (feeds.outlet(target).planned()) {
                    openBuilders[kept++] = target;
                    continue;
                }
                if (nowNanos - builder.oldestNanos() < feeds.outlet(target).lingerNanos) {
                    openBuilders[kept++] = target;
                    continue;
                }
                builder.handOver();
            }
            open[target] = false;
        }
        openCount = kept;
    }

    /// When something of this partition would next be handed over because of its age.
    long wakeAtNanos() {
        var wake = NanoClock.NEVER;
        for (var i = 0; i < openCount; i++) {
            var target = openBuilders[i];
            var builder = builders[target];
            if (builder == null || builder.rows() == 0 || feeds.outlet(target).planned()) continue;
            wake = NanoClock.earlier(wake, builder.oldestNanos() + feeds.outlet(target).lingerNanos);
        }
        return wake;
    }

    /// Chunks being built.
    int openBuilders() {
        return openCount;
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    /// Rows polled and in no chunk yet.
    long waitingRows() {
        var rows = 0L;
        for (var run : waiting) rows += run.end - run.at;
        for (var i = 0; i < openCount; i++) {
            var target = openBuilders[i];
            var builder = builders[target];
            if (builder != null) rows += builder.rows();
        }
        return rows;
    }

    /// Gives up what waits un-encoded: its ranges fail, and replay.
    void dropWaiting() {
        for (var follower : followers) follower.giveUpCurrent();
        for (var run = waiting.pollFirst(); run != null; run = waiting.pollFirst()) {
            account.dropped(run.end - run.at);
            run.ack.fail();
            run.ack.close();
        }
    }

    /// Gives up all that is not handed over. What is encoded goes to the outlets, of which the caller
    /// drops this epoch's chunks next: so each sink counts its own rows.
    void discard() {
        dropWaiting();
        handOver();
        if (segments != null) segments.discard();
    }

    /// What is collected for a segment, or cut and not in a committed plan yet.
    boolean waitsForPlan() {
        return segments != null && (segments.any() || segments.waitsForPlan());
    }

    /// Nothing more that is told of it counts.
    void forget() {
        discard();
        for (var follower : followers) follower.giveUp();
    }
}
