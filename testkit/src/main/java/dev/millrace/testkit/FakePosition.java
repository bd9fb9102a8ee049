package dev.millrace.testkit;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import org.jspecify.annotations.Nullable;

/// One partition as a consumer has it: where it reads on, and whether. Until start and topic are known it waits, as
/// `Arrivals` has it in production.
///
/// Thread ownership: the run.
final class FakePosition {
    final int slot;

    @Nullable
    CommitEntry start;

    @Nullable
    CommitEntry committed;

    @Nullable
    TopicId topicId;

    boolean located;

    /// What the member calls it, once it arrived.
    SourcePartition as;

    boolean arrived;
    boolean paused = true;
    long offset;
    int leaderEpoch;

    /// Its log is shorter than what was read; −1 while it is not.
    long cutAt = -1;

    FakePosition(int slot, SourcePartition as) {
        this.slot = slot;
        this.as = as;
    }

    void seek(long to, int epoch) {
        offset = to;
        leaderEpoch = epoch;
    }
}
