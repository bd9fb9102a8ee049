package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.fuzz.FuzzTarget;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/// A file of these bytes is a configuration, or is refused with places. What `explain` makes of one reads to the same.
final class ConfigurationFuzz implements FuzzTarget {
    private static final String FILE = "pipeline.yaml";
    private static final String SECRET = "hunter2";
    private static final Map<String, String> ENV =
            Map.of("PASSWORD", SECRET, "EMPTY", "", "NAME", "storefront", "SIZE", "64MiB");

    @Override
    public List<String> words() {
        return List.of(
                ":",
                ": ",
                "- ",
                "\n",
                "\n  ",
                "  ",
                "{",
                "}",
                "[",
                "]",
                ",",
                "'",
                "\"",
                "\\",
                "#",
                "&a",
                "*a",
                "!!x",
                "? ",
                "|\n",
                "~",
                "null",
                "true",
                "${PASSWORD}",
                "${NAME}",
                "${X:-1}",
                "$$",
                "1s",
                "64MiB",
                "50%",
                "0",
                "-1",
                "99999999999",
                "postgres",
                "clickhouse",
                "blackhole",
                "shards",
                "batch",
                "retry",
                "breaker");
    }

    @Override
    public void take(byte[] input) {
        var text = new String(input, StandardCharsets.UTF_8);
        switch (Configuration.read(FILE, input, ENV::get)) {
            case ReadResult.Refused(var problems) -> {
                refused(problems, input);
                assertThat(Configuration.read(FILE, input, ENV::get)).isEqualTo(new ReadResult.Refused(problems));
                if (wellFormed(text, input))
                    assertThat(Configuration.explain(FILE, text, ENV::get))
                            .isEqualTo(new ExplainResult.Refused(problems));
            }
            case ReadResult.Loaded loaded -> loaded(loaded, text);
        }
    }

    private static boolean wellFormed(String text, byte[] input) {
        return text.getBytes(StandardCharsets.UTF_8).length == input.length && text.indexOf('\uFFFD') < 0;
    }

    private static void refused(List<Problem> problems, byte[] input) {
        var text = new String(input, StandardCharsets.ISO_8859_1);
        var lines = 1 + text.chars().filter(c -> c == '\n' || c == '\r').count();
        for (var problem : problems) {
            assertThat(problem.file()).isEqualTo(FILE);
            assertThat(problem.message()).isNotBlank();
            if (input.length <= SourceText.MAX_BYTES) {
                // The scanner takes other characters for line ends, too.
                assertThat((long) problem.line()).as(problem.text()).isBetween(1L, lines + unicodeLineEnds(input));
                assertThat(problem.column()).as(problem.text()).isBetween(1, input.length + 1);
            }
            printable(problem, text);
        }
        assertThat(problems).isNotEmpty().isSortedAccordingTo(Problem.BY_PLACE);
    }

    private static long unicodeLineEnds(byte[] input) {
        return new String(input, StandardCharsets.UTF_8)
                .chars()
                .filter(c -> c == '\u0085' || c == '\u2028' || c == '\u2029')
                .count();
    }

    /// One line, and no secret that the file itself does not hold.
    private static void printable(Problem problem, String text) {
        assertThat(problem.text().chars().noneMatch(c -> Character.isISOControl(c) || c == '\u2028' || c == '\u202e'))
                .as(problem.text())
                .isTrue();
        if (!text.contains(SECRET)) assertThat(problem.text()).doesNotContain(SECRET);
    }

    private static void loaded(ReadResult.Loaded loaded, String text) {
        loaded.warnings().forEach(warning -> printable(warning, text));
        if (!(Configuration.explain(FILE, text, ENV::get) instanceof ExplainResult.Explained(var told, var warnings)))
            throw new AssertionError("read, and not explained");
        assertThat(warnings).isEqualTo(loaded.warnings());
        if (!text.contains(SECRET)) assertThat(told).doesNotContain(SECRET);
        // With a file's own stars, or what a file brings in, nobody knows what to put in the place of which.
        if (text.contains("*") || text.contains("${file:")) return;
        switch (Configuration.read(FILE, told.replace("***", SECRET), ENV::get)) {
            // Secrets are alike to it.
            case ReadResult.Loaded again ->
                assertThat(again.config().toString()).isEqualTo(loaded.config().toString());
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems + "\n" + told);
        }
    }
}
