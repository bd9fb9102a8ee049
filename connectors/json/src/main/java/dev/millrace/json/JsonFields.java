package dev.millrace.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Where the value of each known field begins in a record that is one JSON object.
///
/// Checked on the way are encoding, grammar, depth, names that come twice and names that nobody knows:
/// what passes may be read from its bytes without another look at these.
///
/// Thread ownership: the source thread.
public final class JsonFields {
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

    private final Field[] fields;
    private final Map<String, Integer> positions = new HashMap<>();
    private final Unknown unknown;
    private final IgnoredFields ignored;
    private final Set<String> gone;

    /// A field of these that the record has that was looked at last.
    private @Nullable String lost;

    /// Where the value of each field begins, −1 for none.
    private final int[] starts;

    /// The names in each open object of a value whose names must differ.
    private final SeenNames[] seen = new SeenNames[DEEPEST];

    /// A field that is known. `uniqueInside`: an object in its value may have no key twice.
    public record Field(String name, boolean uniqueInside) {}

    /// What a field without a place is.
    public enum Unknown {
        /// Poison.
        REFUSE,
        /// Left out, and counted.
        IGNORE
    }

    /// `ignored` counts what is left out. `gone` are fields that had a place before: under
    /// [Unknown#REFUSE] a record with one waits for it.
    public JsonFields(List<Field> fields, Unknown unknown, IgnoredFields ignored, Set<String> gone) {
        // What is left out needs no column.
        this.gone = unknown == Unknown.REFUSE ? Set.copyOf(gone) : Set.of();
        this.fields = fields.toArray(Field[]::new);
        for (var i = 0; i < this.fields.length; i++) positions.put(this.fields[i].name(), i);
        this.unknown = unknown;
        this.ignored = ignored;
        starts = new int[this.fields.length];
    }

    /// Looks at a record. Null if it may become a row, else why not.
    public Encoded.@Nullable Poison locate(RecordView record) {
        var length = record.valueLength();
        return length < 0 ? NULL_VALUE : locate(record.valueArray(), record.valueFrom(), length);
    }

    /// Where the value of this field begins in the array that was looked at last, −1 where it has none.
    public int start(int field) {
        return starts[field];
    }

    private Encoded.@Nullable Poison locate(byte[] source, int from, int length) {
        var bad = Utf8Text.firstBad(source, from, length);
        if (bad >= 0) return new Encoded.Poison(source[bad] == 0 ? Reasons.NUL : Reasons.BAD_UTF8, at(bad - from));
        var first = from;
        while (first < from + length && JsonText.blank(source[first])) first++;
        if (first == from + length) return EMPTY;
        if (source[first] != '{') return new Encoded.Poison(Reasons.NOT_AN_OBJECT, at(first - from));
        Arrays.fill(starts, -1);
        try (var parser = json.createParser(source, from, length)) {
            return fields(parser, from);
        } catch (StreamConstraintsException _) {
            return new Encoded.Poison(Reasons.TOO_DEEP, "more than " + DEEPEST + " levels");
        } catch (JsonEOFException _) {
            return new Encoded.Poison(Reasons.TRUNCATED, at(length));
        } catch (JsonProcessingException failure) {
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
            if (position == null && unknown == Unknown.REFUSE)
                return unknown(name, parser.currentTokenLocation().getByteOffset());
            parser.nextToken();
            if (position == null) {
                ignored.count(name);
                parser.skipChildren();
                continue;
            }
            var field = fields[position];
            if (starts[position] >= 0)
                return new Encoded.Poison(Reasons.DUPLICATE_KEY, field.name() + " is there twice");
            starts[position] = from + (int) parser.currentTokenLocation().getByteOffset();
            if (!field.uniqueInside()) parser.skipChildren();
            else if (keyTwice(parser))
                return new Encoded.Poison(Reasons.DUPLICATE_KEY, "in the value for column " + field.name());
        }
        return parser.nextToken() == null
                ? null
                : new Encoded.Poison(
                        Reasons.TRAILING, at(parser.currentTokenLocation().getByteOffset()));
    }

    private Encoded.Poison unknown(String name, long offset) {
        if (gone.contains(name)) lost = name;
        return new Encoded.Poison(Reasons.UNKNOWN_FIELD, at(offset));
    }

    /// What a record waits for: the first of its fields without a place had one before. Null for any other record, and
    /// asked of each record at little cost where no field lost its place.
    public @Nullable String waitsFor(RecordView record) {
        if (gone.isEmpty()) return null;
        lost = null;
        var _ = locate(record);
        return lost == null
                ? null
                : "the record has the field " + lost + ", and the column of that name is gone: put it back, or restart,"
                        + " which sets such records aside, or leaves the field out with unknown_fields: ignore";
    }

    /// Goes over the current value like `skipChildren`. Whether an object in it has a key twice, of which
    /// a store would keep one without a word.
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

    private static String at(long offset) {
        return "at byte " + offset;
    }
}
