package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("CFG-6")
class YamlInputTest {
    private static final String GOOD = PipelineText.postgres().text();

    @TempDir
    Path directory;

    @Test
    void aBillionLaughsAreRefusedAtTheFirstAlias() {
        var lines = new StringBuilder("a0: &a0 [lol, lol]\n");
        for (int i = 1; i < 40; i++) lines.append("a%d: &a%d [*a%d, *a%d]\n".formatted(i, i, i - 1, i - 1));
        assertThat(problems(lines.toString()))
                .contains(
                        "pipeline.yaml:2:10 a1[0]: aliases (*name) are refused; write the value out, or quote it if it is text")
                .contains(
                        "pipeline.yaml:1:5 a0: anchors (&name) are refused; remove it, or quote the value if it is text");
    }

    @Test
    void aFileAboveOneMebibyteIsRefusedWithoutBeingReadWhole() throws IOException {
        var file = directory.resolve("large.yaml");
        try (var large = new RandomAccessFile(file.toFile(), "rw")) {
            large.setLength(8L << 30); // eight times this process's heap
        }
        assertThat(problems(file))
                .containsExactly(file + ": is larger than 1 MiB; a pipeline's file is a few KiB, check the path");
    }

    @Test
    void aFileOfExactlyOneMebibyteIsRead() {
        var padded = GOOD + "#" + "x".repeat(SourceText.MAX_BYTES - GOOD.length() - 1);
        assertThat(read(padded.getBytes(StandardCharsets.UTF_8))).isInstanceOf(ReadResult.Loaded.class);
        assertThat(problems(padded + "x")).hasSize(1).first().asString().contains("larger than 1 MiB");
    }

    @Test
    void whatIsNotUtf8IsRefusedAtItsByteAndPlace() {
        var bytes = "pipeline:\r\n  name: caf\u00e9\n".getBytes(StandardCharsets.ISO_8859_1);
        assertThat(problems(bytes))
                .containsExactly("pipeline.yaml:2:12: is not UTF-8 at byte 22 (0xE9); save the file as UTF-8");
    }

    @Test
    void aCharacterCutOffAtTheEndIsNotUtf8() {
        assertThat(problems(new byte[] {'a', ':', ' ', (byte) 0xE2, (byte) 0x82}))
                .containsExactly("pipeline.yaml:1:4: is not UTF-8 at byte 3 (0xE2); save the file as UTF-8");
    }

    @Test
    void utf16IsNamed() {
        assertThat(problems(GOOD.getBytes(StandardCharsets.UTF_16)))
                .containsExactly("pipeline.yaml:1:1: is UTF-16, not UTF-8; save it as UTF-8");
    }

    @Test
    void aByteOrderMarkAndWindowsLineEndsChangeNothing() {
        var windows = "\uFEFF" + GOOD.replace("\n", "\r\n");
        assertThat(read(windows.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(PipelineText.postgres().read());
    }

    @Test
    void placesAreTheSameWithAByteOrderMarkAndWindowsLineEnds() {
        var wrong = "pipeline:\n  name: storefront\n  nme: x\n";
        var windows = "\uFEFF" + wrong.replace("\n", "\r\n");
        assertThat(problems(windows))
                .isEqualTo(problems(wrong))
                .contains("pipeline.yaml:3:3 pipeline.nme: unknown key; did you mean name?");
    }

    @Test
    void columnsCountCharactersAndNotBytes() {
        assertThat(problems("logging: { \"\uD83D\uDE00é\": x }"))
                .contains("pipeline.yaml:1:12 logging.\uD83D\uDE00é: unknown key; here may stand format, level");
        assertThat(problems("logging: { format: \"\uD83D\uDE00é\", levl: x }"))
                .contains("pipeline.yaml:1:26 logging.levl: unknown key; did you mean level?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n\n", "# only a comment\n", "\uFEFF"})
    void anEmptyFileIsNamed(String text) {
        assertThat(problems(text))
                .containsExactly("pipeline.yaml:1:1: is empty; begin with docs/pipeline.example.yaml");
    }

    @Test
    void aControlCharacterIsRefusedAtItsPlace() {
        assertThat(problems("pipeline:\n  name: a\u0000b\n"))
                .containsExactly("pipeline.yaml:2:10: holds the character U+0000, which YAML refuses; remove it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[", "{a: ", "- "})
    void depthIsRefusedHoweverDeep(String open) {
        var problems = problems(open.repeat(100_000));
        assertThat(problems).hasSize(1).first().asString().contains("nested deeper than 20 levels");
    }

    @Test
    void twentyLevelsAreStillLookedAt() {
        assertThat(problems("[".repeat(20) + "]".repeat(20))).noneMatch(p -> p.contains("nested deeper"));
        assertThat(problems("[".repeat(22) + "]".repeat(22))).anyMatch(p -> p.contains("nested deeper"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "%YAML 3.0\n---\na: b",
                "%YAML 99999999999999999999.1\n---\na: b",
                "%TAG ! x\n---\na: !x b",
                "%FOO\n---\n"
            })
    void directivesDoNotBreakTheReader(String text) {
        assertThat(problems(text)).isNotEmpty();
    }

    @Test
    void aSyntaxErrorRepeatsNothingOfTheFile() {
        for (var broken : List.of(
                "password: !hunter2!x y",
                "password: *hunter2 x: y",
                "password: \"hunter2",
                "password: hunter2\nhunter2\nx: y",
                "password: 'hunter2' hunter2",
                "password: @hunter2",
                "password: &hunter2",
                "password: {hunter2",
                "hunter2: a: b",
                "password: \"\\hunter2\"",
                "? hunter2\n-",
                "password: |hunter2\n x",
                "password: %hunter2",
                "[hunter2]: x",
                "a: `hunter2`",
                "a: \"x\"\nhunter2")) {
            assertThat(problems(broken))
                    .as(broken)
                    .isNotEmpty()
                    .noneMatch(p -> p.contains("hunter2") && p.contains("not YAML"));
        }
    }

    @Test
    void aFileThatCannotBeReadIsNamedWithAReason() {
        assertThat(problems(directory.resolve("none.yaml")))
                .containsExactly(directory.resolve("none.yaml") + ": no such file; check the path");
        assertThat(problems(directory)).containsExactly(directory + ": is a directory; name a file");
    }

    @Test
    void aFileIsReadAsItsText() throws IOException {
        var file = Files.writeString(directory.resolve("good.yaml"), GOOD);
        assertThat(Configuration.read(file, PipelineText.ENV::get))
                .isEqualTo(PipelineText.postgres().read());
    }

    @Test
    void aThousandProblemsAreListedAndMoreAreNamed() {
        var keys = new StringBuilder();
        for (int i = 0; i < 5_000; i++) keys.append("k").append(i).append(": x\n");
        assertThat(problems(keys.toString()))
                .hasSize(1_001)
                .last()
                .asString()
                .endsWith(": there may be more problems; remove these first");
    }

    private static ReadResult read(byte[] bytes) {
        return Configuration.read("pipeline.yaml", bytes, PipelineText.ENV::get);
    }

    private static List<String> problems(String text) {
        return problems(text.getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> problems(byte[] bytes) {
        return lines(read(bytes));
    }

    private static List<String> problems(Path file) {
        return lines(Configuration.read(file, PipelineText.ENV::get));
    }

    private static List<String> lines(ReadResult result) {
        return switch (result) {
            case ReadResult.Refused(var problems) ->
                problems.stream().map(Problem::text).toList();
            case ReadResult.Loaded loaded -> throw new AssertionError(loaded.toString());
        };
    }
}
