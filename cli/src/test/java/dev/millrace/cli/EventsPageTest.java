package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/// Holds `docs/events.md` to the code, by reading the code.
class EventsPageTest {
    private static final Path ROOT = Path.of("..");
    private static final List<String> MODULES = List.of(
            "checkpoint",
            "breaker",
            "config",
            "sink-pool",
            "connectors/kafka",
            "connectors/json",
            "connectors/httpclient",
            "connectors/postgres",
            "connectors/clickhouse",
            "connectors/http",
            "connectors/intake",
            "pipeline",
            "cli");
    private static final Pattern STATEMENT = Pattern.compile("\\.at(\\w+)\\((?:(?!;\\n).)*?;\\n", Pattern.DOTALL);
    private static final Pattern EVENT = Pattern.compile("addKeyValue\\(\\s*\"event\",((?:[^()]|\\([^()]*\\))*)\\)");
    private static final Pattern FIELD = Pattern.compile("addKeyValue\\(\\s*\"(\\w+)\"");
    private static final Pattern WORD = Pattern.compile("\"(\\w+)\"");

    /// Of these the level is WARN: the source's machine tells them, and its member logs them.
    private static final List<Pattern> TOLD = List.of(
            Pattern.compile("new (?:SourceCommand\\.)?(?:Tell|Said)\\(\\s*(\"\\w+\")"),
            Pattern.compile("String event\\(\\) \\{([^}]*)}"));

    private static final Pattern IN_THE_TEXT = Pattern.compile("LOG\\.error\\(\"event=(\\w+)\"");
    private static final Pattern WITHOUT =
            Pattern.compile("\\bLOG\\.(?:trace|debug|info|warn|error)\\((?!\"event=\\w+\")");
    private static final Pattern LINE =
            Pattern.compile("\\| `([\\w…]+)` \\| ([A-Z, ]+) \\| ([\\w, ]*) \\| (.+) \\| (.*) \\|");

    /// Its levels, then its fields.
    private record Event(Set<String> levels, Set<String> fields) {
        private Event() {
            this(new TreeSet<>(), new TreeSet<>());
        }
    }

    private static List<String> sources() throws IOException {
        var all = new ArrayList<String>();
        for (var module : MODULES)
            try (var files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .map(EventsPageTest::text)
                        .forEach(all::add);
            }
        return all;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unread) {
            throw new AssertionError(file.toString(), unread);
        }
    }

    private static Map<String, Event> inTheCode(List<String> sources) {
        var found = new TreeMap<String, Event>();
        for (var source : sources) {
            STATEMENT.matcher(source).results().forEach(statement -> {
                var event = EVENT.matcher(statement.group());
                if (!event.find()) return;
                var levels = statement.group(1).equals("Level")
                        ? Set.of("INFO", "ERROR")
                        : Set.of(statement.group(1).toUpperCase(Locale.ROOT));
                var fields = new TreeSet<String>();
                FIELD.matcher(statement.group())
                        .results()
                        .map(field -> field.group(1))
                        .filter(field -> !field.equals("event"))
                        .forEach(fields::add);
                add(found, event.group(1), levels, fields);
            });
            for (var told : TOLD)
                told.matcher(source).results().forEach(match -> add(found, match.group(1), Set.of("WARN"), Set.of()));
            IN_THE_TEXT
                    .matcher(source)
                    .results()
                    .forEach(match -> add(found, '"' + match.group(1) + '"', Set.of("ERROR"), Set.of()));
        }
        return found;
    }

    private static void add(Map<String, Event> found, String names, Set<String> levels, Set<String> fields) {
        WORD.matcher(names).results().map(word -> word.group(1)).forEach(name -> {
            var event = found.computeIfAbsent(name.startsWith("_") ? "…" + name : name, _ -> new Event());
            event.levels().addAll(levels);
            event.fields().addAll(fields);
        });
    }

    private static Map<String, Event> inThePage() throws IOException {
        var page = new TreeMap<String, Event>();
        for (var line : Files.readAllLines(ROOT.resolve("docs/events.md"))) {
            var match = LINE.matcher(line);
            if (!match.matches()) continue;
            var event = new Event(words(match.group(2)), words(match.group(3)));
            assertThat(page.put(match.group(1), event))
                    .as("%s stands twice", match.group(1))
                    .isNull();
        }
        return page;
    }

    private static Set<String> words(String list) {
        return list.isBlank()
                ? new TreeSet<>()
                : new TreeSet<>(List.of(list.strip().split(", ")));
    }

    @Test
    @DisplayName("OPS-5: the page lists every event with its level and fields, and none that there is not")
    void thePageListsEveryEvent() throws IOException {
        var code = inTheCode(sources());
        assertThat(code).hasSizeGreaterThan(90);
        var page = inThePage();
        assertThat(page.remove("library"))
                .as("what libraries tell, which LogFormat names")
                .isNotNull();
        assertThat(page).containsExactlyInAnyOrderEntriesOf(code);
    }

    @Test
    void everyLogLineIsAnEvent() throws IOException {
        for (var source : sources()) {
            assertThat(WITHOUT.matcher(source)
                            .results()
                            .map(match -> source.substring(match.start(), Math.min(source.length(), match.end() + 60))))
                    .as("log lines without addKeyValue(\"event\", …)")
                    .isEmpty();
            STATEMENT
                    .matcher(source)
                    .results()
                    .filter(statement -> statement.group().contains(".log("))
                    .forEach(statement -> assertThat(statement.group()).contains("\"event\""));
        }
    }
}
