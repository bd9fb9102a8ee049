package dev.millrace.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The Java of a guide is the code of this folder, which is compiled and run by tests.
///
/// A block stands between `<!-- NAME -->` and its end; in the sources the same name stands about it as `// [NAME]` and
/// `// [/NAME]`. `-Dmillrace.golden.write=true` puts the code into the page anew.
class GuideCodeTest {
    private static final Path GUIDES = Path.of("../docs/guides");
    private static final Path SOURCES = Path.of("src/test/java/dev/millrace/example");
    private static final Pattern MARKED = Pattern.compile(" *// \\[(\\w+)]\n(.*?) *// \\[/\\1]\n", Pattern.DOTALL);
    private static final Pattern BLOCK = Pattern.compile("<!-- (\\w+) -->\n```java\n(.*?)```\n", Pattern.DOTALL);

    private static Map<String, String> marked() throws IOException {
        var all = new LinkedHashMap<String, String>();
        try (var files = Files.list(SOURCES)) {
            for (var file : files.sorted().toList())
                MARKED.matcher(Files.readString(file))
                        .results()
                        .forEach(match -> assertThat(all.put(
                                        match.group(1),
                                        match.group(2).stripTrailing().stripIndent() + "\n"))
                                .as("%s stands twice", match.group(1))
                                .isNull());
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"embedding.md", "writing-a-sink.md"})
    void theJavaOfAGuideIsWhatIsTested(String name) throws IOException {
        var page = Files.readString(GUIDES.resolve(name));
        var code = marked();
        assertThat(Pattern.compile("```java").matcher(page).results().count())
                .as("every block of Java has a name before it")
                .isEqualTo(BLOCK.matcher(page).results().count())
                .isPositive();
        var made = BLOCK.matcher(page).replaceAll(match -> {
            assertThat(code).containsKey(match.group(1));
            return Matcher.quoteReplacement(
                    "<!-- " + match.group(1) + " -->\n```java\n" + code.get(match.group(1)) + "```\n");
        });
        if (Boolean.getBoolean("millrace.golden.write")) Files.writeString(GUIDES.resolve(name), made);
        assertThat(Files.readString(GUIDES.resolve(name)))
                .as("%s; write it anew with -Dmillrace.golden.write=true", name)
                .isEqualTo(made);
    }
}
