package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.millrace.config.Configuration;
import dev.millrace.config.ReadResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import picocli.CommandLine.Model.CommandSpec;

/// What somebody types or looks for after reading a guide is there: files load, and commands, options, settings,
/// events, metrics, alerts and pages exist.
///
/// A yaml block with `pipeline:` at its root is a whole file. Names are held to the pages that other tests hold to the
/// code.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GuidesTest {
    private static final Path ROOT = Path.of("..");
    /// Its files are there to be told what they lack.
    private static final String TOLD_WHAT_THEY_LACK = "sizing.md";

    private static final String BENCH = "benchmarks/src/main/java/dev/millrace/bench/BenchCommand.java";
    private static final Pattern FENCED = Pattern.compile("^```(\\w*)\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern INDENTED = Pattern.compile("^    +(.*)$", Pattern.MULTILINE);
    private static final Pattern INLINE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+)[}:]");
    private static final Pattern SECRET_FILE = Pattern.compile("\\$\\{file:[^}]+}");

    /// Not behind a path or in a word of another program, such as `helm install millrace …`.
    private static final Pattern COMMAND =
            Pattern.compile("(?:^|[ (`|])(?:\\./|bin/|/opt/millrace/bin/)?millrace ([a-z][a-z -]*[a-z])?([^|;#&\n`]*)");

    private static final Pattern OPTION = Pattern.compile("(?<= )--[a-z][a-z-]*");
    private static final Pattern WORD = Pattern.compile("[a-z][a-z-]*");
    private static final Pattern EVENT = Pattern.compile("\\bevent=(\\w+)");
    private static final Pattern METRIC = Pattern.compile("\\bmillrace_\\w+");
    private static final Pattern HISTOGRAM_PART = Pattern.compile("_(bucket|count|sum|max)$");
    private static final Pattern ALERT = Pattern.compile("\\bMillrace[A-Z]\\w+");
    private static final Pattern ADDRESS = Pattern.compile("(?:127\\.0\\.0\\.1|localhost):90\\d\\d(/[\\w.]+)");
    private static final Pattern PAGE = Pattern.compile("/[a-z]+(\\.txt)?");
    private static final Pattern DOTTED = Pattern.compile("([a-z_]+(?:\\.[a-z_]+)+)(?:: .*)?");
    private static final Pattern SETTING_LINE = Pattern.compile("^\\| `([\\w.<>]+)` \\|", Pattern.MULTILINE);
    private static final Set<String> FILES = Set.of("yaml", "json", "md", "log", "sql", "properties", "sh", "txt");

    /// The table in which PostgreSQL keeps tokens, and what a Kafka or a chart calls so.
    private static final Set<String> NO_METRICS = Set.of("millrace_segments", "millrace_segments_of_partition");

    private final List<Guide> guides = new ArrayList<>();
    private final String running = text("docs/running.md");
    private final Set<String> settings = SETTING_LINE
            .matcher(text("docs/settings.md"))
            .results()
            .map(line -> line.group(1).replace("<name>.", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    private final Set<String> sections = settings.stream()
            .flatMap(key -> List.of(key.split("\\.")).subList(0, key.split("\\.").length - 1).stream())
            .collect(Collectors.toCollection(TreeSet::new));

    private record Block(String language, String text) {}

    /// `lines` are those of code that is no yaml: what is typed, and what is answered.
    private record Guide(String name, String text, List<Block> blocks, List<String> lines, List<String> inline) {
        static Guide of(Path file) {
            var text = GuidesTest.text("docs/guides/" + file.getFileName());
            var blocks = FENCED.matcher(text)
                    .results()
                    .map(block -> new Block(block.group(1), block.group(2)))
                    .toList();
            var rest = FENCED.matcher(text).replaceAll("");
            var lines = new ArrayList<String>();
            for (var block : blocks)
                if (!block.language().equals("yaml"))
                    lines.addAll(block.text().lines().toList());
            INDENTED.matcher(rest).results().forEach(line -> lines.add(line.group(1)));
            var inline = INLINE.matcher(INDENTED.matcher(rest).replaceAll(""))
                    .results()
                    .map(span -> span.group(1))
                    .toList();
            return new Guide(file.getFileName().toString(), text, blocks, lines, inline);
        }
    }

    GuidesTest() throws IOException {
        try (var files = Files.list(ROOT.resolve("docs/guides"))) {
            files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(file -> guides.add(Guide.of(file)));
        }
        assertThat(guides).hasSizeGreaterThanOrEqualTo(8);
        assertThat(settings).hasSizeGreaterThan(100);
    }

    private static String text(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException unread) {
            throw new UncheckedIOException(file, unread);
        }
    }

    @Test
    void everyPipelineFileLoadsWithoutAWarning(@TempDir Path directory) throws IOException {
        var secret = Files.writeString(directory.resolve("secret"), "a-secret");
        var loaded = 0;
        for (var guide : guides) {
            for (var block : guide.blocks()) {
                if (!block.language().equals("yaml")) continue;
                if (!block.text().contains("\npipeline:") && !block.text().startsWith("pipeline:")) {
                    assertThat(new Load(LoadSettings.builder().build()).loadFromString(block.text()))
                            .as(guide.name())
                            .isNotNull();
                    continue;
                }
                loads(
                        guide,
                        SECRET_FILE
                                .matcher(block.text())
                                .replaceAll(Matcher.quoteReplacement("${file:" + secret + "}")));
                loaded++;
            }
        }
        assertThat(loaded).isGreaterThanOrEqualTo(5);
    }

    private static void loads(Guide guide, String file) {
        var variables = VARIABLE.matcher(file)
                .results()
                .collect(Collectors.toMap(match -> match.group(1), GuidesTest::value, (one, _) -> one));
        variables.remove("file");
        switch (Configuration.read(guide.name(), file, variables::get)) {
            case ReadResult.Loaded loaded -> {
                if (!guide.name().equals(TOLD_WHAT_THEY_LACK))
                    assertThat(loaded.warnings()).as(guide.name()).isEmpty();
            }
            case ReadResult.Refused refused -> fail("%s: %s in %s", guide.name(), refused, file);
        }
    }

    /// Enough of an address, a name and a password.
    private static String value(MatchResult variable) {
        return Map.of("POD_NAME", "orders-millrace-0").getOrDefault(variable.group(1), "127.0.0.1:9092");
    }

    @Test
    void everyCommandAndOptionIsThere() {
        var found = 0;
        for (var guide : guides) {
            var lines = new ArrayList<String>(guide.inline());
            lines.addAll(guide.lines());
            for (var line : lines) {
                for (var match : COMMAND.matcher(line).results().toList()) {
                    if (match.group(1) == null) continue;
                    isThere(guide.name() + ": " + line, match.group(1) + match.group(2));
                    found++;
                }
            }
        }
        assertThat(found).isGreaterThan(80);
    }

    /// Its words up to the first that is no command, then its options.
    private static void isThere(String where, String line) {
        var options = OPTION.matcher(line).results().map(MatchResult::group).toList();
        if (line.startsWith("bench ")) {
            // The launcher's own, in a module that the product does not ship.
            assertThat(options).as(where).allMatch(option -> text(BENCH).contains('"' + option + '"'));
            return;
        }
        var command = Main.command().getCommandSpec();
        for (var word : WORD.matcher(line).results().map(MatchResult::group).toList()) {
            var below = command.subcommands().get(word);
            if (below == null) break;
            command = below.getCommandSpec();
        }
        assertThat(command.parent()).as("a command of millrace: %s", where).isNotNull();
        assertThat(command.subcommands()).as("a whole command: %s", where).isEmpty();
        assertThat(names(command)).as(where).containsAll(options);
    }

    private static Set<String> names(CommandSpec command) {
        return command.options().stream()
                .flatMap(option -> List.of(option.names()).stream())
                .collect(Collectors.toSet());
    }

    @Test
    void everySettingIsThere() {
        var found = 0;
        for (var guide : guides) {
            for (var span : guide.inline()) {
                var dotted = DOTTED.matcher(span);
                if (!dotted.matches()) continue;
                var path = dotted.group(1);
                var first = path.substring(0, path.indexOf('.'));
                if (FILES.contains(path.substring(path.lastIndexOf('.') + 1)) || !sections.contains(first)) continue;
                assertThat(settings)
                        .as("%s: %s", guide.name(), span)
                        .anyMatch(key -> key.equals(path)
                                || key.endsWith("." + path)
                                || key.startsWith(path + ".")
                                || key.contains("." + path + "."));
                found++;
            }
        }
        assertThat(found).isGreaterThan(40);
    }

    @Test
    void everyEventMetricAlertAndPageIsThere() {
        var events = text("docs/events.md");
        var metrics = text("docs/metrics.md");
        var alerts =
                text("deploy/prometheus/alerts.yml").lines().map(String::strip).toList();
        var found = 0;
        for (var guide : guides) {
            var where = guide.name();
            for (var event : EVENT.matcher(guide.text()).results().toList()) {
                assertThat(events).as(where).contains("| `" + event.group(1) + "` |");
                found++;
            }
            for (var metric : METRIC.matcher(guide.text()).results().toList()) {
                if (NO_METRICS.contains(metric.group())) continue;
                var plain = HISTOGRAM_PART.matcher(metric.group()).replaceAll("");
                assertThat(metrics)
                        .as(where + " " + metric.group())
                        .containsAnyOf("| `" + metric.group() + "` (", "| `" + plain + "` (");
                found++;
            }
            for (var alert : ALERT.matcher(guide.text()).results().toList()) {
                assertThat(alerts).as(where).contains("- alert: " + alert.group());
                found++;
            }
            for (var page : pages(guide)) {
                assertThat(running).as(where).containsAnyOf("`" + page + "`", "`" + page + "?");
                found++;
            }
        }
        assertThat(found).isGreaterThan(100);
    }

    private static List<String> pages(Guide guide) {
        var pages = new ArrayList<String>();
        ADDRESS.matcher(guide.text()).results().forEach(address -> pages.add(address.group(1)));
        for (var span : guide.inline())
            if (PAGE.matcher(span).matches() && !Files.exists(Path.of(span))) pages.add(span);
        return pages;
    }
}
