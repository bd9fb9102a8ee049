package dev.millrace.testkit;

import org.jspecify.annotations.Nullable;

/// A thread that waits, in virtual time: what it does next, when, and what may wake it before. It may be made to stand
/// still meanwhile.
///
/// Thread ownership: the run.
final class Naps {
    private final PipelineProcess process;
    private final World world;
    private @Nullable Runnable next;
    private boolean wakes;
    private boolean missedNews;
    private long nextAt;
    private long token;
    private long stalledUntil = -1;

    Naps(PipelineProcess process) {
        this.process = process;
        this.world = process.world;
    }

    private long elapsed() {
        return world.agenda.elapsed();
    }

    /// Stands still for so long, whatever comes.
    void stall(long nanos) {
        stalledUntil = Math.max(stalledUntil, elapsed() + nanos);
        if (next == null || nextAt >= stalledUntil) return;
        nextAt = stalledUntil;
        arm();
    }

    long stalledUntil() {
        return stalledUntil;
    }

    /// Goes on with `step` in so long; where `wakeable`, sooner after [#news].
    void nap(long nanos, boolean wakeable, Runnable step) {
        next = step;
        wakes = wakeable;
        nextAt = Math.max(elapsed() + Math.max(0, nanos), stalledUntil);
        arm();
        if (!wakeable || !missedNews) return;
        missedNews = false;
        news();
    }

    private void arm() {
        var of = ++token;
        process.later(nextAt - elapsed(), () -> {
            var step = next;
            if (of != token || step == null) return;
            next = null;
            step.run();
        });
    }

    /// Something came that ends a nap soon: this one, or the next that may be ended.
    void news() {
        if (next == null || !wakes) {
            missedNews = true;
            return;
        }
        var at = Math.max(elapsed() + world.chance.between(0, process.source.turnNanos()), stalledUntil);
        if (at >= nextAt) return;
        nextAt = at;
        arm();
    }

    /// All that came is about to be looked at.
    void heardAll() {
        missedNews = false;
    }
}
