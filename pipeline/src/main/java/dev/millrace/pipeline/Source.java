package dev.millrace.pipeline;

import dev.millrace.sinkpool.Finding;
import java.util.List;

/// Where the rows of a pipeline come from, once its sinks have said what they look like.
///
/// Life: made, [#start], [#stop], [#leave] when the shards have ended, [#close].
///
/// Thread ownership: `start` and `leave` belong to the thread that runs the pipeline; everything else any.
interface Source {
    /// Returns whether rows come; false if it was stopped before. Throws with one line where somebody has to mend
    /// something.
    boolean start() throws StartFailure;

    /// Which rows come, and how, for people.
    String tells();

    /// Takes nothing more, and sees to it that the shards learn when nothing more comes. Returns at once; may be
    /// repeated.
    void stop(long deadlineNanos);

    /// Says its last word where it reads from. Returns whether it ended in its bound.
    boolean leave(long deadlineNanos) throws InterruptedException;

    /// This sink is described anew: rows for it are made differently from now on.
    void layoutChanged(String sink);

    /// What is kept for pipelines that run no more.
    List<Finding> leftovers(long untilNanos);

    Account account();

    void close();
}
