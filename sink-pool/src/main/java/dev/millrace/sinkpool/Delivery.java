package dev.millrace.sinkpool;

import dev.millrace.breaker.Preference;
import dev.millrace.checkpoint.SourcePartition;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// One sealed batch on its way to its sink: where it stands, what its attempts so far said and
/// left open, and, while it is taken apart, which of its rows have ended.
///
/// Thread ownership: the shard machine that created it.
final class Delivery {
    /// Where it stands.
    sealed interface Stage {
        /// It has no permit, or has one and wants a replica now.
        record Ready(Preference preference) implements Stage {}

        /// It sleeps between two attempts.
        record Sleeping(long untilNanos, long sleepNanos, Preference then) implements Stage {}

        record Writing(long attempt) implements Stage {}

        /// Too much is refused for its suspects to be judged; the judge is asked again then.
        record Drifting(long untilNanos) implements Stage {}

        /// It is to be taken apart, for this failure, once the plan says so. `rowNamed` is -1 for none.
        record Marking(Failure failure, int rowNamed, boolean tooLarge) implements Stage {}

        /// Nothing is left of it but dead letters that are on their way, or a row that a person
        /// must look at.
        record Settling() implements Stage {}
    }

    private static final int OUTAGES_TO_TAKE_APART = 8;

    static final Preference ANY = new Preference.Any();

    private final SealedBatch batch;
    private final List<EncodedChunk> chunks;
    private final Set<SourcePartition> partitions;
    private Stage stage = new Stage.Ready(ANY);
    private int attempts;
    private int failures;
    private int setbacks;
    private boolean inDoubt;
    /// By what went out, under its own token each.
    private final Map<Isolation.Part, Doubt> doubts = new HashMap<>();
    private boolean blocked;
    private String told = "";
    private int outages;
    private boolean counted;
    private final Set<Isolation.Part> sentParts = new HashSet<>();
    private boolean splitMarked;
    private boolean agingTold;
    private boolean expired;
    private @Nullable Failure failure;
    private @Nullable Isolation isolation;
    private @Nullable RowEndings endings;

    Delivery(SealedBatch batch) {
        this.batch = batch;
        this.chunks = batch.rows().slices().stream().map(Slice::chunk).toList();
        this.partitions = chunks.stream().map(EncodedChunk::partition).collect(Collectors.toUnmodifiableSet());
    }

    SealedBatch batch() {
        return batch;
    }

    /// Those that are not settled.
    List<EncodedChunk> chunks() {
        return endings == null ? chunks : endings.open();
    }

    Stage stage() {
        return stage;
    }

    int lane() {
        return batch.lane();
    }

    /// Of all its rows, ended or not.
    Set<SourcePartition> partitions() {
        return partitions;
    }

    /// The topics of its rows, which are tenants where rows come of no topic.
    Set<String> tenants() {
        return partitions.stream().map(SourcePartition::topic).collect(Collectors.toUnmodifiableSet());
    }

    /// It may still send rows: what of them has a place behind it must wait, where order is kept.
    boolean holdsLane() {
        return !(stage instanceof Stage.Settling);
    }

    boolean begun() {
        return attempts > 0;
    }

    int attempts() {
        return attempts;
    }

    int failures() {
        return failures;
    }

    /// How many attempts got nothing done, whatever the shard wrote since. A refused part is none.
    int setbacks() {
        return setbacks;
    }

    boolean all(Predicate<EncodedChunk> which) {
        return chunks().stream().allMatch(which);
    }

    boolean any(Predicate<EncodedChunk> which) {
        return chunks().stream().anyMatch(which);
    }

    // --- what is sent

    // All, or the part whose turn it is.
    private Isolation.Part sent() {
        var current = isolation == null ? null : isolation.current();
        return current == null ? new Isolation.Part(0, batch.rows().rows()) : current;
    }

    /// The rows of the next attempt: all, or the next part of a batch that is taken apart.
    BatchRows rows() {
        var of = sent();
        return of.rows() == batch.rows().rows() ? batch.rows() : batch.rows().part(of.from(), of.to());
    }

    /// What names those rows: a pure function of the batch's token and their place in it.
    Token token() {
        var of = sent();
        return of.rows() == batch.rows().rows() ? batch.token() : batch.token().part(of.from(), of.to());
    }

    /// An earlier attempt of some of those rows ended unknown.
    boolean mayBeStored() {
        return endings == null ? inDoubt : endings.anyDoubtful(sent());
    }

    void writing(long attempt) {
        attempts++;
        stage = new Stage.Writing(attempt);
    }

    // --- what its attempts said

    /// An attempt failed. Returns whether this is news: a kind of failure that holds the batch,
    /// told for the first time.
    boolean failed(Failure what, boolean holds) {
        failures++;
        setbacks++;
        if (what.mayHaveStored()) doubt();
        return said("blocked", what, holds);
    }

    /// Each way in which a batch is held is told for itself.
    private boolean said(String how, Failure what, boolean holds) {
        var now = holds ? how + ' ' + what.code() : "";
        var news = holds && !now.equals(told);
        failure = what;
        blocked = holds;
        told = now;
        return news;
    }

    private void doubt() {
        // What comes next may find this forgotten too.
        if (expired) sentParts.remove(sent());
        if (endings == null) inDoubt = true;
        else endings.doubtful(sent());
    }

    /// An attempt of what is sent now may have stored it at this replica.
    void ambiguousAt(int replica, long nowNanos) {
        doubts.computeIfAbsent(sent(), _ -> new Doubt(replica, nowNanos)).ambiguousAt(replica);
    }

