package dev.millrace.cli;

import dev.millrace.config.Configuration;
import dev.millrace.config.ExplainResult;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.Problem;
import dev.millrace.config.ReadResult;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A pipeline's file as a command reads it: all problems go to standard error, a line each.
final class PipelineFile {
    private PipelineFile() {}

    /// The configuration, or null when there is something to mend, which has been told.
    static @Nullable PipelineConfig read(Path file) {
        return switch (Configuration.read(file, System::getenv)) {
            case ReadResult.Loaded(var config, var warnings) -> {
                tell("warning: ", warnings, System.err);
                yield config;
            }
            case ReadResult.Refused(var problems) -> {
                tell("", problems, System.err);
                yield null;
            }
        };
    }

    /// What the file comes to, as text, or null when there is something to mend, which has been told.
    static @Nullable String explain(Path file) {
        return switch (Configuration.explain(file, System::getenv)) {
            case ExplainResult.Explained(var text, var warnings) -> {
                tell("warning: ", warnings, System.err);
                yield text;
            }
            case ExplainResult.Refused(var problems) -> {
                tell("", problems, System.err);
                yield null;
            }
        };
    }

    private static void tell(String before, List<Problem> problems, PrintStream out) {
        for (var problem : problems) out.println(before + problem.text());
    }
}
