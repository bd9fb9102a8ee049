package dev.millrace.cli;

import dev.millrace.pipeline.ExitCode;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `millrace explain`: prints what a pipeline's file comes to, defaults included, and where each value comes from.
@Command(
        name = "explain",
        description = "Print the effective configuration and where each value comes from, secrets as ***.")
final class ExplainCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "the pipeline's YAML file")
    private @Nullable Path file;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        var text = file == null ? null : PipelineFile.explain(file);
        if (text == null) return ExitCode.BAD_CONFIGURATION.code();
        var out = spec.commandLine().getOut();
        out.print(text);
        out.flush();
        return ExitCode.DRAINED.code();
    }
}
