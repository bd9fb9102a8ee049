package dev.millrace.cli;

import dev.millrace.pipeline.ExitCode;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `millrace validate`: reads a pipeline's file and says everything that is wrong with it.
@Command(name = "validate", description = "Check a pipeline's file, without connecting anywhere.")
final class ValidateCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "the pipeline's YAML file")
    private @Nullable Path file;

    @Override
    public Integer call() {
        if (file == null || PipelineFile.read(file) == null) return ExitCode.BAD_CONFIGURATION.code();
        System.out.println(file + ": valid");
        return ExitCode.DRAINED.code();
    }
}
