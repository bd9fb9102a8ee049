package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Holds the whole output for each wrong file. `-Dmillrace.golden.write=true` writes the expected files anew; look at
/// the difference then.
class GoldenFileTest {
    private static final Path RESOURCES = Path.of("src/test/resources");
    private static final Map<String, String> ENV =
            Map.of("PASSWORD", "hunter2", "MANY", "many-hunter2", "EMPTY", "", "FORM_FEED", "hunter2\fhunter2");

    static List<Path> files() throws IOException {
        try (var wrong = Files.list(RESOURCES.resolve("wrong"));
                var unbuilt = Files.list(RESOURCES.resolve("unbuilt"))) {
            return Stream.concat(wrong, unbuilt)
                    .filter(f -> f.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    @Tag("CFG-1")
    @Tag("CFG-5")
    void aWrongFileGivesItsProblemsAllAtOnce(Path file) throws IOException {
        var lines = problems(file);
        assertThat(lines).doesNotContain("hunter2");

        var expected = file.resolveSibling(file.getFileName().toString().replace(".yaml", ".expected"));
        if (Boolean.getBoolean("millrace.golden.write")) Files.writeString(expected, lines);
        assertThat(lines).as("problems of %s", file).isEqualTo(Files.readString(expected));
    }

    @ParameterizedTest
    @MethodSource("files")
    @Tag("CFG-1")
    void everyProblemNamesItsPlaceAndARemedy(Path file) throws IOException {
        for (var line : problems(file).lines().toList()) {
            assertThat(line).matches("pipeline\\.yaml:[1-9][0-9]*:[1-9][0-9]*( .+)?: .+");
            assertThat(line)
                    .containsAnyOf(
                            "; write",
                            "; add",
                            "; remove",
                            "; use",
                            "; leave",
                            "; did you mean",
                            "; keep",
                            "; set",
                            "; lower",
                            "; raise",
                            "; quote",
                            "; here may stand",
                            "; close",
                            "; indent",
                            "; begin",
                            "; create",
                            "; name",
                            "; only",
                            "; a pipeline needs",
                            "; metrics are");
        }
    }

    private static String problems(Path file) throws IOException {
        return switch (Configuration.read("pipeline.yaml", Files.readAllBytes(file), ENV::get)) {
            case ReadResult.Refused(var problems) ->
                problems.stream().map(p -> p.text() + "\n").collect(Collectors.joining());
            case ReadResult.Loaded _ -> throw new AssertionError(file + " was accepted");
        };
    }
}
