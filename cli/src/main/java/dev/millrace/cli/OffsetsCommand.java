package dev.millrace.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `millrace offsets`: what a pipeline's group has committed.
@Command(
        name = "offsets",
        mixinStandardHelpOptions = true,
        description = "Show what the group of a pipeline has committed, whether it runs or not.",
        subcommands = OffsetsShowCommand.class)
final class OffsetsCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        throw new ParameterException(spec.commandLine(), "name what to do: show");
    }
}
