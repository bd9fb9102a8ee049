package dev.millrace.config;

import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Reads a pipeline's file: strictly, as a whole, and with everything that is wrong told at once.
///
/// Thread ownership: any thread; nothing is shared between two calls.
public final class Configuration {
    private Configuration() {}

    /// Reads the file; `env` answers a variable's value, null where it is not set. Throws nothing for bad input.
    public static ReadResult read(Path file, Function<String, @Nullable String> env) {
        var problems = new Problems(file.toString());
        return read(SourceText.read(file, problems), problems, env);
    }

    /// The same of a text; `name` stands for the file in problems.
    public static ReadResult read(String name, String text, Function<String, @Nullable String> env) {
        var problems = new Problems(name);
        return read(SourceText.check(text, problems), problems, env);
    }

    /// The same of a file's bytes.
    static ReadResult read(String name, byte[] bytes, Function<String, @Nullable String> env) {
        var problems = new Problems(name);
        return read(SourceText.decode(bytes, problems), problems, env);
    }

    private static ReadResult read(@Nullable String text, Problems problems, Function<String, @Nullable String> env) {
        var tree = text == null ? null : YamlTree.read(text, problems);
        if (tree == null) return new ReadResult.Refused(problems.sortedErrors());
        var root = new Walk(new Reading(problems, new Interpolation(env))).root(PipelineKeys.ROOT, tree);
        new PipelineChecks(problems, root).run();
        if (!problems.none()) return new ReadResult.Refused(problems.sortedErrors());
        return new ReadResult.Loaded(new Assembly(root).pipeline(), problems.sortedWarnings());
    }
}
