package dev.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.postgres.PostgresSettings.UnknownFields;
import dev.millrace.postgres.TableDescription.Column;
import dev.millrace.postgres.TableDescription.Kind;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("FMT-3")
class JsonRowEncoderTest {
    private static final TableDescription TABLE = new TableDescription(
            "public",
            "t",
            List.of(
                    new Column("id", "bigint", Kind.TEXT),
                    new Column("note", "text", Kind.TEXT),
                    new Column("doc", "json", Kind.JSON),
                    new Column("docb", "jsonb", Kind.JSONB)));

    private final JsonRowEncoder strict = new JsonRowEncoder(TABLE, UnknownFields.REFUSE);

    @Test
    void fieldsGoToTheColumnsOfTheirNamesInTheColumnsOrder() {
        assertThat(Records.encode(strict, "{ \"note\" : \"a b\", \"id\" : -17 }")
                        .text())
                .isEqualTo("-17\ta b\t\\N\t\\N\n");
    }

    @Test
    void missingAndNullAreNull() {
        assertThat(Records.encode(strict, "{}").text()).isEqualTo("\\N\t\\N\t\\N\t\\N\n");
        assertThat(Records.encode(strict, "{\"note\":null,\"docb\":null}").text())
                .isEqualTo("\\N\t\\N\t\\N\t\\N\n");
    }

    @Test
    void whatCopyGivesAMeaningToIsEscaped() {
        assertThat(Records.encode(strict, """
                {"note":"\\\\N\\t\\n\\r\\b\\f\\"\\/\\u005c\\u000a\\u0009\\u0001é\\u00e9\\ud83d\\ude00"}""").text())
                .isEqualTo("\\N\t\\\\N\\t\\n\\r\\b\\f\"/\\\\\\n\\t\u0001éé😀\t\\N\t\\N\n");
    }

    @Test
    void numbersKeepTheirSpelling() {
        for (var number : List.of("0", "-0.0", "1e400", "12345678901234567890123", "1.50", "2E-3"))
            assertThat(Records.encode(strict, "{\"id\":" + number + "}").text()).startsWith(number + "\t");
        assertThat(Records.encode(strict, "{\"id\":" + "1".repeat(1000) + "}").text())
                .startsWith("1".repeat(1000) + "\t");
        assertThat(Records.encode(strict, "{\"id\":" + "1".repeat(1001) + "}").poison())
                .isEqualTo("number_too_long");
    }

    @Test
    void objectsAndArraysAreTheirText() {
        assertThat(Records.encode(strict, "{\"note\":[1, \"x\\\"]\\n\"],\"doc\":{\"a\":\n{} }}")
                        .text())
                .isEqualTo("\\N\t[1, \"x\\\\\"]\\\\n\"]\t{\"a\":\\n{} }\t\\N\n");
    }

    @Test
    void jsonColumnsTakeScalarsAsJson() {
        assertThat(Records.encode(strict, "{\"doc\":\"a\\\"b\",\"docb\":true,\"note\":true,\"id\":false}")
                        .text())
                .isEqualTo("false\ttrue\t\"a\\\\\"b\"\ttrue\n");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\'',
            delimiter = ';',
            value = {
                "'';empty_value",
                "'  ';empty_value",
                "7;not_an_object",
                "null;not_an_object",
                "'[{}]';not_an_object",
                "hello;not_an_object",
                "{\"id\":1;truncated",
                "{\"note\":\"x;truncated",
                "{\"id\":1} {};trailing",
                "{\"id\":1}x;malformed_json",
                "{\"id\":01};malformed_json",
                "{\"id\":NaN};malformed_json",
                "{id:1};malformed_json",
                "{\"id\":1,};malformed_json",
                "{\"note\":\"\\q\"};malformed_json",
                "{\"note\":\"\\u00zz\"};malformed_json",
                "{\"nope\":1};unknown_field",
                "{\"id\":1,\"id\":2};duplicate_field",
                "{\"id\":1,\"i\\u0064\":2};duplicate_field",
                "{\"note\":\"a\\u0000\"};nul_character",
                "{\"docb\":{\"a\":[\"\\u0000\"]}};nul_character",
                "{\"docb\":\"\\ud800\"};lone_surrogate",
                "{\"note\":\"\\ud800\"};lone_surrogate",
                "{\"note\":\"\\ud800\\u0041\"};lone_surrogate",
                "{\"note\":\"\\udc00\"};lone_surrogate"
            })
    @Tag("PG-2")
    void whatIsNoRowHasItsReason(String value, String reason) {
        assertThat(Records.encode(strict, value).poison()).isEqualTo(reason);
    }

    @Test
    @Tag("PG-2")
    void bytesThatAreNotUtf8AreTold() {
        for (var bad : List.of("\u00c3(", "\u00c0\u0080", "\u00ed\u00a0\u0080", "\u00f5\u0080\u0080\u0080", "\u0080"))
            assertThat(Records.encode(strict, ("{\"note\":\"" + bad + "\"}").getBytes(StandardCharsets.ISO_8859_1))
                            .poison())
                    .isEqualTo("bad_utf8");
        assertThat(Records.encode(strict, "{\"note\":\"\0\"}").poison()).isEqualTo("nul_character");
        assertThat(Records.encode(strict, "{}".getBytes(StandardCharsets.UTF_16BE))
                        .poison())
                .isEqualTo("nul_character");
    }

    @Test
    void noValueIsNoRow() {
        assertThat(Records.encode(strict, (byte[]) null).poison()).isEqualTo("null_value");
    }

    @Test
    void depthHasABound() {
        assertThat(Records.encode(strict, "{\"doc\":" + "[".repeat(63) + "]".repeat(63) + "}")
                        .text())
                .contains("[[[");
        assertThat(Records.encode(strict, "{\"doc\":" + "[".repeat(64) + "]".repeat(64) + "}")
                        .poison())
                .isEqualTo("too_deep");
        assertThat(Records.encode(strict, "{\"doc\":" + "[".repeat(100_000)).poison())
                .isEqualTo("too_deep");
    }

    @Test
    void unknownFieldsCanBeLeftOut() {
        var lenient = new JsonRowEncoder(TABLE, UnknownFields.IGNORE);
        assertThat(Records.encode(lenient, "{\"x\":{\"id\":[9]},\"id\":1,\"y\":\"\\u0000\"}")
                        .text())
                .startsWith("1\t");
    }

    @Test
    void aRowAfterAPoisonOneKnowsNothingOfIt() {
        Records.encode(strict, "{\"id\":1,\"note\":\"x\",\"nope\":2}");
        assertThat(Records.encode(strict, "{}").text()).isEqualTo("\\N\t\\N\t\\N\t\\N\n");
    }

    @Test
    @Tag("OPS-10")
    void noPoisonTellsWhatWasInTheRow() {
        for (var value : List.of(
                "{\"m4rker\":1}", "{\"note\":\"m4rker", "{\"id\":m4rker}", "m4rker", "{\"m4rker\":\"\\u0000\"}"))
            assertThat(Records.encode(strict, value).said().toString()).doesNotContain("m4rker");
    }

    @Property(tries = 2000)
    void noBytesMakeItThrow(@ForAll byte[] value) {
        assertThat(Records.encode(strict, value).said()).isNotNull();
    }

    @Property(tries = 2000)
    void noBytesInAnObjectMakeItThrow(@ForAll String text) {
        var row = Records.encode(strict, "{\"note\":" + text + "}");
        if (!row.line().isEmpty())
            assertThat(row.line().indexOf('\n')).isEqualTo(row.line().length() - 1);
    }
}
