package dev.millrace.testkit;

/// The monotonic clock of one process run: of any origin, also one that overflows under way, a little fast or slow; it
/// may jump forward and may stand still, and never goes back.
///
/// Machines and shells of production read nothing but `System.nanoTime`, so a wall clock that is set, forward or back,
/// cannot reach them, and none is simulated.
///
/// Thread ownership: the run.
final class ProcessClock {
    private static final long MILLION = 1_000_000L;

    private final Agenda agenda;
    private final long originNanos;
    private final long skewPerMillion;
    private long baseTrue;
    private long baseOwn;
    private long disturbed = Long.MIN_VALUE;

    /// `skewPerMillion` is by how much it is fast.
    ProcessClock(Agenda agenda, long originNanos, long skewPerMillion) {
        this.agenda = agenda;
        this.originNanos = originNanos;
        this.skewPerMillion = skewPerMillion;
        baseTrue = agenda.elapsed();
        baseOwn = originNanos;
    }

    /// What a machine is told.
    long now() {
        var since = agenda.elapsed() - baseTrue;
        return since <= 0 ? baseOwn : baseOwn + passed(since);
    }

    /// Its point zero lies behind it: it went over the largest number.
    boolean overflowed() {
        return now() < originNanos;
    }

    private long passed(long truly) {
        return truly + truly / MILLION * skewPerMillion + truly % MILLION * skewPerMillion / MILLION;
    }

    /// How long it truly takes until so much has passed on it, if nothing disturbs it.
    long delay(long own) {
        if (own <= 0) return 0;
        var still = Math.max(0, baseTrue - agenda.elapsed());
        var truly = (long) (own * ((double) MILLION / (MILLION + skewPerMillion)));
        var since = Math.max(0, agenda.elapsed() - baseTrue);
        var then = passed(since) + own;
        for (var missing = then - passed(since + truly); missing > 0; missing = then - passed(since + truly))
            truly += missing;
        return still + truly;
    }

    /// It goes forward at once, as when a machine was paused.
    void jump(long nanos) {
        disturb();
        baseOwn += nanos;
    }

    /// It tells the same for so long.
    void stand(long nanos) {
        disturb();
        baseTrue += nanos;
    }

    private void disturb() {
        baseOwn = now();
        baseTrue = Math.max(baseTrue, agenda.elapsed());
        disturbed = agenda.elapsed();
    }

    /// It jumped or stood still within the last so many true nanoseconds, or stands still.
    boolean disturbedWithin(long nanos) {
        return baseTrue > agenda.elapsed() || (disturbed != Long.MIN_VALUE && agenda.elapsed() - disturbed < nanos);
    }
}
