package dev.millrace.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `millrace dlq`: lists what was set aside, shows it, and sends it again.
@Command(
        name = "dlq",
        mixinStandardHelpOptions = true,
        description = "List, show and replay the dead letters of a pipeline, whether it runs or not.",
        subcommands = {DlqListCommand.class, DlqShowCommand.class, DlqReplayCommand.class})
final class DlqCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        throw new ParameterException(spec.commandLine(), "name one of list, show and replay");
    }
}
