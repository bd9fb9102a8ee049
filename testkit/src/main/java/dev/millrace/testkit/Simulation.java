package dev.millrace.testkit;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One seeded run of the production machines, tracker, replica set and commit flight, in virtual
/// time, against a fake log, group and sink: a time of chaos, then healing, after which everything
/// must land and be committed, and every process must end with nothing open.
///
/// Source machines, shard machines, breakers, chunk builders and budget are those of production;
/// threads, clocks and sockets are not run. The seed fixes everything, the settings and the kinds
/// of fault included.
///
/// Thread ownership: any thread; a run shares nothing with another.
public final class Simulation {
    /// How a run went. `rowsLostBySink` were acknowledged by a sink that lost them itself.
    /// `violation` is null if nothing was found, else the whole message, and `oracle` then is who
    /// found it. `trace` is empty unless something was found, or the trace was asked for.
    public record Report(
            long seed,
            @Nullable String violation,
            @Nullable String oracle,
            long steps,
            long traceHash,
            long repeatedRows,
            long rowsLostBySink,
            Map<Sometimes, Integer> reached,
            String trace) {
        public Report {
            reached = Map.copyOf(reached);
        }
    }

    /// More than a drain takes that waits out its bound with every retry a millisecond after the one before.
    private static final long MOST_STEPS = 5_000_000;
    private static final long HEAL_NANOS = 1_800_000_000_000L;
    private static final long DRAIN_NANOS = 300_000_000_000L;

    /// No commit that was given up is applied later than this after healing.
    private static final long LATE_COMMITS_NANOS = 5_000_000_000L;

    private final World world;

    private Simulation(long seed, Suppressed suppressed) {
        world = new World(seed, suppressed);
    }

    /// Runs one seed to its end, or to the first violation.
    public static Report run(long seed) {
        return new Simulation(seed, Suppressed.NOTHING).run(false);
    }

    /// Runs one seed, and keeps its last events also if nothing is found.
    public static Report traced(long seed) {
        return new Simulation(seed, Suppressed.NOTHING).run(true);
    }

    /// A run and the faults that happened in it.
    record Played(Report report, Scenario scenario, List<FaultScript.Happened> faults) {}

    /// Runs one seed without some of what it deals.
    static Played without(Suppressed suppressed, long seed) {
        var run = new Simulation(seed, suppressed);
        var report = run.run(false);
        return new Played(report, run.world.scenario, run.world.faults.happened());
    }

    private Report run(boolean traced) {
        String violation = null;
        String oracle = null;
        try {
            play();
        } catch (Violation e) {
            violation = message(String.valueOf(e.getMessage()), null);
            oracle = e.oracle();
        } catch (RuntimeException | StackOverflowError e) {
            violation = message("EXCEPTION: " + e, e);
            oracle = "EXCEPTION " + rootOf(e).getClass().getSimpleName();
        }
        return new Report(
                world.scenario.seed(),
                violation,
                oracle,
                world.agenda.steps(),
                world.trace.hash(),
                world.log.repeats(),
                world.sink.repeats().gone(),
                world.reached(),
                violation == null && !traced ? "" : world.trace.last());
    }

    private static Throwable rootOf(Throwable thrown) {
        var root = thrown;
        for (var cause = thrown.getCause(); cause != null; cause = cause.getCause()) root = cause;
        return root;
    }

    private String message(String what, @Nullable Throwable thrown) {
        var out = new StringBuilder("seed " + world.scenario.seed() + " (" + world.scenario.profile() + ") step "
                + world.agenda.steps() + " at " + world.agenda.elapsed() / 1_000_000 + " ms: " + what);
        for (var cause = thrown; cause != null; cause = cause.getCause()) {
            out.append("\n  ").append(cause);
            for (var frame : cause.getStackTrace()) {
                if (!frame.getClassName().startsWith("dev.millrace")) continue;
                out.append("\n    at ").append(frame);
            }
        }
        return out.append("\n  again: ").append(again(world.scenario.seed())).toString();
    }

    /// The command that repeats a seed.
    static String again(long seed) {
        return "./millrace simulate --seed " + seed;
    }

    private void play() {
        world.log.begin();
        for (var slot = 0; slot < world.scenario.source().processes(); slot++) {
            var process = new PipelineProcess(world, slot);
            world.processes.add(process);
            process.begin();
        }
        new Incidents(world).begin();
        while (step(world.chaosEnds())) {}
        world.heal();
        while (step(world.chaosEnds() + LATE_COMMITS_NANOS)) {}
        if (world.group.wentBack()) restartAll();
        finish("all but the refused partition");
        world.group.refuseNone();
        finish("all");
        drain();
    }

    private boolean step(long boundNanos) {
        if (world.agenda.steps() > MOST_STEPS) throw new Violation("O10", "no end after " + MOST_STEPS + " steps");
        return world.agenda.step(boundNanos);
    }

    /// O10: once healed, everything is landed and committed within a bound.
    private void finish(String what) {
        var bound = world.agenda.elapsed() + HEAL_NANOS;
        while (!world.group.allCommitted()) {
            for (var i = 0; i < 16; i++) {
                if (step(bound)) continue;
                var stuck = world.processes.stream().map(PipelineProcess::stuck).toList();
                throw new Violation(
                        "O10", what + " is not committed in time" + world.group.undone() + String.join("", stuck));
            }
        }
    }

    private void restartAll() {
        for (var process : List.copyOf(world.processes)) process.drain(DRAIN_NANOS);
    }

    private void drain() {
        restartAll();
        var draining = List.copyOf(world.processes);
        var bound = world.agenda.elapsed() + 2 * DRAIN_NANOS;
        while (!draining.stream().allMatch(PipelineProcess::gone)) {
            if (!step(bound)) throw new Violation("O9", "a process does not end");
        }
        world.sink.repeats().total();
        world.reached(Sometimes.DRAIN_COMPLETE);
    }
}
