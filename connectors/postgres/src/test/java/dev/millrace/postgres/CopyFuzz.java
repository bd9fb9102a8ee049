package dev.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.fuzz.FuzzTarget;
import dev.millrace.fuzz.Json;
import dev.millrace.json.IgnoredFields;
import dev.millrace.json.JsonCheck.Fault;
import dev.millrace.postgres.PostgresSettings.UnknownFields;
import dev.millrace.postgres.TableDescription.Column;
import dev.millrace.sinkpool.Layouts.Layout;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Any bytes are a line of COPY that the server reads as what the JSON says, or poison for a known reason, which leaves
/// nothing behind. What is no JSON is no row.
final class CopyFuzz implements FuzzTarget {
    private static final List<Column> COLUMNS = List.of(
            column("i2", new Fit(Fit.Kind.SMALLINT, false, 0, 0)),
            column("i4", new Fit(Fit.Kind.INTEGER, false, 0, 0)),
            column("i8", new Fit(Fit.Kind.BIGINT, false, 0, 0)),
            column("nu", new Fit(Fit.Kind.NUMERIC, false, 0, 0)),
            column("n9", new Fit(Fit.Kind.NUMERIC, false, 9, 2)),
            column("re", new Fit(Fit.Kind.REAL, false, 0, 0)),
            column("do", new Fit(Fit.Kind.DOUBLE, false, 0, 0)),
            column("bo", new Fit(Fit.Kind.BOOLEAN, false, 0, 0)),
            column("tx", new Fit(Fit.Kind.TEXT, false, 0, 0)),
            column("v3", new Fit(Fit.Kind.TEXT, false, 3, 0)),
            column("c3", new Fit(Fit.Kind.CHAR, false, 3, 0)),
            column("na", new Fit(Fit.Kind.NAME, false, 63, 0)),
            column("da", new Fit(Fit.Kind.DATE, false, 0, 0)),
            column("ti", new Fit(Fit.Kind.TIME, false, 6, 0)),
            column("tz", new Fit(Fit.Kind.TIMETZ, false, 3, 0)),
            column("ts", new Fit(Fit.Kind.TIMESTAMP, false, 6, 0)),
            column("sz", new Fit(Fit.Kind.TIMESTAMPTZ, false, 0, 0)),
            column("iv", new Fit(Fit.Kind.INTERVAL, false, 6, 0)),
            column("id", new Fit(Fit.Kind.UUID, false, 0, 0)),
            column("js", new Fit(Fit.Kind.JSON, false, 0, 0)),
            column("jb", new Fit(Fit.Kind.JSONB, false, 0, 0)),
            column("by", new Fit(Fit.Kind.BYTEA, false, 0, 0)),
            column("ot", new Fit(Fit.Kind.OTHER, false, 0, 0)),
            column("no", new Fit(Fit.Kind.NONE, false, 0, 0)),
            column("ai", new Fit(Fit.Kind.INTEGER, true, 0, 0)),
            column("at", new Fit(Fit.Kind.TEXT, true, 0, 0)),
            column("aj", new Fit(Fit.Kind.JSONB, true, 0, 0)),
            column("ay", new Fit(Fit.Kind.BYTEA, true, 0, 0)),
            column("as", new Fit(Fit.Kind.TIMESTAMP, true, 6, 0)),
            column("ab", new Fit(Fit.Kind.BOOLEAN, true, 0, 0)));

    /// Where, and no payload.
    private static final Pattern DETAIL =
            Pattern.compile("at byte \\d+|in the value for column \\w+|\\w+ is there twice");

    private final List<RowEncoder> encoders = List.of(
            encoder(Encoding.UTF8, UnknownFields.REFUSE),
            encoder(Encoding.LATIN1, UnknownFields.IGNORE),
            encoder(Encoding.BYTES, UnknownFields.IGNORE));

    private static Column column(String name, Fit fit) {
        return new Column(name, fit.kind().name(), fit.kind().name(), fit, name.equals("i2"));
    }

    private static RowEncoder encoder(Encoding encoding, UnknownFields unknown) {
        var columns = encoding == Encoding.UTF8
                ? COLUMNS
                : COLUMNS.stream()
                        .map(one -> new Column(one.name(), one.type(), one.shape(), one.fit(), false))
                        .toList();
        var table = new TableDescription("public", "t", encoding, columns);
        return new JsonRowEncoder(new Layout<>(0, table), unknown, new IgnoredFields(), Set.of());
    }

