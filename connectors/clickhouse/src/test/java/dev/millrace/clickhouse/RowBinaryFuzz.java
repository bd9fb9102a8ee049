package dev.millrace.clickhouse;

import static dev.millrace.clickhouse.FuzzedRowBinary.decimal;
import static dev.millrace.clickhouse.FuzzedRowBinary.listed;
import static dev.millrace.clickhouse.FuzzedRowBinary.orNull;
import static dev.millrace.clickhouse.FuzzedRowBinary.whole;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.clickhouse.TableLayout.Absent;
import dev.millrace.clickhouse.TableLayout.Column;
import dev.millrace.clickhouse.TableLayout.Origin;
import dev.millrace.fuzz.FuzzTarget;
import dev.millrace.fuzz.Json;
import dev.millrace.json.IgnoredFields;
import dev.millrace.json.JsonCheck.Fault;
import dev.millrace.json.JsonFields.Unknown;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Any bytes are a row that a server reads to its end as what the JSON says, or poison for a known reason, which leaves
/// nothing behind. What is no JSON is no row.
final class RowBinaryFuzz implements FuzzTarget {
    private record Made(String name, String type, FuzzedRowBinary.Type read) {}

    private static final List<Made> COLUMNS = List.of(
            new Made("i8", "Int8", whole(1, true, false)),
            new Made("u16", "UInt16", whole(2, false, false)),
            new Made("i64", "Int64", whole(8, true, false)),
            new Made("u64", "UInt64", whole(8, false, false)),
            new Made("i128", "Int128", whole(16, true, true)),
            new Made("u256", "UInt256", whole(32, false, true)),
            new Made("d9", "Decimal(9, 2)", decimal(4, 2, true, false)),
            new Made("d18", "Decimal(18, 18)", decimal(8, 18, true, false)),
            new Made("d76", "Decimal(76, 20)", decimal(32, 20, true, false)),
            new Made("f4", "Float32", FuzzedRowBinary.float32()),
            new Made("f8", "Float64", FuzzedRowBinary.float64()),
            new Made("b", "Bool", FuzzedRowBinary.truth()),
            new Made("s", "String", FuzzedRowBinary.string()),
            new Made("lc", "LowCardinality(Nullable(String))", orNull(FuzzedRowBinary.string())),
            new Made("fs", "FixedString(3)", FuzzedRowBinary.fixed(3)),
            new Made("id", "UUID", FuzzedRowBinary.uuid()),
            new Made("v4", "IPv4", FuzzedRowBinary.ipv4()),
            new Made("v6", "IPv6", FuzzedRowBinary.ipv6()),
            new Made("e", "Enum8('a' = 1, 'é\\n' = -2)", FuzzedRowBinary.word(1, Map.of(1, "a", -2, "é\n"))),
            new Made("da", "Date", FuzzedRowBinary.date(2, false)),
            new Made("da32", "Date32", FuzzedRowBinary.date(4, true)),
            new Made("dt", "DateTime('UTC')", FuzzedRowBinary.moment(4, false, 0)),
            new Made("dt3", "DateTime64(3)", FuzzedRowBinary.moment(8, true, 3)),
            new Made("dt9", "Nullable(DateTime64(9, 'UTC'))", orNull(FuzzedRowBinary.moment(8, true, 9))),
            new Made("ni", "Nullable(Int32)", orNull(whole(4, true, false))),
            new Made("as", "Array(String)", listed(FuzzedRowBinary.string())),
            new Made("aa", "Array(Array(Nullable(UInt8)))", listed(listed(orNull(whole(1, false, false))))),
            new Made(
                    "m", "Map(String, Int16)", FuzzedRowBinary.mapped(FuzzedRowBinary.string(), whole(2, true, false))),
            new Made(
                    "mi",
                    "Map(UInt64, Array(Bool))",
                    FuzzedRowBinary.mapped(whole(8, false, true), listed(FuzzedRowBinary.truth()))),
            new Made(
                    "t",
                    "Tuple(UInt8, String)",
                    FuzzedRowBinary.tuple(whole(1, false, false), FuzzedRowBinary.string())),
            new Made(
                    "tn",
                    "Tuple(a UInt8, b Nullable(String))",
                    FuzzedRowBinary.named(inOrder(whole(1, false, false), orNull(FuzzedRowBinary.string())))),
            new Made(
                    "n",
                    "Nested(a Int8, b Array(Date))",
                    listed(FuzzedRowBinary.named(
                            inOrder(whole(1, true, false), listed(FuzzedRowBinary.date(2, false)))))),
            new Made("j", "JSON", FuzzedRowBinary.json()));

    /// Where, and no payload.
    private static final Pattern DETAIL =
            Pattern.compile("at byte \\d+|in the value for column \\w+|\\w+ is there twice");

    private final Encoders strict = new Encoders(Unknown.REFUSE);
    private final Encoders lenient = new Encoders(Unknown.IGNORE);

    /// An encoder, and another whose columns all need a value.
    private static final class Encoders {
        final RowEncoder marked;
        final RowEncoder needing;

        Encoders(Unknown unknown) {
            marked = encoder(COLUMNS, Absent.DEFAULT, unknown);
            needing = encoder(COLUMNS.subList(0, 2), Absent.REFUSED, unknown);
        }

        private static RowEncoder encoder(List<Made> columns, Absent absent, Unknown unknown) {
            var layout = new TableLayout(
                    columns.stream()
                            .map(made -> new Column(made.name, made.type, new Origin.Field(), absent))
                            .toList(),
                    true,
                    absent == Absent.DEFAULT);
            return layout.encoder(0, unknown, new IgnoredFields(), Set.of());
        }
    }

    private static Map<String, FuzzedRowBinary.Type> inOrder(FuzzedRowBinary.Type a, FuzzedRowBinary.Type b) {
        return new TreeMap<>(Map.of("a", a, "b", b));
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
                "\\u",
                "\\ud83d\\ude00",
                "\\\"",
                "\\\\",
                "é",
                "2026-01-31",
                "T10:00:00.123+01:00",
                "::",
                "255.",
                "00112233-4455"));
        for (var made : COLUMNS) words.add("\"" + made.name + "\":");
        return words;
    }

    @Override
    public void take(byte[] input) {
        var reference = Json.read(input);
        for (var encoders : List.of(strict, lenient)) {
            held(encoders.marked, COLUMNS, true, input, reference);
            held(encoders.needing, COLUMNS.subList(0, 2), false, input, reference);
        }
    }

    private static void held(
            RowEncoder encoder, List<Made> columns, boolean marked, byte[] input, Json.@Nullable Found reference) {
        var row = new FuzzedRow(encoder, input);
        switch (row.said()) {
            case Encoded.Written() -> {
                if (reference == null || !(reference.json() instanceof Json.Members(var members)))
                    throw new AssertionError("a row of what is no object");
                var in = new FuzzedRowBinary(row.bytes());
                for (var column : columns) {
                    var json = members.get(column.name);
                    var absent = marked && in.one() == 1;
                    assertThat(absent).as(column.name).isEqualTo(json == null);
                    if (json != null) column.read.read(in, json);
                }
                assertThat(in.ended()).as("the row ends with its columns").isTrue();
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
}
