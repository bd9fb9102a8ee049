package dev.millrace.testkit;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One write, or one ping, at the fake sink: whether its rows were or still may be stored, and how it ends. Lives on
/// when its process has died.
///
/// Thread ownership: the run.
final class FakeAttempt {
    final int shard;
    final int replica;
    final @Nullable BatchRows rows;
    final @Nullable Token token;
    private final Consumer<@Nullable WriteOutcome> told;
    private boolean willLand;
    private boolean landed;
    private boolean ended;
    private boolean orphaned;
    private boolean unclear;

    FakeAttempt(
            int shard,
            int replica,
            @Nullable BatchRows rows,
            @Nullable Token token,
            Consumer<@Nullable WriteOutcome> told) {
        this.shard = shard;
        this.replica = replica;
        this.rows = rows;
        this.token = token;
        this.told = told;
    }

    /// Its rows are on their way.
    void send() {
        willLand = true;
    }

    /// Its rows never reach the server.
    void drop() {
        willLand = false;
    }

    boolean willLand() {
        return willLand;
    }

    void land() {
        willLand = false;
        landed = true;
    }

    boolean landed() {
        return landed;
    }

    /// Nobody waits for its answer any more.
    void orphan() {
        orphaned = true;
        unclear = true;
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
        unclear |= outcome == null
                || (outcome instanceof WriteOutcome.Unavailable(var failure, var _) && failure.mayHaveStored())
                || (outcome instanceof WriteOutcome.Written && rows != null);
        told.accept(outcome);
    }

    /// Its rows are stored, or may be.
    boolean mayHaveStored() {
        return landed || willLand;
    }

    /// A reasonable sender can't know whether its rows are stored.
    boolean unclear() {
        return unclear || !ended;
    }
}
