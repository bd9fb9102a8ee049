package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Holds `docs/security.md` to the sources: what it names is there, and every demand has a test or a word that says why
/// not.
///
/// Whether a test holds what its line says, only a reader can tell.
class SecurityPageTest {
    private static final Path ROOT = Path.of("..");
    private static final List<String> MODULES = List.of(
            "fuzz",
            "lab",
            "checkpoint",
            "breaker",
            "config",
            "sink-pool",
            "connectors/json",
            "connectors/kafka",
            "connectors/httpclient",
            "connectors/postgres",
            "connectors/clickhouse",
            "connectors/http",
            "connectors/intake",
            "pipeline",
            "testkit",
            "cli");

    /// A line of what is expected: number, number within it, demand, what is, what holds it.
    private static final Pattern LINE = Pattern.compile("\\| (\\d+)\\.(\\d+) \\| (.+) \\| (.+) \\| (.+) \\|");

    /// A class of ours as the page names it, by the last part of its package: `config.Secret`, `cli.ReadmeTest.method`.
    private static final Pattern NAME = Pattern.compile("`([a-z]+)\\.([A-Z]\\w*)((?:\\.[a-z]\\w*)?)`");

    private static final String END_OF_A_METHOD = "\n    }\n";
    private static final int LINES = 12;

    private record Source(Path file, String text) {}

    /// What each line of the page says, in its order.
    private record Demand(int line, int number, String held) {}

    private static List<Source> sources() throws IOException {
        var all = new ArrayList<Source>();
        for (var module : MODULES) {
            for (var kind : List.of("src/main/java", "src/test/java")) {
                var folder = ROOT.resolve(module).resolve(kind);
                if (!Files.isDirectory(folder)) continue;
                try (var files = Files.walk(folder)) {
                    files.filter(file -> file.toString().endsWith(".java"))
                            .map(file -> new Source(file, text(file)))
                            .forEach(all::add);
                }
            }
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

    private static String page() {
        return text(ROOT.resolve("docs/security.md"));
    }

    private static List<Demand> demands() {
        var all = new ArrayList<Demand>();
        for (var line : page().lines().toList()) {
            var match = LINE.matcher(line);
            if (match.matches())
                all.add(new Demand(Integer.parseInt(match.group(1)), Integer.parseInt(match.group(2)), match.group(5)));
        }
        return all;
    }

    /// The source of a test method, from the end of what stands before it to its name.
    private static String head(String source, int method) {
        var before = source.substring(0, method);
        return before.substring(Math.max(0, before.lastIndexOf(END_OF_A_METHOD)));
    }

    @Test
    void everyClassAndTestThatItNamesIsThere() throws IOException {
        var sources = sources();
        var names = NAME.matcher(page()).results().toList();
        assertThat(names).hasSizeGreaterThan(100);
        for (var name : names) {
            var file = Path.of(name.group(1), name.group(2) + ".java");
            var found = sources.stream()
                    .filter(source -> source.file().endsWith(file))
                    .toList();
            assertThat(found).as(name.group()).hasSize(1);
            if (name.group(3).isEmpty()) continue;
            var text = found.getFirst().text();
            var at = text.indexOf(" void " + name.group(3).substring(1) + "(");
            assertThat(at).as("%s is a method", name.group()).isPositive();
            assertThat(head(text, at))
                    .as("%s is run", name.group())
                    .containsAnyOf("@Test", "@ParameterizedTest", "@Property")
                    .doesNotContain("@Disabled\n", "@Disabled(");
        }
    }

    @Test
    void everyDemandHasATestOrAWordThatSaysWhyNot() {
        var demands = demands();
        var last = new Demand(0, 0, "");
        for (var demand : demands) {
            var where = demand.line() + "." + demand.number();
            var next = demand.line() == last.line();
            assertThat(demand.line()).as(where).isEqualTo(next ? last.line() : last.line() + 1);
            assertThat(demand.number()).as(where).isEqualTo(next ? last.number() + 1 : 1);
            assertThat(NAME.matcher(demand.held()).find()
                            || demand.held().contains("Not done")
                            || demand.held().contains("no test")
                            || demand.held().equals("the build"))
                    .as("%s has a test, or says that it has none: %s", where, demand.held())
                    .isTrue();
            last = demand;
        }
        assertThat(last.line()).isEqualTo(LINES);
    }

    @Test
    void thePageAndThePolicyAreLinked() {
        assertThat(text(ROOT.resolve("README.md"))).contains("](docs/security.md)", "](SECURITY.md)");
        assertThat(text(ROOT.resolve("SECURITY.md"))).contains("](docs/security.md)");
        assertThat(page()).contains("](../SECURITY.md)");
    }
}
