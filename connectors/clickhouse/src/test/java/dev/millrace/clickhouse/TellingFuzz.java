package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.fuzz.Draw;
import dev.millrace.fuzz.FuzzTarget;
import dev.millrace.json.IgnoredFields;
import dev.millrace.json.JsonFields;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Whatever a server tells of itself, its columns and its rows is read or left, and never thrown over.
final class TellingFuzz implements FuzzTarget {
    private static final List<String> TYPES = List.of(
            "Int8",
            "UInt256",
            "Decimal(9, 2)",
            "Float32",
            "Bool",
            "String",
            "FixedString(3)",
            "UUID",
            "IPv6",
            "Enum8('a' = 1, 'b' = -2)",
            "Date32",
            "DateTime('UTC')",
            "DateTime64(3)",
            "LowCardinality(String)",
            "Nullable(Int8)",
            "Array(String)",
            "Map(String, UInt8)",
            "Tuple(a UInt8, `b c` String)",
            "Nested(a Int8)",
            "SimpleAggregateFunction(sum, Int64)",
            "JSON(max_dynamic_paths=8)",
            "Variant(String)");

    @Override
    public List<String> words() {
        return List.of(
                "zone\t",
                "format\t",
                "count\t",
                "column\t",
                "\t\t\n",
                "DEFAULT",
                "EPHEMERAL",
                "MATERIALIZED",
                "\\t",
                "Array(",
                "Tuple(",
                "Enum8(",
                "'a' = 1",
                "Nullable(",
                "(",
                ")",
                ", ",
                "`",
                "'",
                "-",
                "=",
                "UTC",
                "version\t26.7.2.1\n",
                "engine\tMergeTree\n",
                "window\t",
                "10000",
                "SimpleAggregateFunction(");
    }

    @Override
    public void take(byte[] input) {
        var draw = new Draw(input);
        switch (draw.below(3)) {
            case 0 -> columns(text(draw));
            case 1 -> columns(described(draw));
            default -> lines(draw.rest());
        }
    }

    private static String text(Draw draw) {
        return new String(draw.rest(), StandardCharsets.UTF_8);
    }

    /// As the question is answered, with types and names of any kind.
    private static String described(Draw draw) {
        var count = 1 + draw.below(4);
        var answer = new StringBuilder("zone\tUTC\t\t\ncount\t" + count + "\t\t\n");
        if (draw.yes()) answer.append("format\tx\t\t\n");
        for (var i = 0; i < count; i++) {
            var type = draw.yes() ? TYPES.get(draw.below(TYPES.size())) : draw.text(40);
            if (draw.yes()) type = "Array(".repeat(draw.below(200)) + type;
            var kind = List.of("", "DEFAULT", "EPHEMERAL", "ALIAS").get(draw.below(4));
            answer.append("column\tc" + draw.below(8) + "\t" + type + "\t" + kind + "\n");
        }
        return answer.toString();
    }

    private static void columns(String answer) {
        assertThat(Visit.said(answer)).isNotNull();
        for (var line : Questions.lines(answer)) assertThat(line).isNotEmpty();
        var told = ServerColumns.of(answer);
        if (told == null) return;
        var both = told.and(told);
        if (both != null) assertThat(both).isEqualTo(told);
        switch (told.made("t", Coordinates.NONE, new TreeSet<>())) {
            case ServerColumns.Made.Refused(var reason) -> assertThat(reason).isNotBlank();
            case ServerColumns.Made.Layout(var layout) -> {
                assertThat(layout.header()).isNotEmpty();
                var encoder = layout.encoder(0, JsonFields.Unknown.IGNORE, new IgnoredFields(), Set.of());
                assertThat(Lines.encode(encoder, "{\"c0\":1,\"c1\":\"a\",\"c2\":[],\"c3\":{}}"))
                        .isNotNull();
            }
        }
    }

    private static void lines(byte[] answer) {
        var places = new long[1];
        var read = new PlacesRead((partition, offset) -> {
            assertThat(partition).isNotNegative();
            places[0]++;
        });
        for (var b : answer) read.accept(ByteBuffer.wrap(new byte[] {b}));
        var text = new String(answer, StandardCharsets.ISO_8859_1);
        if (read.whole()) assertThat(text).matches("([0-9]{1,19}\t[0-9]{1,19}\n)*");
        if (read.whole())
            assertThat(places[0]).isEqualTo(text.chars().filter(c -> c == '\n').count());
    }
}
