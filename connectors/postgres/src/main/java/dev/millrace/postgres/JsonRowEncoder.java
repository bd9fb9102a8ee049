package dev.millrace.postgres;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import dev.millrace.postgres.PostgresSettings.UnknownFields;
import dev.millrace.postgres.TableDescription.Column;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A JSON object as a row of COPY text: top-level fields to columns of the same name.
///
/// A value goes into its column only if the column keeps it as it is: see [Fit]. Else the row is poison, for a
/// reason of [Reasons]; nothing is coerced. A missing field and `null` are null, a column's default is never taken;
/// where the column takes no null, they are poison.
///
/// The parser finds where each field's value begins; the bytes then go from the record to the row, in the
/// columns' order, without a string between.
///
/// Thread ownership: the source thread.
final class JsonRowEncoder implements RowEncoder {
    private static final int DEEPEST = 64;

    private static final Encoded.Poison NULL_VALUE = new Encoded.Poison(Reasons.NULL_VALUE, "the record has no value");
    private static final Encoded.Poison EMPTY = new Encoded.Poison(Reasons.EMPTY_VALUE, "nothing but white space");

    private final JsonFactory json = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            // Depth is the one limit of the parser's: what else is long is bounded by the record.
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private final Column[] columns;
    private final Map<String, Integer> positions = new HashMap<>();
    private final UnknownFields unknownFields;

    private final IgnoredFields ignored;
    private final JsonValue value;

    /// Where the value of each column begins, −1 for none.
    private final int[] starts;

    /// The names in each open object of a `jsonb` value.
    private final SeenNames[] seen = new SeenNames[DEEPEST];

    JsonRowEncoder(TableDescription table, UnknownFields unknownFields, IgnoredFields ignored) {
        columns = table.columns().toArray(Column[]::new);
        for (var i = 0; i < columns.length; i++) positions.put(columns[i].name(), i);
        this.unknownFields = unknownFields;
        this.ignored = ignored;
        value = new JsonValue(table.encoding());
        starts = new int[columns.length];
    }

    @Override
    public Encoded encode(RecordView record, RowBuffer row) {
        var length = record.valueLength();
        if (length < 0) return NULL_VALUE;
        var source = record.valueArray();
        var from = record.valueFrom();
        var poison = locate(source, from, length);
        if (poison != null) return poison;
        for (var i = 0; i < columns.length; i++) {
            if (i > 0) row.put(CopyText.TAB);
            var reason = put(source, i, row);
            if (reason != null) return new Encoded.Poison(reason, "in the value for column " + columns[i].name());
        }
        row.put(CopyText.END);
        return Encoded.WRITTEN;
    }

    private Encoded.@Nullable Poison locate(byte[] source, int from, int length) {
        var bad = Utf8Text.firstBad(source, from, length);
        if (bad >= 0) return new Encoded.Poison(source[bad] == 0 ? Reasons.NUL : Reasons.BAD_UTF8, at(bad - from));
        var first = from;
        while (first < from + length && blank(source[first])) first++;
        if (first == from + length) return EMPTY;
        if (source[first] != '{') return new Encoded.Poison(Reasons.NOT_AN_OBJECT, at(first - from));
        Arrays.fill(starts, -1);
        try (var parser = json.createParser(source, from, length)) {
            return fields(parser, from);
        } catch (StreamConstraintsException _) {
            return new Encoded.Poison(Reasons.TOO_DEEP, "more than " + DEEPEST + " levels");
        } catch (JsonEOFException _) {
            return new Encoded.Poison(Reasons.TRUNCATED, at(length));
        } catch (com.fasterxml.jackson.core.JsonProcessingException failure) {
            var where = failure.getLocation();
            return new Encoded.Poison(Reasons.MALFORMED_JSON, at(where == null ? -1 : where.getByteOffset()));
        } catch (IOException | RuntimeException failure) {
            // Nothing was put yet, so this is about the value, whatever it is.
            return new Encoded.Poison(Reasons.MALFORMED_JSON, failure.getClass().getSimpleName());
        }
    }

    private Encoded.@Nullable Poison fields(JsonParser parser, int from) throws IOException {
        parser.nextToken();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            var name = parser.currentName();
            var position = positions.get(name);
            if (position == null && unknownFields == UnknownFields.REFUSE)
                return new Encoded.Poison(
                        Reasons.UNKNOWN_FIELD, at(parser.currentTokenLocation().getByteOffset()));
            parser.nextToken();
            if (position == null) {
                ignored.count(name);
                parser.skipChildren();
                continue;
            }
            var column = columns[position];
            if (starts[position] >= 0)
                return new Encoded.Poison(Reasons.DUPLICATE_KEY, column.name() + " is there twice");
            starts[position] = from + (int) parser.currentTokenLocation().getByteOffset();
            if (column.fit().kind() != Fit.Kind.JSONB) parser.skipChildren();
            else if (keyTwice(parser))
                return new Encoded.Poison(Reasons.DUPLICATE_KEY, "in the value for column " + column.name());
        }
        return parser.nextToken() == null
                ? null
                : new Encoded.Poison(
                        Reasons.TRAILING, at(parser.currentTokenLocation().getByteOffset()));
    }

    /// Goes over the current value like `skipChildren`. Whether an object in it has a key twice, of which `jsonb` would
    /// keep the last without a word.
    private boolean keyTwice(JsonParser parser) throws IOException {
        if (!parser.currentToken().isStructStart()) return false;
        var depth = 0;
        enter(depth);
        while (depth >= 0) {
            var token = parser.nextToken();
            if (token == null) return false;
            if (token == JsonToken.FIELD_NAME) {
                if (!seen[depth].add(parser.currentName())) return true;
            } else if (token.isStructStart()) {
                enter(++depth);
            } else if (token.isStructEnd()) {
                depth--;
            }
        }
        return false;
    }

    private void enter(int depth) {
        if (seen[depth] == null) seen[depth] = new SeenNames();
        else seen[depth].clear();
    }

    private @Nullable String put(byte[] source, int position, RowBuffer row) {
        var column = columns[position];
        var start = starts[position];
        if (start >= 0 && source[start] != 'n') return value.put(source, start, column.fit(), row);
        if (column.required()) return start < 0 ? Reasons.MISSING : Reasons.NULL;
        CopyText.putNull(row);
        return null;
    }

    private static boolean blank(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }

    private static String at(long offset) {
        return "at byte " + offset;
    }
}
