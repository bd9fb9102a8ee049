package dev.millrace.testkit;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One write, or one ping, at the fake sink: which of its blocks were or still may be stored, and how it ends. Lives on
/// when its process has died.
///
/// Thread ownership: the run.
final class FakeAttempt {
    final int shard;
    final int replica;
    final @Nullable SentBatch batch;
    /// What this attempt was given: others under the same token were given the same bytes elsewhere.
    final @Nullable BatchRows rows;

    private final Consumer<@Nullable WriteOutcome> told;
    private int nextBlock;
    private int blocks;
    private long accepted;
    private boolean late;
    private boolean landed;
    private boolean ended;
    private boolean orphaned;
    private boolean unclear;

    FakeAttempt(
            int shard,
            int replica,
            @Nullable SentBatch batch,
            @Nullable BatchRows rows,
            Consumer<@Nullable WriteOutcome> told) {
        this.shard = shard;
        this.replica = replica;
        this.batch = batch;
        this.rows = rows;
        this.told = told;
    }

    /// So many of its blocks are on their way.
    void send(int count) {
        blocks = count;
    }

    /// What of it has not landed never reaches the server.
    void drop() {
        blocks = nextBlock;
    }

    boolean willLand() {
        return nextBlock < blocks;
    }

    /// What has not landed lands later than it was to, if at all.
    void makeLate() {
        late = true;
    }

    boolean late() {
        return late;
    }

    /// The next block lands. Returns which.
    int land() {
        landed = true;
        return nextBlock++;
    }

    void accept(long rows) {
        accepted += rows;
    }

    /// Rows that were stored for it.
    long accepted() {
        return accepted;
    }

    boolean landed() {
        return landed;
    }

    /// Nobody waits for its answer any more.
    void orphan() {
        orphaned = true;
        unclear = true;
        if (batch != null) batch.doubt();
    }

    boolean orphaned() {
        return orphaned;
    }

    boolean ended() {
        return ended;
    }

    /// Its thread ends, once. Null for without an outcome.
    void end(@Nullable WriteOutcome outcome) {
        if (ended) return;
        ended = true;
        unclear |= unclear(outcome);
        if (batch != null && unclear && !(outcome instanceof WriteOutcome.Written)) batch.doubt();
        if (outcome instanceof WriteOutcome.Written written && batch != null && !orphaned && addsUp(written, batch))
            batch.acknowledge();
        else if (outcome instanceof WriteOutcome.Written && batch != null) batch.doubt();
        told.accept(outcome);
    }

    private static boolean addsUp(WriteOutcome.Written written, SentBatch batch) {
        var rows = written.accepted() + written.duplicate();
        return rows == 0 || rows == batch.offsets.length;
    }

    /// A good receipt may not add up.
    private boolean unclear(@Nullable WriteOutcome outcome) {
        return switch (outcome) {
            case null -> true;
            case WriteOutcome.Written _ -> batch != null;
            case WriteOutcome.Unavailable(Failure failure, var _) -> failure.mayHaveStored();
            case WriteOutcome.Refused(Failure failure, var _) -> failure.mayHaveStored();
            case WriteOutcome.TooLarge(Failure failure) -> failure.mayHaveStored();
            case WriteOutcome.Misconfigured(Failure failure) -> failure.mayHaveStored();
        };
    }

    /// Its rows are stored, or may be, all or some.
    boolean mayHaveStored() {
        return landed || willLand();
    }

    /// A reasonable sender can't know whether its rows are stored.
    boolean unclear() {
        return unclear || !ended;
    }
}