    /// Where what is sent now may be stored; null if no attempt of it was ambiguous, or nothing of
    /// it is sent.
    @Nullable
    Doubt doubtOfSent() {
        return switch (stage) {
            case Stage.Ready _, Stage.Sleeping _, Stage.Writing _ -> doubts.get(sent());
            case Stage.Drifting _, Stage.Settling _, Stage.Marking _ -> null;
        };
    }

    /// How many rows may be stored twice once `replica` has what is sent now: under its own token, and
    /// under those of parts of it or of what it is a part of.
    long perhapsTwice(int replica, TokenLog log) {
        var now = sent();
        var rows = 0L;
        for (var one : doubts.entrySet()) {
            var doubt = one.getValue();
            if (one.getKey().equals(now)) rows += (long) now.rows() * doubt.copiesBeside(replica, log);
            else rows += (long) now.shared(one.getKey()) * doubt.copies(log);
        }
        return rows;
    }

    void sleep(long nowNanos, long sleepNanos, Preference then) {
        stage = new Stage.Sleeping(NanoClock.due(nowNanos, sleepNanos), sleepNanos, then);
    }

    /// Wakes it if its sleep is over.
    void wake(long nowNanos) {
        if (stage instanceof Stage.Sleeping(var until, var _, var then) && NanoClock.reached(until, nowNanos))
            stage = new Stage.Ready(then);
    }

    /// The shard took something of another batch: it need not sleep on.
    void wakeNow() {
        if (stage instanceof Stage.Sleeping(var _, var _, var then)) stage = new Stage.Ready(then);
    }

    void ready() {
        stage = new Stage.Ready(ANY);
    }

    /// The shard wrote something: the ladder starts afresh.
    void freshLadder() {
        failures = 0;
    }

    // --- taken apart

    /// Parts of it may be sent as soon as the plan says so.
    void marking(Failure why, int rowNamed, boolean tooLarge) {
        stage = new Stage.Marking(why, rowNamed, tooLarge);
        failure = why;
    }

    /// The plan says that it may be taken apart.
    void splitMarked() {
        splitMarked = true;
    }

    boolean isSplitMarked() {
        return splitMarked;
    }

    /// Begins to take it apart, or goes on with it.
    Isolation isolation(int attemptsOfOne, boolean inOrder) {
        var now = isolation;
        if (now == null) {
            isolation = now = new Isolation(batch.rows().rows(), attemptsOfOne, inOrder);
            if (endings == null) endings = new RowEndings(batch.rows(), inDoubt);
        }
        return now;
    }

    @Nullable
    Isolation apart() {
        return isolation;
    }

    RowEndings endings() {
        var now = endings;
        if (now == null) throw new IllegalStateException("batch " + batch.id() + " is whole");
        return now;
    }

    /// What was refused speaks against no row. Nothing of it is stored, so it is whole again, unless rows of it
    /// were set aside. Returns whether that is news.
    boolean outage(Failure last) {
        if (isolation == null || isolation.lastSetAside() == null) isolation = null;
        else isolation.again(true);
        outages++;
        failures++;
        return said("blocked", last, true);
    }

    boolean knownOutage() {
        return outages > 0;
    }

    /// A batch that was taken apart for nothing is tried whole for some time, then taken apart again:
    /// meanwhile the sink may take all of it but a row.
    boolean triedWhole() {
        return outages % OUTAGES_TO_TAKE_APART != 0;
    }

    boolean drift(Failure last, long untilNanos) {
        stage = new Stage.Drifting(untilNanos);
        return said("drift", last, true);
    }

    /// Only dead letters are left.
    void settling(Failure last) {
        stage = new Stage.Settling();
        said("blocked", last, false);
    }

    /// A dead letter of it is not taken for now. Returns whether that is news.
    boolean letterNotTaken(Failure why) {
        return said("blocked", why, true);
    }

    /// How many rows are refused alone and not yet set aside.
    int suspects() {
        return isolation == null || stage instanceof Stage.Settling ? 0 : isolation.undecided();
    }

    /// What is sent now was not sent by this delivery before, or not since its token may be
    /// forgotten. Asked once for each attempt.
    boolean sendsAnew() {
        return sentParts.add(sent());
    }

    /// Returns whether it is told for the first time that its token grows old.
    boolean tellAging() {
        var first = !agingTold;
        agingTold = true;
        return first;
    }

    /// Its token may be forgotten. Returns whether that is news.
    boolean expire() {
        var news = !expired;
        expired = true;
        if (news) sentParts.clear();
        return news;
    }

    boolean expired() {
        return expired;
    }

    /// The batch counts as written with its first part that is. Returns whether this is it.
    boolean countOnce() {
        var first = !counted;
        counted = true;
        return first;
    }

    // --- how it ends

    /// How the chunks that are not settled end when they are given up now: in doubt while an
    /// attempt of a row is out, or when one ended unknown.
    List<RowEndings.Done> givenUp() {
        if (endings != null) {
            return endings.giveUp(stage instanceof Stage.Writing ? sent() : null);
        }
        var ending = stage instanceof Stage.Writing || inDoubt ? Ending.IN_DOUBT : Ending.ABANDONED;
        return chunks.stream()
                .map(chunk -> new RowEndings.Done(chunk, RowCounts.all(chunk.rows(), ending)))
                .toList();
    }

    ShardView.Held view(ShardView.Place place, ShardView.@Nullable Pin pin) {
        var rows = endings == null
                ? batch.rows().rows()
                : chunks().stream().mapToLong(EncodedChunk::rows).sum();
        return new ShardView.Held(
                batch.id(),
                batch.lane(),
                rows,
                attempts,
                stage instanceof Stage.Writing,
                blocked,
                place,
                pin,
                batch.sealedNanos(),
                failure,
                partitions);
    }
}
