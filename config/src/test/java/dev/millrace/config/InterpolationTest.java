package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("CFG-2")
class InterpolationTest {
    private static final Map<String, String> ENV =
            Map.of("A", "alpha", "EMPTY", "", "DOLLARS", "${A}$$", "LINES", "x\ny: z", "_x1", "under");

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "${A},alpha",
                "x${A}y${A}z,xalphayalphaz",
                "${_x1},under",
                "${EMPTY}x,x",
                "${NONE:-b},b",
                "${NONE:-},``",
                "${EMPTY:-b},b",
                "${A:-b},alpha",
                "${NONE:-a:b-c?d$e},a:b-c?d$e",
                "${A:?must},alpha",
                "$$,$",
                "$${A},${A}",
                "$$$${A},$${A}",
                "$$${A},$alpha",
                "a$b,a$b",
                "orders.*$,orders.*$",
                "$.customer_id,$.customer_id",
                "${DOLLARS},${A}$$",
                "plain,plain",
            })
    void whatIsWrittenBecomes(String written, String becomes) {
        assertThat(fill(written)).isEqualTo(becomes);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "${NONE} | environment variable NONE is not set; set it, or write ${NONE:-default}",
                "${NONE:?ask Ann} | environment variable NONE is not set or empty; set it: ask Ann",
                "${EMPTY:?} | environment variable EMPTY is not set or empty; set it",
                "${A | a ${ that is not closed; close it with }, or write $$ for a $",
                "${A:-${B}} | ${ inside ${ is not supported; use one variable",
            })
    void whatCannotBeFilledInIsRefused(String written, String message) {
        assertThat(fill(written)).isEqualTo("refused: " + message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"${}", "${ A}", "${1A}", "${A-b}", "${A:b}", "${env:A}", "${A:+b}", "${A.b}"})
    void otherFormsAreRefusedWithTheRightOnes(String written) {
        assertThat(fill(written)).startsWith("refused: what stands in ${…} is not understood; write ${VAR}, ");
    }

    @Test
    void aVariableCannotChangeTheDocumentsStructure() {
        var file =
                PipelineText.postgres().with("user: ingest", "user: ${LINES}").text();
        var env = Map.of("LINES", "x\n      on_conflict: ignore", "PASSWORD", "p: [x\n  y: &a *a");
        var problems = ((ReadResult.Refused) Configuration.read("f", file, env::get)).problems();
        assertThat(problems)
                .extracting(Problem::text)
                .containsExactly(
                        "f:12:13 sinks.warehouse.postgres.user: \"${LINES}\" is not a user; write 1 to 255 characters on one line");
    }

    @Test
    void keysAreNotFilledIn() {
        assertThat(PipelineText.postgres().root("${NAME}: x").problems())
                .containsExactly("${NAME}: unknown key; here may stand "
                        + String.join(
                                ", ",
                                "pipeline",
                                "source",
                                "format",
                                "route",
                                "delivery",
                                "require",
                                "token_epoch",
                                "sinks",
                                "poison",
                                "on_config_change",
                                "on_expired_token",
                                "checkpoint",
                                "admission",
                                "drain",
                                "admin",
                                "metrics",
                                "logging"));
    }

    @Test
    void everyKindOfValueIsFilledIn() {
        var config = PipelineText.postgres()
                .with("name: storefront", "name: '${NAME}'")
                .with("[orders, payments]", "[\"${T:-orders}\", payments]")
                .with("postgres://db-0b:5432/shop", "\"postgres://${H:-db-0c}:5432/shop\"")
                .kafka("consumers: ${N:-2}\nproperties: { client.id: \"${NAME}-1\" }")
                .config();
        assertThat(config.name()).isEqualTo("storefront");
        assertThat(config.source().topics()).isEqualTo(new Topics.Listed(java.util.List.of("orders", "payments")));
        assertThat(config.kafka().consumers()).isEqualTo(2);
        assertThat(config.kafka().properties().plain()).containsEntry("client.id", "storefront-1");
        assertThat(config.sinks().getFirst().shards().getFirst().endpoints().getLast())
                .hasToString("postgres://db-0c:5432/shop");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {"`a`,a", "`a\n`,a", "`a\r\n`,a", "`a\n\n`,`a\n`", "`\n`,``", "` a `,` a `", "`${A}$$`,`${A}$$`"})
    void oneLineEndIsTakenOffAFile(String content, String becomes) throws IOException {
        assertThat(fill("${file:" + write(content) + "}")).isEqualTo(becomes);
    }

    @Test
    void aFileMayHoldSixtyFourKibibytes() throws IOException {
        assertThat(fill("${file:" + write("x".repeat(65_536)) + "}")).hasSize(65_536);
        var file = write("x".repeat(65_537));
        assertThat(fill("${file:" + file + "}"))
                .isEqualTo("refused: file " + file + " is larger than 64 KiB; name the file of one value");
    }

    @Test
    void aFileThatCannotBeReadIsNamedAndNotQuoted() throws IOException {
        assertThat(fill("${file:/nowhere/x}"))
                .isEqualTo("refused: file /nowhere/x does not exist or is hidden; create it, or correct the path");
        assertThat(fill("${file:" + directory + "}"))
                .isEqualTo("refused: file " + directory + " is not a regular file; name one");
        assertThat(fill("${file:x}")).isEqualTo("refused: file \"x\" is not an absolute path; begin it with /");
        assertThat(fill("${file:}")).isEqualTo("refused: file \"\" is not an absolute path; begin it with /");
        assertThat(fill("${file:/a\0b}")).isEqualTo("refused: file \"/a\\u0000b\" is not a path; write ${file:/path}");
        var latin = Files.write(directory.resolve("latin"), "hunter2\u00e9".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(fill("${file:" + latin + "}"))
                .isEqualTo("refused: file " + latin + " is not UTF-8; save it as UTF-8");
        assertThat(fill("${file:/dev/zero}")).isEqualTo("refused: file /dev/zero is not a regular file; name one");
    }

    @Test
    void whatAFileBroughtIsNeverQuoted() throws IOException {
        var file = write("hunter2");
        var problems = PipelineText.postgres()
                .sink("batch: { linger: \"${file:" + file + "}\" }")
                .problems();
        assertThat(problems)
                .containsExactly("sinks.warehouse.batch.linger: \"${file:" + file
                        + "}\" is not a duration; write a whole number with ms, s, m or h (1ms to 10m)");
    }

    private Path write(String content) throws IOException {
        return Files.writeString(directory.resolve("value"), content);
    }

    private static String fill(String written) {
        return switch (new Interpolation(ENV::get).fill(written, false)) {
            case Parsed.Good<Text>(var text) -> text.value();
            case Parsed.Bad<Text>(var message) -> "refused: " + message;
        };
    }
}
