package dev.millrace.bench;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Objects;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/// Runs [AppendToSeal] and [HotSteps] under JMH's allocation profiler, and tells what a record allocates besides its
/// place in a slab, and what each step does.
///
/// What is left is of chunks, batches and ranges, shared by their records. No object of this JVM is smaller than
/// 16 bytes, so less than that for a record is no object for each.
final class HotPath {
    static final double LESS_THAN_AN_OBJECT = 16;

    private final PrintStream out;

    HotPath(PrintStream out) {
        this.out = out;
    }

    /// Returns whether no record allocates an object.
    boolean run() throws RunnerException {
        var options = new OptionsBuilder()
                .include("^" + AppendToSeal.class.getName() + "\\.")
                .include("^" + HotSteps.class.getName() + "\\.")
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .build();
        var reached = true;
        for (var result : new Runner(options).run()) {
            if (result.getParams().getBenchmark().startsWith(HotSteps.class.getName())) tellStep(result);
            else reached &= tell(result);
        }
        return reached;
    }

    private void tellStep(RunResult result) {
        var name = result.getParams().getBenchmark();
        out.println(String.format(
                Locale.ROOT,
                "%s: %.0f ns, allocated %.1f B",
                name.substring(name.lastIndexOf('.') + 1),
                result.getPrimaryResult().getScore(),
                score(result, "gc.alloc.rate.norm")));
    }

    private boolean tell(RunResult result) {
        var all = score(result, "gc.alloc.rate.norm");
        var slabs = score(result, "slabBytes") / score(result, "records");
        var rest = all - slabs;
        var reached = rest < LESS_THAN_AN_OBJECT;
        out.println(String.format(
                Locale.ROOT,
                "%s B values: %.0f ns a record; allocated %.1f B a record, %.1f of it slabs, rest %.2f; goal 0 objects: %s",
                result.getParams().getParam("valueBytes"),
                result.getPrimaryResult().getScore(),
                all,
                slabs,
                rest,
                reached ? "reached" : "NOT REACHED"));
        return reached;
    }

    private static double score(RunResult result, String name) {
        return Objects.requireNonNull(result.getSecondaryResults().get(name), name)
                .getScore();
    }
}
