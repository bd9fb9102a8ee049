package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.Configuration;
import dev.millrace.config.ReadResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// What a new user copies from the README works.
final class ReadmeTest {
    private static final Path README = Path.of("..", "README.md");
    private static final String FENCE = "```";

    @Test
    void thePipelineFileOfTheReadmeIsValid() throws IOException {
        var text = Files.readString(README);
        var from = text.indexOf(FENCE + "yaml\n") + FENCE.length() + "yaml\n".length();
        var file = text.substring(from, text.indexOf(FENCE, from));
        assertThat(file).startsWith("# pipeline.yaml");
        assertThat(Configuration.read("README.md", file, Map.of("PGPASSWORD", "secret")::get))
                .isInstanceOfSatisfying(
                        ReadResult.Loaded.class,
                        loaded -> assertThat(loaded.warnings()).isEmpty());
    }

    @Test
    void everyDecisionHasALineInTheirIndex() throws IOException {
        var folder = README.resolveSibling("docs/decisions");
        try (var files = Files.list(folder)) {
            var names = files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals("README.md"))
                    .sorted()
                    .toList();
            var linked = Pattern.compile("\\| \\[\\d+]\\(([^)]+)\\) \\|")
                    .matcher(Files.readString(folder.resolve("README.md")))
                    .results()
                    .map(match -> match.group(1))
                    .toList();
            assertThat(linked).isEqualTo(names);
        }
    }
}
