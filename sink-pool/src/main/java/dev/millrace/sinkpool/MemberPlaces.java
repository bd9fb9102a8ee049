package dev.millrace.sinkpool;

import java.util.Arrays;

/// Where the members of a record's value lie, as indexes of its array, in their order. The value is one JSON object
/// (RFC 8259), of at most 64 levels and in UTF-8: who hands this over has looked.
///
/// Filled anew for each record.
///
/// Thread ownership: the source thread.
public final class MemberPlaces {
    private static final int EACH = 5;
    private static final int ROOM = 16 * EACH;
    private static final int KEPT_ROOM = 4096 * EACH;

    private int[] places = new int[ROOM];
    private int count;
    private boolean onSeveralLines;

    /// How many there are.
    public int count() {
        return count;
    }

    /// The opening quote of a member's name.
    public int name(int member) {
        return places[EACH * member];
    }

    /// One past the closing quote of its name.
    public int nameEnd(int member) {
        return places[EACH * member + 1];
    }

    /// Where its value begins.
    public int value(int member) {
        return places[EACH * member + 2];
    }

    /// One past the value, where that is a string without an escape, a number or a word; 0 where it is anything else.
    public int valueEnd(int member) {
        return places[EACH * member + 3];
    }

    /// A number that stands for the spelling of the name: two members that have the same one, from these places, have
    /// the same name. 0 stands for none.
    public int spelling(int member) {
        return places[EACH * member + 4];
    }

    /// No newline and no carriage return stands in the value or around its object.
    public boolean onOneLine() {
        return !onSeveralLines;
    }

    public void clear() {
        count = 0;
        onSeveralLines = false;
        if (places.length > KEPT_ROOM) places = new int[ROOM];
    }

    /// One more. The end of its value is not known yet.
    public void add(int name, int nameEnd, int value, int spelling) {
        var at = EACH * count++;
        if (at == places.length) places = Arrays.copyOf(places, 2 * at);
        places[at] = name;
        places[at + 1] = nameEnd;
        places[at + 2] = value;
        places[at + 3] = 0;
        places[at + 4] = spelling;
    }

    /// Some white space is a newline or a carriage return.
    public void onSeveralLines() {
        onSeveralLines = true;
    }

    /// The end of the last one's value.
    public void ended(int valueEnd) {
        places[EACH * count - 2] = valueEnd;
    }
}
