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
    public static ReadResult read(String name, byte[] bytes, Function<String, @Nullable String> env) {
        var problems = new Problems(name);
        return read(SourceText.decode(bytes, problems), problems, env);
    }

    private static ReadResult read(@Nullable String text, Problems problems, Function<String, @Nullable String> env) {
        var root = values(text, problems, new Interpolation(env));
        if (root == null) return new ReadResult.Refused(problems.sortedErrors());
        return new ReadResult.Loaded(new Assembly(root).pipeline(), problems.sortedWarnings());
    }

    /// Reads the file as [#read] does, and tells each effective value and where it comes from.
    public static ExplainResult explain(Path file, Function<String, @Nullable String> env) {
        var problems = new Problems(file.toString());
        return explain(file.toString(), SourceText.read(file, problems), problems, env);
    }

    /// The same of a text; `name` stands for the file.
    public static ExplainResult explain(String name, String text, Function<String, @Nullable String> env) {
        var problems = new Problems(name);
        return explain(name, SourceText.check(text, problems), problems, env);
    }

    private static ExplainResult explain(
            String name, @Nullable String text, Problems problems, Function<String, @Nullable String> env) {
        var interpolation = new Interpolation(env);
        var root = values(text, problems, interpolation);
        if (root == null) return new ExplainResult.Refused(problems.sortedErrors());
        return new ExplainResult.Explained(
                new Explanation(name, root, interpolation).text(), problems.sortedWarnings());
    }

    /// What was read of a file without problems; null when problems were told.
    private static @Nullable Values values(@Nullable String text, Problems problems, Interpolation interpolation) {
        var tree = text == null ? null : YamlTree.read(text, problems);
        if (tree == null) return null;
        var root = new Walk(new Reading(problems, interpolation)).root(PipelineKeys.ROOT, tree);
        new PipelineChecks(problems, root).run();
        return problems.none() ? root : null;
    }

    /// The JSON Schema (draft 2020-12) of a pipeline's file, for editors. It accepts what [#read] accepts, save for
    /// texts that look like a number and numbers in quotes; what cannot work together only [#read] knows.
    public static String schema() {
        return Schema.text();
    }
}
