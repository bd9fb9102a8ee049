package dev.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.json.IgnoredFields;
import dev.millrace.postgres.PostgresSettings.UnknownFields;
import dev.millrace.postgres.TableDescription.Column;
import dev.millrace.sinkpool.Layouts.Layout;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("FMT-3")
class JsonRowEncoderTest {
    private static final TableDescription TABLE = table(
            column("id", Fit.Kind.BIGINT, false),
            column("note", Fit.Kind.TEXT, false),
            column("doc", Fit.Kind.JSON, false),
            column("docb", Fit.Kind.JSONB, false));

    private final IgnoredFields ignored = new IgnoredFields();
    private final JsonRowEncoder strict =
            new JsonRowEncoder(new Layout<>(0, TABLE), UnknownFields.REFUSE, ignored, Set.of());

    private static Column column(String name, Fit.Kind kind, boolean required) {
        return new Column(name, kind.name(), kind.name(), Fit.of(kind), required);
    }

    private static TableDescription table(Column... columns) {
        return new TableDescription("public", "t", Encoding.UTF8, List.of(columns));
    }

    @Test
    @Tag("CH-8")
    void aFieldWhoseColumnIsGoneWaitsForIt() {
        var after = new JsonRowEncoder(new Layout<>(1, TABLE), UnknownFields.REFUSE, ignored, Set.of("gone"));
        assertThat(after.waitsFor(Records.of("{\"gone\":1}"))).contains("field gone", "put it back");
        assertThat(after.waitsFor(Records.of("{\"other\":1}"))).isNull();
        assertThat(after.waitsFor(Records.of("{}"))).isNull();
        var lenient = new JsonRowEncoder(new Layout<>(1, TABLE), UnknownFields.IGNORE, ignored, Set.of("gone"));
        var before = ignored.counts();
        assertThat(lenient.waitsFor(Records.of("{\"gone\":1}"))).isNull();
        assertThat(ignored.counts()).as("counted when it becomes a row").isEqualTo(before);
        assertThat(strict.waitsFor(Records.of("{\"gone\":1}"))).isNull();
    }

    @Test
    void fieldsGoToTheColumnsOfTheirNamesInTheColumnsOrder() {
        assertThat(Records.encode(strict, "{ \"note\" : \"a b\", \"id\" : -17 }")
                        .text())
                .isEqualTo("-17\ta b\t\\N\t\\N\n");
    }

    @Test
    @DisplayName("CASE-44 INPUT-15")
    void missingAndNullAreNullWhereTheColumnTakesNull() {
        assertThat(Records.encode(strict, "{}").text()).isEqualTo("\\N\t\\N\t\\N\t\\N\n");
        assertThat(Records.encode(strict, "{\"note\":null,\"docb\":null}").text())
                .isEqualTo("\\N\t\\N\t\\N\t\\N\n");
        var demanding = new JsonRowEncoder(
                new Layout<>(0, table(column("id", Fit.Kind.BIGINT, true), column("doc", Fit.Kind.JSONB, true))),
                UnknownFields.REFUSE,
                ignored,
                Set.of());
        assertThat(Records.encode(demanding, "{\"doc\":{}}").said()).isEqualTo(poison("missing", "id"));
        assertThat(Records.encode(demanding, "{\"id\":null,\"doc\":{}}").said()).isEqualTo(poison("null", "id"));
        assertThat(Records.encode(demanding, "{\"id\":1,\"doc\":null}").said()).isEqualTo(poison("null", "doc"));
        assertThat(Records.encode(demanding, "{\"id\":1,\"doc\":0}").text()).isEqualTo("1\t0\n");
    }

    private static Encoded.Poison poison(String reason, String column) {
        return new Encoded.Poison(reason, "in the value for column " + column);
    }

    @Test
    void whatCopyGivesAMeaningToIsEscaped() {
        assertThat(Records.encode(strict, """
                {"note":"\\\\N\\t\\n\\r\\b\\f\\"\\/\\u005c\\u000a\\u0009\\u0001é\\u00e9\\ud83d\\ude00"}""").text())
                .isEqualTo("\\N\t\\\\N\\t\\n\\r\\b\\f\"/\\\\\\n\\t\u0001éé😀\t\\N\t\\N\n");
    }

