package dev.millrace.cli;

import dev.millrace.pipeline.ExitCode;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/// The `millrace` command.
@Command(
        name = "millrace",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Moves Kafka topics into sharded, replicated stores, and says honestly what it left.",
        subcommands = {
            RunCommand.class,
            TopCommand.class,
            StatusCommand.class,
            StuckCommand.class,
            PauseCommand.class,
            ResumeCommand.class,
            DrainCommand.class,
            QuarantineCommand.class,
            ReleaseCommand.class,
            ValidateCommand.class,
            DoctorCommand.class,
            InitCommand.class,
            ExplainCommand.class,
            ExplainErrorCommand.class,
            SizeCommand.class,
            SchemaCommand.class,
            DemoCommand.class,
            SimulateCommand.class,
            DlqCommand.class,
            VerifyCommand.class,
            OffsetsCommand.class,
            VersionCommand.class
        },
        footer = {
            "",
            "Exit codes: 0 drained; 1 the demo's counts differ, a seed finds something, an error is not known, a dead",
            "letter is not there or not replayed, doctor --strict finds hazards, verify finds rows missing, doubled or extra,",
            "stuck finds something to mend, the settings do not fit the load of size;",
            "2 bad configuration or start; 3 something taken is left and will replay; 4 a worker's state is unknown; 5 fatal",
            "error while running, or doctor, init, verify or a running pipeline gave no answer; 128 + n on a second signal."
        })
public final class Main {
    private static final Logger LOG = LoggerFactory.getLogger(Main.class);

    private Main() {}

    public static void main(String[] arguments) {
        var code = ExitCode.FATAL.code();
        try {
            code = command().execute(arguments);
        } catch (Throwable fault) { // an Error: picocli passes it on
            LOG.atError()
                    .addKeyValue("event", "fatal")
                    .setCause(fault)
                    .log("a fault that nobody expected: please report it");
        } finally {
            // Nothing that still runs may keep the process: what was to be said has been said.
            System.out.flush();
            Logs.end();
            System.err.flush();
            Runtime.getRuntime().halt(code);
        }
    }

    /// A fault of ours is told as one: 1 is the demo's and the simulation's.
    static CommandLine command() {
        return command(() -> StandardOutput.trouble(System.out));
    }

    /// `trouble` is asked why standard output did not take all of it.
    static CommandLine command(Supplier<@Nullable String> trouble) {
        return new CommandLine(new Main())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionStrategy(asked -> printed(asked, new CommandLine.RunLast().execute(asked), trouble))
                .setExecutionExceptionHandler((fault, _, _) -> {
                    LOG.atError()
                            .addKeyValue("event", "fatal")
                            .setCause(fault)
                            .log("a fault that nobody expected: please report it");
                    return ExitCode.FATAL.code();
                });
    }

    /// What was asked for and did not come out whole is no success. `run` sees to its report itself.
    private static int printed(CommandLine.ParseResult asked, int code, Supplier<@Nullable String> trouble) {
        var command = asked.subcommand();
        if (code != 0 || (command != null && command.commandSpec().name().equals("run"))) return code;
        asked.commandSpec().commandLine().getOut().flush();
        var why = trouble.get();
        if (why == null) return code;
        asked.commandSpec().commandLine().getErr().println("standard output did not take all of it: " + why);
        return ExitCode.FATAL.code();
    }
}
