package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `millrace size` prints what its guide shows, and refuses what is no load. What it computes, `SizingTest` holds.
class SizeCommandTest {
    private static final Path GUIDE = Path.of("../docs/guides/sizing.md");
    private static final Pattern FILE = Pattern.compile("```yaml\n# (\\S+)\n(.*?)```", Pattern.DOTALL);
    private static final Pattern RUN = Pattern.compile("```\n\\$ millrace size ([^\n]*)\n(.*?)```", Pattern.DOTALL);

    @TempDir
    private Path directory = Path.of("");

    /// What comes of docs/benchmarks/suite.csv is another figure after each run of the suite, which must not fail for
    /// it: the page keeps those of the day it was written, and names the commit that they were measured at.
    private static final Pattern MEASURED =
            Pattern.compile("^( +(?:processor_time|cores|polling_threads_busy)) .*$", Pattern.MULTILINE);

    /// Each block of the guide that begins with the command ends with what it prints, to the letter but for what was
    /// measured. `-Dmillrace.golden.write=true` writes the page anew.
    @Test
    void theGuideShowsWhatIsPrinted() throws IOException {
        var guide = Files.readString(GUIDE);
        for (var file : FILE.matcher(guide).results().toList())
            Files.writeString(directory.resolve(file.group(1)), file.group(2));
        var runs = RUN.matcher(guide).results().toList();
        assertThat(runs).hasSizeGreaterThan(1);
        var made = new StringBuilder();
        var at = 0;
        for (MatchResult run : runs) {
            made.append(guide, at, run.start(2)).append(printed(run.group(1)));
            at = run.end(2);
        }
        made.append(guide, at, guide.length());
        if (Boolean.getBoolean("millrace.golden.write")) Files.writeString(GUIDE, made);
        assertThat(withoutMeasured(Files.readString(GUIDE)))
                .as("docs/guides/sizing.md; write it anew with -Dmillrace.golden.write=true")
                .isEqualTo(withoutMeasured(made.toString()));
    }

    private static String withoutMeasured(String page) {
        return MEASURED.matcher(page).replaceAll("$1 measured");
    }

    private String printed(String line) {
        var words = new ArrayList<>(List.of("size"));
        for (var word : line.split(" ", -1)) {
            var file = directory.resolve(word);
            words.add(word.endsWith(".yaml") ? file.toString() : word);
        }
        var ended = MillraceCommandLine.run(words.toArray(String[]::new));
        assertThat(ended.code()).as(ended.err()).isBetween(0, 1);
        return ended.out();
    }

    @Test
    void jsonHasTheFiguresAndWhatDoesNotFit() throws IOException {
        var ended = MillraceCommandLine.run(
                "size",
                "--sink",
                "clickhouse",
                "--shards",
                "2",
                "--rows-per-second",
                "3000",
                "--bytes-per-row",
                "600",
                "--json");
        assertThat(ended.code()).isOne();
        var json = new ObjectMapper();
        var names = new ArrayList<String>();
        for (var line : ended.out().lines().toList()) {
            var one = json.readTree(line);
            names.add(one.path("name").asText(one.path("severity").asText()));
            if (one.path("name").asText().equals("batch_rows"))
                assertThat(one.path("value").asDouble()).isEqualTo(375);
            if (one.path("name").asText().equals("in_flight")) {
                assertThat(one.path("value").asText()).isEqualTo("1073741824");
                assertThat(one.path("unit").asText()).isEqualTo("bytes");
            }
        }
        assertThat(names).contains("heap", "container", "batch_rows", "hazard", "retention_time");
    }

    @Test
    void withoutALoadItTellsWhatTheFileNeeds() {
        var ended = MillraceCommandLine.run("size", "--sink", "postgres");
        assertThat(ended.code()).isZero();
        assertThat(ended.out())
                .contains("assumed: --partitions 12", "not told: batches", "  heap ", "the settings fit the load")
                .doesNotContain("batch_rows", "cores");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--rows-per-second 10",
                "--bytes-per-row 10",
                "--rows-per-second 0 --bytes-per-row 10",
                "--rows-per-second 10 --bytes-per-row 10MB",
                "--outage 5",
                "--headroom 1",
                "--partitions 0",
                "--sink oracle",
                "--shards 0",
                "no-such-file.yaml",
                "pipeline.yaml --sink clickhouse"
            })
    void whatIsNoLoadIsRefused(String options) throws IOException {
        var words = new ArrayList<>(List.of("size"));
        words.addAll(List.of(options.split(" ", -1)));
        var ended = MillraceCommandLine.run(words.toArray(String[]::new));
        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.out()).isEmpty();
    }
}
