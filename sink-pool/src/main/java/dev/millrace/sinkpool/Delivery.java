package dev.millrace.sinkpool;

import dev.millrace.breaker.Preference;
import dev.millrace.checkpoint.SourcePartition;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// One sealed batch on its way to its sink: where it stands, and what its attempts so far said.
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
    }

    static final Preference ANY = new Preference.Any();

    private final SealedBatch batch;
    private final List<EncodedChunk> chunks;
    private final Set<SourcePartition> partitions;
    private Stage stage = new Stage.Ready(ANY);
    private int attempts;
    private int failures;
    private boolean inDoubt;
    private boolean blocked;
    private @Nullable Failure failure;

    Delivery(SealedBatch batch) {
        this.batch = batch;
        this.chunks = batch.rows().slices().stream().map(Slice::chunk).toList();
        this.partitions = chunks.stream().map(EncodedChunk::partition).collect(Collectors.toUnmodifiableSet());
    }

    SealedBatch batch() {
        return batch;
    }

    List<EncodedChunk> chunks() {
        return chunks;
    }

    Stage stage() {
        return stage;
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

    boolean all(Predicate<EncodedChunk> which) {
        return chunks.stream().allMatch(which);
    }

    boolean any(Predicate<EncodedChunk> which) {
        return chunks.stream().anyMatch(which);
    }

    void writing(long attempt) {
        attempts++;
        stage = new Stage.Writing(attempt);
    }

    /// An attempt failed. Returns whether this is news: a kind of failure that holds the batch, told for the first
    /// time.
    boolean failed(Failure what, boolean holds) {
        var news = holds && (failure == null || !failure.code().equals(what.code()));
        failures++;
        failure = what;
        inDoubt |= what.mayHaveStored();
        blocked = holds;
        return news;
    }

    void sleep(long nowNanos, long sleepNanos, Preference then) {
        stage = new Stage.Sleeping(NanoClock.due(nowNanos, sleepNanos), sleepNanos, then);
    }

    /// Wakes it if its sleep is over.
    void wake(long nowNanos) {
        if (stage instanceof Stage.Sleeping(var until, var _, var then) && NanoClock.reached(until, nowNanos))
            stage = new Stage.Ready(then);
    }

    /// The shard wrote something: the ladder starts afresh.
    void freshLadder() {
        failures = 0;
    }

    /// How it ends when it is given up now: in doubt while an attempt is out, or when one ended unknown.
    Ending givenUp() {
        return stage instanceof Stage.Writing || inDoubt ? Ending.IN_DOUBT : Ending.ABANDONED;
    }

    ShardView.Held view() {
        return new ShardView.Held(
                batch.id(),
                batch.rows().rows(),
                attempts,
                stage instanceof Stage.Writing,
                blocked,
                batch.sealedNanos(),
                failure,
                partitions);
    }
}
