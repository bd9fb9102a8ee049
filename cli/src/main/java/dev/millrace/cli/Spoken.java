package dev.millrace.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// A command that speaks to a running pipeline: prints what it answers, or in one line why it did not.
///
/// Thread ownership: the command's thread.
abstract class Spoken implements Callable<Integer> {
    @Mixin
    private RunningPipeline pipeline = new RunningPipeline();

    @Spec
    private @Nullable CommandSpec spec;

    abstract int speak(RunningPipeline to, PrintWriter out) throws RunningPipeline.Failed;

    @Override
    public final Integer call() {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        var out = spec.commandLine().getOut();
        try {
            return speak(pipeline, out);
        } catch (RunningPipeline.Failed failed) {
            var err = spec.commandLine().getErr();
            err.println(Printable.text(String.valueOf(failed.getMessage())));
            err.flush();
            return failed.code();
        } finally {
            out.flush();
        }
    }

    /// Line by line as a terminal may show it.
    static String printable(String text) {
        return text.stripTrailing().lines().map(Printable::text).collect(Collectors.joining("\n"));
    }
}
