package dev.millrace.cli;

import dev.millrace.pipeline.ExitCode;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `millrace doctor`: looks at everything that a pipeline's file names, and says what would go wrong.
@Command(
        name = "doctor",
        description = {
            "Look at the topics, group, tables, rights, settings and clocks that a pipeline's file names, at every",
            "address, and print what would go wrong, each with its remedy. Changes nothing. The same as",
            "validate --connect."
        },
        footer = {
            "",
            "Exit codes: 0 nothing keeps it from working; 1 hazards, with --strict; 2 a fault, or a wrong file; 5 something",
            "did not answer."
        })
final class DoctorCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "the pipeline's YAML file")
    private @Nullable Path file;

    @Mixin
    private Examination examination = new Examination();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        var config = file == null ? null : PipelineFile.read(file);
        if (config == null) return ExitCode.BAD_CONFIGURATION.code();
        return examination.run(config, spec);
    }
}
