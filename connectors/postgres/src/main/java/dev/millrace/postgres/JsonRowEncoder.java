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
import dev.millrace.postgres.TableDescription.Kind;
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
/// Strings as their characters, numbers as they are spelled (no digit is lost, and none is judged), `true`
/// and `false` as such, objects and arrays as their JSON text. A `json` or `jsonb` column gets JSON text of
/// any value. A missing field and `null` are null: a column's default is never taken.
///
/// The parser finds where each field's value begins; the bytes then go from the record to the row, in the
/// columns' order, without a string between.
///
/// Thread ownership: the source thread.
final class JsonRowEncoder implements RowEncoder {
    private static final int DEEPEST = 64;
    private static final int LONGEST_NUMBER = 1000;

    private static final Encoded.Poison NULL_VALUE = new Encoded.Poison("null_value", "the record has no value");
    private static final Encoded.Poison EMPTY = new Encoded.Poison("empty_value", "nothing but white space");

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

    /// Where the value of each column begins, −1 for none, and where it ends if it is an object or an array.
    private final int[] starts;

    private final int[] ends;

    JsonRowEncoder(TableDescription table, UnknownFields unknownFields) {
        columns = table.columns().toArray(Column[]::new);
        for (var i = 0; i < columns.length; i++) positions.put(columns[i].name(), i);
        this.unknownFields = unknownFields;
        starts = new int[columns.length];
        ends = new int[columns.length];
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
        if (bad >= 0) return new Encoded.Poison(source[bad] == 0 ? JsonString.NUL : "bad_utf8", at(bad - from));
        var first = from;
        while (first < from + length && blank(source[first])) first++;
        if (first == from + length) return EMPTY;
        if (source[first] != '{') return new Encoded.Poison("not_an_object", at(first - from));
        Arrays.fill(starts, -1);
        try (var parser = json.createParser(source, from, length)) {
            return fields(parser, from);
        } catch (StreamConstraintsException _) {
            return new Encoded.Poison("too_deep", "more than " + DEEPEST + " levels");
        } catch (JsonEOFException _) {
            return new Encoded.Poison("truncated", at(length));
        } catch (com.fasterxml.jackson.core.JsonProcessingException failure) {
            var where = failure.getLocation();
            return new Encoded.Poison("malformed_json", at(where == null ? -1 : where.getByteOffset()));
        } catch (IOException | RuntimeException failure) {
            // Nothing was put yet, so this is about the value, whatever it is.
            return new Encoded.Poison("malformed_json", failure.getClass().getSimpleName());
        }
    }

    private Encoded.@Nullable Poison fields(JsonParser parser, int from) throws IOException {
        parser.nextToken();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            var position = positions.get(parser.currentName());
            if (position == null && unknownFields == UnknownFields.REFUSE)
                return new Encoded.Poison(
                        "unknown_field", at(parser.currentTokenLocation().getByteOffset()));
            var token = parser.nextToken();
            if (position == null) {
                parser.skipChildren();
                continue;
            }
            if (starts[position] >= 0)
                return new Encoded.Poison("duplicate_field", columns[position].name() + " is there twice");
            starts[position] = from + (int) parser.currentTokenLocation().getByteOffset();
            if (token == JsonToken.START_OBJECT || token == JsonToken.START_ARRAY) {
                parser.skipChildren();
                ends[position] = from + (int) parser.currentLocation().getByteOffset();
            }
        }
        return parser.nextToken() == null
                ? null
                : new Encoded.Poison(
                        "trailing", at(parser.currentTokenLocation().getByteOffset()));
    }

    private @Nullable String put(byte[] source, int position, RowBuffer row) {
        var start = starts[position];
        if (start < 0 || source[start] == 'n') {
            CopyText.putNull(row);
            return null;
        }
        var kind = columns[position].kind();
        return switch (source[start]) {
            case '"' ->
                kind == Kind.JSON || kind == Kind.JSONB
                        ? putJson(source, start, JsonString.end(source, start), kind, row)
                        : JsonString.put(source, start, row);
            case '{', '[' -> putJson(source, start, ends[position], kind, row);
            case 't' -> putWord("true", row);
            case 'f' -> putWord("false", row);
            default -> putNumber(source, start, row);
        };
    }

    private static @Nullable String putJson(byte[] source, int from, int to, Kind kind, RowBuffer row) {
        var reason = kind == Kind.JSONB ? JsonString.refusedByJsonb(source, from, to) : null;
        if (reason == null) CopyText.putText(source, from, to, row);
        return reason;
    }

    private static @Nullable String putWord(String word, RowBuffer row) {
        row.putAscii(word);
        return null;
    }

    private static @Nullable String putNumber(byte[] source, int from, RowBuffer row) {
        var to = from;
        while (numeric(source[to])) to++;
        if (to - from > LONGEST_NUMBER) return "number_too_long";
        row.put(source, from, to - from);
        return null;
    }

    /// A number stands before a comma, a brace or white space: the object that holds it is closed.
    private static boolean numeric(byte b) {
        return (b >= '0' && b <= '9') || b == '-' || b == '+' || b == '.' || b == 'e' || b == 'E';
    }

    private static boolean blank(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }

    private static String at(long offset) {
        return "at byte " + offset;
    }
}
