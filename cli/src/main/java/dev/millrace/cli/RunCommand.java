package dev.millrace.cli;

import dev.millrace.pipeline.ExitCode;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `millrace run`: runs one pipeline until it is stopped, and reports what it left.
@Command(
        name = "run",
        description = "Run a pipeline until SIGTERM or SIGINT, drain it within its bound, and print the report.")
final class RunCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "the pipeline's YAML file")
    private @Nullable Path file;

    @Override
    public Integer call() throws Exception {
        var config = file == null ? null : PipelineFile.read(file);
        if (config == null) return ExitCode.BAD_CONFIGURATION.code();
        Logs.configure(config.logging().format(), config.logging().level());
        return new Run(config).call();
    }
}