    @Override
    public List<String> words() {
        var words = new ArrayList<>(List.of(
                "{\"",
                "\":",
                ",",
                "\"",
                "{",
                "}",
                "[",
                "]",
                "null",
                "true",
                "false",
                "1e",
                "E-",
                "0.",
                "-",
                "\\u00",
                "\\ud83d\\ude00",
                "\\\"",
                "\\\\",
                "\\\\x",
                "é",
                "2026-01-31",
                "T10:00:00.123+01:00",
                "P1DT2H",
                "\\n",
                "\\t",
                "00112233-4455-6677-8899-aabbccddeeff"));
        for (var column : COLUMNS) words.add("\"" + column.name() + "\":");
        return words;
    }

    @Override
    public void take(byte[] input) {
        var reference = Json.read(input);
        for (var encoder : encoders) held(encoder, input, reference);
    }

    private void held(RowEncoder encoder, byte[] input, Json.@Nullable Found reference) {
        var row = new FuzzedRow(encoder, input);
        switch (row.said()) {
            case Encoded.Written() -> {
                if (reference == null || !(reference.json() instanceof Json.Members(var members)))
                    throw new AssertionError("a row of what is no object");
                var values = FuzzedCopy.row(row.bytes());
                assertThat(values).hasSameSizeAs(COLUMNS);
                for (var i = 0; i < values.size(); i++) {
                    var column = COLUMNS.get(i);
                    var json = members.getOrDefault(column.name(), new Json.Nothing());
                    var value = values.get(i);
                    if (value == null) assertThat(json).isEqualTo(new Json.Nothing());
                    else held(column.fit(), value, json);
                    if (value != null && encoder.equals(encoders.get(1)))
                        assertThat(value.chars().allMatch(c -> c <= 0xFF)).isTrue();
                }
            }
            case Encoded.Poison(var reason, var detail) -> {
                assertThat(FuzzedRow.REASONS).contains(reason);
                assertThat(detail).matches(DETAIL);
                if (reference == null) return;
                assertThat(FuzzedRow.BROKEN).as("of good JSON").doesNotContain(reason);
                assertThat(reason.equals(Fault.NOT_AN_OBJECT.reason()))
                        .isNotEqualTo(reference.json() instanceof Json.Members);
            }
            case Encoded.Skipped(var reason) -> throw new AssertionError("skipped: " + reason);
        }
        assertThat(Arrays.equals(input, row.input()))
                .as("the record is as it was")
                .isTrue();
    }

    private static void held(Fit fit, String value, Json json) {
        if (!fit.array()) {
            one(fit.kind(), value, json);
            return;
        }
        if (!(json instanceof Json.Listed(var given))) throw new AssertionError("an array was made of " + json);
        var elements = FuzzedCopy.elements(value);
        assertThat(elements).hasSameSizeAs(given);
        for (var i = 0; i < given.size(); i++) {
            var element = elements.get(i);
            if (element == null) assertThat(given.get(i)).isEqualTo(new Json.Nothing());
            else one(fit.kind(), element, given.get(i));
        }
    }

    private static void one(Fit.Kind kind, String value, Json json) {
        switch (kind) {
            case SMALLINT, INTEGER, BIGINT -> {
                assertThat(value).matches("-?[0-9]+");
                number(value, json);
            }
            case NUMERIC, REAL, DOUBLE -> number(value, json);
            case BOOLEAN -> assertThat(json).isEqualTo(new Json.Truth(value.equals("true")));
            case JSON, JSONB -> {
                var again = Json.read(value.getBytes(java.nio.charset.StandardCharsets.UTF_8));
                if (again == null) throw new AssertionError("no JSON: " + value);
                assertThat(again.json()).isEqualTo(json);
            }
            case BYTEA -> {
                assertThat(value).startsWith("\\x");
                assertThat(HexFormat.of().parseHex(value.substring(2).toLowerCase(Locale.ROOT)))
                        .isEqualTo(
                                HexFormat.of().parseHex(text(json).substring(2).toLowerCase(Locale.ROOT)));
            }
            case TEXT, CHAR, NAME, OTHER, UUID, DATE, TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ, INTERVAL ->
                assertThat(value).isEqualTo(text(json));
            case NONE -> throw new AssertionError("a value for a column of no kind: " + value);
        }
    }

    private static void number(String value, Json json) {
        if (!(json instanceof Json.Numeral(var text))) throw new AssertionError("a number was made of " + json);
        assertThat(value).isEqualTo(text.equals(value) ? text : new BigDecimal(text).signum() == 0 ? "0" : whole(text));
    }

    private static String whole(String text) {
        return new BigDecimal(text).toBigIntegerExact().toString();
    }

    private static String text(Json json) {
        if (json instanceof Json.Text(var text)) return text;
        throw new AssertionError("a text was made of " + json);
    }
}
