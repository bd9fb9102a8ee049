package dev.millrace.cli;

import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.ExitCode;
import org.jspecify.annotations.Nullable;

/// Which pipeline runs in the process, and which file's is to take its place.
///
/// Invariant: none follows a run that a signal, a person or a fault has ended, nor one whose state is unknown.
///
/// Thread ownership: `enter` and `leave` belong to the thread that runs one after the other; the others any.
final class Succession<R extends Succession.Stoppable> {
    private static final String RELOAD = "reload";

    /// What may be asked to make place.
    interface Stoppable {
        void stop(String reason);

        /// A person asked for its end, at any time since it began.
        boolean drainedByHand();
    }

    // All guarded by this object.
    private @Nullable R current;
    private @Nullable LoadedFile next;
    private boolean ended;
    private boolean fallsBack;

    /// It runs from now on. What was asked for before it was there stops it as soon as it may be stopped.
    void enter(R run) {
        boolean late;
        synchronized (this) {
            current = run;
            fallsBack = false;
            if (next != null) run.stop(RELOAD);
            late = ended;
            notifyAll();
        }
        if (late) run.stop("a signal came between two runs");
    }

    /// What runs behind a run that ended so, or null for nothing.
    synchronized @Nullable LoadedFile leave(DrainReport report) {
        var follows = next;
        // Not one that POST /drain, or a fault, had stopped already.
        var fit = report.reason().equals(RELOAD)
                && (report.exitCode() == ExitCode.DRAINED.code() || report.exitCode() == ExitCode.LEFT_UNDONE.code());
        if (follows == null || ended || !fit) return null;
        current = null;
        next = null;
        return follows;
    }

    /// Asks what runs to make place. Returns when it has, and the next may be asked.
    synchronized void replace(LoadedFile by) throws InterruptedException {
        var old = current;
        while (old == null) {
            wait();
            old = current;
        }
        next = by;
        old.stop(RELOAD);
        while (next != null || current == null) wait();
    }

    /// What is there did not start, and is given back: what ran before is started again.
    synchronized void fallsBack() {
        fallsBack = true;
    }

    /// Whether something may be started behind this run: neither a signal nor a person said otherwise.
    synchronized boolean mayFollow(R run) {
        return !ended && !run.drainedByHand();
    }

    /// Nothing is started any more. Returns what runs, or null between two runs.
    synchronized @Nullable R end() {
        ended = true;
        return current;
    }

    /// Whether what stops now makes place for another.
    synchronized boolean goesOn() {
        return (next != null || fallsBack) && !ended;
    }
}
