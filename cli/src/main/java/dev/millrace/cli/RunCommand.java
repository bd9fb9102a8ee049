package dev.millrace.cli;

import dev.millrace.pipeline.ExitCode;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `millrace run`: runs one pipeline until it is stopped, and reports what it left.
@Command(
        name = "run",
        description = {
            "Run a pipeline until SIGTERM or SIGINT, drain it within its bound, and print the report. SIGHUP reads",
            "the file anew: one that can run takes the place of the one that runs, any other changes nothing and",
            "is told."
        })
final class RunCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "the pipeline's YAML file")
    private @Nullable Path file;

    @Option(names = "--watch", description = "do as on SIGHUP whenever the content of the file has changed")
    private boolean watch;

    @Override
    public Integer call() throws Exception {
        var given = file == null ? null : PipelineFile.give(file);
        var config = given == null ? null : given.told();
        if (given == null || config == null) return ExitCode.BAD_CONFIGURATION.code();
        Logs.configure(config);
        return new RunProcess(given.file(), watch).call(new LoadedFile(config, given.digest()));
    }
}