    @Test
    @DisplayName("INPUT-8")
    void aNumberIsJudgedByItsValueAtACostThatItsLengthBounds() {
        for (var number : List.of("0", "-0", "9223372036854775807", "-9223372036854775808"))
            assertThat(Records.encode(strict, "{\"id\":" + number + "}").text()).startsWith(number + "\t");
        assertThat(Records.encode(strict, "{\"id\":-1.20e3}").text()).startsWith("-1200\t");
        for (var number : List.of("9223372036854775808", "1e400", "1e19", "1e99999999999999999999"))
            assertThat(Records.encode(strict, "{\"id\":" + number + "}").poison())
                    .isEqualTo("out_of_range");
        assertThat(Records.encode(strict, "{\"id\":1e-99999999999999999999}").poison())
                .isEqualTo("fraction");
        assertThat(Records.encode(strict, "{\"id\":" + "1".repeat(1_000_000) + "}")
                        .poison())
                .isEqualTo("number_too_long");
        assertThat(Records.encode(strict, "{\"doc\":" + "1".repeat(1_000_000) + "}")
                        .text())
                .hasSizeGreaterThan(1_000_000);
    }

    @Test
    void objectsAndArraysAreTheirTextInAColumnOfJsonOnly() {
        assertThat(Records.encode(strict, "{\"docb\":[1, \"x\\\"]\\n\"],\"doc\":{\"a\":\n{} }}")
                        .text())
                .isEqualTo("\\N\t\\N\t{\"a\":\\n{} }\t[1, \"x\\\\\"]\\\\n\"]\n");
        for (var value : List.of("[1]", "{}", "1", "true"))
            assertThat(Records.encode(strict, "{\"note\":" + value + "}").poison())
                    .isEqualTo("wrong_type");
    }

    @Test
    void jsonColumnsTakeScalarsAsJson() {
        assertThat(Records.encode(strict, "{\"doc\":\"a\\\"b\",\"docb\":true}").text())
                .isEqualTo("\\N\t\\N\t\"a\\\\\"b\"\ttrue\n");
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\'',
            delimiter = ';',
            value = {
                "'';empty",
                "'  ';empty",
                "7;not_an_object",
                "null;not_an_object",
                "'[{}]';not_an_object",
                "hello;syntax",
                "{\"id\":1;truncated",
                "{\"note\":\"x;truncated",
                "{\"id\":1} {};trailing",
                "{\"id\":1}x;trailing",
                "{\"id\":01};bad_number",
                "{\"id\":NaN};not_a_number",
                "{id:1};syntax",
                "{\"id\":1,};syntax",
                "{\"note\":\"\\q\"};bad_escape",
                "{\"note\":\"\\u00zz\"};bad_escape",
                "{\"nope\":1};unknown_field",
                "{\"id\":1,\"id\":2};duplicate_key",
                "{\"id\":1,\"i\\u0064\":2};duplicate_key",
                "{\"docb\":{\"a\":1,\"b\":[{\"c\":1,\"\\u0063\":2}]}};duplicate_key",
                "{\"docb\":[[{\"a\":{}},{\"a\":1,\"a\":1}]]};duplicate_key",
                "{\"note\":\"a\\u0000\"};nul_character",
                "{\"docb\":{\"a\":[\"\\u0000\"]}};nul_character",
                "{\"docb\":\"\\ud800\"};lone_surrogate",
                "{\"note\":\"\\ud800\"};lone_surrogate",
                "{\"note\":\"\\ud800\\u0041\"};lone_surrogate",
                "{\"note\":\"\\udc00\"};lone_surrogate"
            })
    @Tag("PG-2")
    @DisplayName("INPUT-3 INPUT-4 INPUT-5 INPUT-6 INPUT-8 INPUT-9 INPUT-14")
    void whatIsNoRowHasItsReason(String value, String reason) {
        assertThat(Records.encode(strict, value).poison()).isEqualTo(reason);
    }

    @Test
    @Tag("PG-2")
    @DisplayName("INPUT-9")
    void bytesThatAreNotUtf8AreTold() {
        for (var bad : List.of("\u00c3(", "\u00c0\u0080", "\u00f5\u0080\u0080\u0080", "\u0080"))
            assertThat(Records.encode(strict, ("{\"note\":\"" + bad + "\"}").getBytes(StandardCharsets.ISO_8859_1))
                            .poison())
                    .isEqualTo("bad_utf8");
        assertThat(Records.encode(strict, "{\"note\":\"\u00ed\u00a0\u0080\"}".getBytes(StandardCharsets.ISO_8859_1))
                        .poison())
                .isEqualTo("lone_surrogate");
        assertThat(Records.encode(strict, "{\"note\":\"\0\"}").poison()).isEqualTo("control_character");
        assertThat(Records.encode(strict, "{}".getBytes(StandardCharsets.UTF_16BE))
                        .poison())
                .isEqualTo("syntax");
    }

