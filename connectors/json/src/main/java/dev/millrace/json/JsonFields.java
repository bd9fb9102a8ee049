package dev.millrace.json;

import dev.millrace.sinkpool.MemberPlaces;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Where the value of each known field begins in a record that is one JSON object.
///
/// Looked for on the way are names that come twice and names that nobody knows. Grammar, encoding and depth are
/// checked before, here or by whoever handed over the record: what passes may be read from its bytes without another
/// look at these.
///
/// Thread ownership: the source thread.
public final class JsonFields {
    private static final Encoded.Poison NULL_VALUE = new Encoded.Poison(Reasons.NULL_VALUE, "the record has no value");
    private static final int NONE = -1;

    /// Of a name that has to be escaped: no name stands so.
    private static final byte[] UNLIKELY = {'"'};

    private final Field[] fields;

    /// The name of each field as its bytes stand in most records.
    private final byte[][] spelled;

    /// Its first eight bytes, or all with zeros behind them.
    private final long[] beginnings;

    private final Words names;
    private final Unknown unknown;
    private final IgnoredFields ignored;
    private final Set<String> gone;
    private final JsonCheck check = new JsonCheck();

    /// A field of these that the record has that was looked at last.
    private @Nullable String lost;

    /// Where the value of each field begins, −1 for none.
    private final int[] starts;

    /// One past the value, where that is a scalar without an escape; else 0.
    private final int[] ends;

    /// Which field stood at each place in a record before: it most likely does in the next.
    private final int[] likely;

    /// How its name was spelled, as the places of the members told it.
    private final int[] likelySpelling;

    private @Nullable MemberPlaces told;

    /// The names in each open object of a value whose names must differ.
    private final SeenNames[] seen = new SeenNames[JsonCheck.DEPTH];

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
        this.unknown = unknown;
        this.ignored = ignored;
        names = new Words(fields.stream().map(Field::name).toList());
        spelled = new byte[this.fields.length][];
        beginnings = new long[this.fields.length];
        for (var i = 0; i < spelled.length; i++) {
            var name = this.fields[i].name();
            spelled[i] = name.indexOf('\\') < 0 ? name.getBytes(StandardCharsets.UTF_8) : UNLIKELY;
            beginnings[i] = EightBytes.at(Arrays.copyOf(spelled[i], EightBytes.COUNT), 0);
        }
        starts = new int[this.fields.length];
        ends = new int[this.fields.length];
        likely = new int[this.fields.length];
        likelySpelling = new int[this.fields.length];
        Arrays.fill(likely, NONE);
    }

    /// Looks at a record. Null if it may become a row, else why not.
    public Encoded.@Nullable Poison locate(RecordView record) {
        var length = record.valueLength();
        if (length < 0) return NULL_VALUE;
        var source = record.valueArray();
        var from = record.valueFrom();
        var members = record.members();
        if (members == null) {
            var fault = check.object(source, from, length);
            if (fault != null) return new Encoded.Poison(fault.reason(), at(check.at() - from));
            members = check.members();
        }
        if (members != told) Arrays.fill(likelySpelling, 0);
        told = members;
        Arrays.fill(starts, NONE);
        return fields(source, from, members);
    }

    /// Where the value of this field begins in the array that was looked at last, −1 where it has none.
    public int start(int field) {
        return starts[field];
    }

    /// One past the value of a field that has one, where that is a string without an escape, a number or a word; 0
    /// where it is anything else.
    public int end(int field) {
        return ends[field];
    }

    private Encoded.@Nullable Poison fields(byte[] source, int from, MemberPlaces members) {
        for (var member = 0; member < members.count(); member++) {
            var name = members.name(member);
            var position = position(source, members, member);
            var value = members.value(member);
            if (position == NONE) {
                var text = JsonString.text(source, name);
                if (unknown == Unknown.REFUSE) return unknown(text, name - from);
                ignored.count(text);
            } else {
                var field = fields[position];
                if (starts[position] >= 0)
                    return new Encoded.Poison(Reasons.DUPLICATE_KEY, field.name() + " is there twice");
                starts[position] = value;
                ends[position] = members.valueEnd(member);
                if (field.uniqueInside() && keyTwice(source, value))
                    return new Encoded.Poison(Reasons.DUPLICATE_KEY, "in the value for column " + field.name());
            }
        }
        return null;
    }

    /// Which field has the name of this member.
    private int position(byte[] source, MemberPlaces members, int member) {
        var quote = members.name(member);
        if (member >= likely.length) return names.place(source, quote);
        var guess = likely[member];
        var spelling = members.spelling(member);
        if (spelling != 0 && spelling == likelySpelling[member]) return guess;
        likelySpelling[member] = spelling;
        if (guess != NONE && isSpelled(guess, source, quote + 1, members.nameEnd(member) - 1)) return guess;
        var found = names.place(source, quote);
        likely[member] = found;
        return found;
    }

    private boolean isSpelled(int field, byte[] source, int from, int to) {
        var name = spelled[field];
        if (name.length != to - from) return false;
        if (source.length - from < EightBytes.COUNT) return Arrays.equals(name, 0, name.length, source, from, to);
        var apart = EightBytes.at(source, from) ^ beginnings[field];
        if (name.length < EightBytes.COUNT) return apart << (Long.SIZE - Byte.SIZE * name.length) == 0;
        return apart == 0 && Arrays.equals(name, EightBytes.COUNT, name.length, source, from + EightBytes.COUNT, to);
    }

    private Encoded.Poison unknown(String name, int offset) {
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

    /// Whether an object in the value that begins at `from`, or the value itself, has a key twice, of which a store
    /// would keep one without a word.
    private boolean keyTwice(byte[] source, int from) {
        var depth = 0;
        var at = from;
        do {
            switch (source[at]) {
                case '{', '[' -> {
                    enter(depth++);
                    at++;
                }
                case '}', ']' -> {
                    depth--;
                    at++;
                }
                case '"' -> {
                    var end = JsonString.end(source, at);
                    // Only a name has a colon behind it.
                    var named = depth > 0 && source[JsonText.afterBlank(source, end)] == ':';
                    if (named && !seen[depth - 1].add(JsonString.text(source, at))) return true;
                    at = end;
                }
                default -> at++;
            }
        } while (depth > 0);
        return false;
    }

    private void enter(int depth) {
        if (seen[depth] == null) seen[depth] = new SeenNames();
        else seen[depth].clear();
    }

    private static String at(int offset) {
        return "at byte " + offset;
    }
}
