package dev.millrace.cli;

import dev.millrace.config.PipelineConfig;
import dev.millrace.pipeline.ErrorBook;
import dev.millrace.pipeline.ExitCode;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `millrace explain-error`: tells what an error of a store means, and what becomes of a batch
/// that meets it.
@Command(
        name = "explain-error",
        description = {
            "Tell what an error of ClickHouse or PostgreSQL, or a status of HTTP, means, whom it blames, whether rows may",
            "be stored, what millrace does about it and what you can do. It is named by its code (252, 23505, http 503),",
            "by its name (UNKNOWN_TABLE, unique_violation) or by the server's text, as it stands in a log."
        })
final class ExplainErrorCommand implements Callable<Integer> {
    private static final int NOT_KNOWN = 1;

    @Parameters(arity = "1..*", paramLabel = "CODE|NAME|TEXT", description = "the error; several words are one text")
    private List<String> asked = List.of();

    @Option(names = "--file", paramLabel = "FILE", description = "a pipeline's YAML file: tell its own verdicts too")
    private @Nullable Path file;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (spec == null) throw new IllegalStateException("not called by the command line");
        @Nullable PipelineConfig config = null;
        if (file != null) {
            config = PipelineFile.read(file);
            if (config == null) return ExitCode.BAD_CONFIGURATION.code();
        }
        var text = String.join(" ", asked);
        var entry = ErrorBook.look(text, config);
        var out = spec.commandLine().getOut();
        entry.lines().forEach(out::println);
        out.flush();
        if (entry.known()) return ExitCode.DRAINED.code();
        var err = spec.commandLine().getErr();
        err.println(
                entry.lines().isEmpty()
                        ? "no error is named by that: give its code, its name, or the server's text"
                        : "this error is in no table");
        err.flush();
        return NOT_KNOWN;
    }
}
