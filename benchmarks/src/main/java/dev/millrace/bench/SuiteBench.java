package dev.millrace.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// One run of the suite from the command to its page.
///
/// Thread ownership: the command's thread.
final class SuiteBench {
    /// What is asked for: how much, which arms, how it was asked, whether it is a quick one, and the folder for page,
    /// pictures and readings; null for the page on standard output alone.
    record Asked(
            Suite.Extent extent,
            Pattern arms,
            String command,
            boolean quick,
            @Nullable Path folder) {}

    private final Asked asked;
    private final PrintStream out;
    private final PrintStream progress;

    SuiteBench(Asked asked, PrintStream out, PrintStream progress) {
        this.asked = asked;
        this.out = out;
        this.progress = progress;
    }

    /// Returns whether every first goal of what was read is reached.
    boolean run() throws InterruptedException {
        var environment = Environment.now(asked.command());
        var groups = Catalogue.groups().stream()
                .map(group -> group.only(asked.arms(), asked.quick()))
                .toList();
        var results = new Suite(asked.extent(), groups, progress).run();
        var page = new SuitePage(results, environment, asked.extent(), Environment.load(), asked.quick());
        var text = page.text();
        var folder = asked.folder();
        if (folder == null) {
            out.print(text);
        } else {
            write(folder, text, page, results);
            out.println(folder.resolve("suite.md"));
        }
        out.flush();
        return Goal.of(results).stream().allMatch(Goal::firstReached);
    }

    private static void write(Path folder, String text, SuitePage page, Results results) {
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve("suite.md"), text, StandardCharsets.UTF_8);
            Files.writeString(folder.resolve("suite.csv"), SuiteCsv.of(results), StandardCharsets.UTF_8);
            for (var picture : page.pictures().entrySet())
                Files.writeString(folder.resolve(picture.getKey()), picture.getValue(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot write to " + folder, failure);
        }
    }
}
