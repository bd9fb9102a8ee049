package dev.millrace.clickhouse;

import dev.millrace.json.IgnoredFields;
import dev.millrace.json.JsonFields;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The cell of each type that rows are typed for: this says which those are.
///
/// `utc`: the servers' own zone is UTC.
record Cells(boolean utc, JsonFields.Unknown unknown, IgnoredFields ignored) {
    private static final Set<String> UTC = Set.of(
            "UTC", "Etc/UTC", "UCT", "Etc/UCT", "Zulu", "Etc/Zulu", "Universal", "Etc/Universal", "GMT", "Etc/GMT");

    /// What may stand in a column of JSON besides typed paths, into which the server forces what it finds.
    private static final Pattern OF_JSON = Pattern.compile("max_dynamic_(paths|types)|SKIP");

    private static final int NANOSECONDS = 9;

    /// Null for a type that no value goes into.
    @Nullable
    Cell of(String type) {
        var tree = TypeTree.of(type);
        return tree == null ? null : of(tree);
    }

    private @Nullable Cell of(TypeTree type) {
        return switch (type.name()) {
            case "Int8" -> new NumberCells.Narrow(1, true);
            case "Int16" -> new NumberCells.Narrow(2, true);
            case "Int32" -> new NumberCells.Narrow(4, true);
            case "Int64" -> new NumberCells.Narrow(8, true);
            case "UInt8" -> new NumberCells.Narrow(1, false);
            case "UInt16" -> new NumberCells.Narrow(2, false);
            case "UInt32" -> new NumberCells.Narrow(4, false);
            case "UInt64" -> new NumberCells.Wide(8, false);
            case "Int128" -> new NumberCells.Either(new NumberCells.Wide(16, true));
            case "Int256" -> new NumberCells.Either(new NumberCells.Wide(32, true));
            case "UInt128" -> new NumberCells.Either(new NumberCells.Wide(16, false));
            case "UInt256" -> new NumberCells.Either(new NumberCells.Wide(32, false));
            case "Decimal" -> new NumberCells.Exact(type.number(0, 10), type.number(1, 0));
            case "Float32" -> new NumberCells.Binary(false);
            case "Float64" -> new NumberCells.Binary(true);
            case "Bool" -> new TextCells.Truth();
            case "String" -> new TextCells.Text();
            case "FixedString" -> new TextCells.Fixed(type.number(0, 1));
            case "UUID" -> new AddressCells.Uuid();
            case "IPv4" -> new AddressCells.Ipv4();
            case "IPv6" -> new AddressCells.Ipv6();
            case "Enum8" -> words(type, 1);
            case "Enum16" -> words(type, 2);
            case "Date" -> TimeCell.date();
            case "Date32" -> TimeCell.date32();
            case "DateTime" -> TimeCell.dateTime(utc(type.word(0)));
            case "DateTime64" ->
                type.number(0, 3) < 0 || type.number(0, 3) > NANOSECONDS
                        ? null
                        : TimeCell.dateTime64(type.number(0, 3), utc(type.word(1)));
            default -> nest(type);
        };
    }

    private @Nullable Cell nest(TypeTree type) {
        var first = type.type(0);
        return switch (type.name()) {
            case "LowCardinality" -> first == null ? null : of(first);
            case "SimpleAggregateFunction" -> {
                var value = type.type(type.parts().size() - 1);
                yield value == null ? null : of(value);
            }
            case "Nullable" -> {
                var value = first == null ? null : of(first);
                yield value == null ? null : new NestCells.OrNull(value);
            }
            case "Array" -> {
                var element = first == null ? null : of(first);
                yield element == null ? null : new NestCells.Listed(element);
            }
            case "Map" -> map(first, type.type(1));
            case "Tuple" -> tuple(type);
            case "Nested" -> {
                var element = tuple(type);
                yield element == null ? null : new NestCells.Listed(element);
            }
            case "JSON" ->
                type.parts().stream()
                                .allMatch(part -> part.label() != null
                                        && OF_JSON.matcher(part.label()).matches())
                        ? new TextCells.Json()
                        : null;
            default -> null;
        };
    }

    private boolean utc(@Nullable String zone) {
        return zone == null ? utc : UTC.contains(zone);
    }

    static boolean isUtc(String zone) {
        return UTC.contains(zone);
    }

    private static Cell words(TypeTree type, int bytes) {
        var numbers = new LinkedHashMap<String, Integer>();
        for (var i = 0; i < type.parts().size(); i++) {
            var word = type.word(i);
            if (word != null) numbers.put(word, type.number(i, 0));
        }
        return new TextCells.Word(numbers, bytes);
    }

    /// A key is a JSON string, whatever its type.
    private @Nullable Cell map(@Nullable TypeTree keys, @Nullable TypeTree values) {
        var value = values == null ? null : of(values);
        var key = keys == null ? null : of(keys);
        if (key == null || value == null) return null;
        return switch (key) {
            case NumberCells.Narrow narrow -> new NestCells.Mapped(new NumberCells.Quoted(narrow), value);
            case NumberCells.Wide wide -> new NestCells.Mapped(new NumberCells.Quoted(wide), value);
            case NumberCells.Either _, TextCells.Text _, TextCells.Fixed _, TextCells.Word _, TimeCell _ ->
                new NestCells.Mapped(key, value);
            case AddressCells.Uuid _, AddressCells.Ipv4 _, AddressCells.Ipv6 _ -> new NestCells.Mapped(key, value);
            default -> null;
        };
    }

    private @Nullable Cell tuple(TypeTree type) {
        var names = new ArrayList<String>();
        var elements = new ArrayList<Cell>();
        for (var part : type.parts()) {
            var element = part.type() == null ? null : of(part.type());
            if (element == null) return null;
            elements.add(element);
            if (part.label() != null) names.add(part.label());
        }
        if (names.isEmpty()) return new NestCells.InOrder(elements);
        return names.size() < elements.size() ? null : new NestCells.ByName(names, elements, unknown, ignored);
    }
}
