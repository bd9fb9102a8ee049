package dev.millrace.cli;

import dev.millrace.pipeline.ExitCode;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `millrace validate`: reads a pipeline's file and says everything that is wrong with it; with
/// `--connect` looks at what it names, too.
@Command(
        name = "validate",
        description = "Check a pipeline's file, without connecting anywhere unless --connect says so.",
        footer = {
            "",
            "Exit codes: 0 valid, and with --connect nothing keeps it from working; 1 hazards, with --connect --strict;",
            "2 a wrong file or a fault; 5 something did not answer."
        })
final class ValidateCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "the pipeline's YAML file")
    private @Nullable Path file;

    @Option(names = "--connect", description = "look at what the file names, too, as millrace doctor does")
    private boolean connect;

    @Mixin
    private Examination examination = new Examination();

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        if (!connect) Examination.refuseWithout(spec, "--connect");
        var config = file == null ? null : PipelineFile.read(file);
        if (config == null) return ExitCode.BAD_CONFIGURATION.code();
        if (connect) return examination.run(config, spec);
        System.out.println(file + ": valid");
        return ExitCode.DRAINED.code();
    }
}