    @Test
    @Tag("PG-2")
    @DisplayName(
            "PG-2: fields go to their columns in whatever order records have them, however their names are spelled")
    void orderAndSpellingOfNamesDoNotMatter() {
        var expected = Records.encode(strict, "{\"id\":1,\"note\":\"n\"}").text();
        for (var value : List.of(
                "{\"note\":\"n\",\"id\":1}",
                "{\"id\":1,\"note\":\"n\"}",
                "{\"i\\u0064\":1,\"no\\u0074e\":\"n\"}",
                "{ \"note\" : \"n\" ,\"i\\u0064\":1}",
                "{\"id\":1,\"note\":\"n\"}"))
            assertThat(Records.encode(strict, value).text()).isEqualTo(expected);
    }

    @Test
    void noValueIsNoRow() {
        assertThat(Records.encode(strict, (byte[]) null).poison()).isEqualTo("null_value");
    }

    @Test
    @DisplayName("INPUT-7")
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
    void aKeyMayBeTwiceWhereNothingIsLost() {
        for (var value : List.of(
                "{\"doc\":{\"a\":1,\"a\":2}}",
                "{\"docb\":[{\"a\":1},{\"a\":{\"a\":2}}]}",
                "{\"docb\":{\"a\":{\"b\":1},\"b\":2}}"))
            assertThat(Records.encode(strict, value).said()).isEqualTo(Encoded.WRITTEN);
        var many = IntStream.range(0, 10_000).mapToObj(i -> "\"k" + i + "\":0").collect(Collectors.joining(","));
        assertThat(Records.encode(strict, "{\"docb\":{" + many + "}}").said()).isEqualTo(Encoded.WRITTEN);
        assertThat(Records.encode(strict, "{\"docb\":{" + many + ",\"k7\":0}}").poison())
                .isEqualTo("duplicate_key");
    }

    @Test
    @DisplayName("CASE-45 INPUT-14")
    void unknownFieldsCanBeLeftOutAndAreCounted() {
        var lenient = new JsonRowEncoder(new Layout<>(0, TABLE), UnknownFields.IGNORE, ignored, Set.of());
        assertThat(Records.encode(lenient, "{\"x\":{\"id\":[9]},\"id\":1,\"y\":\"\\u0000\"}")
                        .text())
                .startsWith("1\t");
        assertThat(Records.encode(lenient, "{\"x\":1}").said()).isEqualTo(Encoded.WRITTEN);
        assertThat(ignored.counts()).isEqualTo(Map.of("x", 2L, "y", 1L));
        for (var i = 0; i < 1000; i++) Records.encode(lenient, "{\"n" + i + "\":1}");
        Records.encode(lenient, "{\"" + "n".repeat(65) + "\":1}");
        assertThat(ignored.counts()).hasSize(101).containsEntry(IgnoredFields.OTHERS, 1001 - 98L);
    }

    @Test
    @Tag("PG-2")
    void aDatabaseOfLatin1GetsNoCharacterThatItLacks() {
        var latin = new TableDescription("public", "t", Encoding.LATIN1, TABLE.columns());
        var encoder = new JsonRowEncoder(new Layout<>(0, latin), UnknownFields.REFUSE, ignored, Set.of());
        for (var value : List.of("{\"note\":\"ÿ\\u00ff\"}", "{\"doc\":\"ÿ\\u0100\"}", "{\"docb\":\"ÿ\\\\u0100\"}"))
            assertThat(Records.encode(encoder, value).said()).isEqualTo(Encoded.WRITTEN);
        for (var value : List.of(
                "{\"note\":\"Ā\"}",
                "{\"note\":\"\\u0100\"}",
                "{\"doc\":\"Ā\"}",
                "{\"docb\":[\"Ā\"]}",
                "{\"docb\":\"\\u0100\"}"))
            assertThat(Records.encode(encoder, value).poison()).isEqualTo("not_in_encoding");
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
