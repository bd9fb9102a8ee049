package dev.millrace.sinkpool;

import java.util.Arrays;

/// Where the members of a record's value lie, as indexes of its array, in their order. The value is one JSON object
/// (RFC 8259), of at most 64 levels and in UTF-8: who hands this over has looked.
///
/// Filled anew for each record.
///
/// Thread ownership: the source thread.
public final class MemberPlaces {
    private static final int EACH = 3;
    private static final int ROOM = 16 * EACH;
    private static final int KEPT_ROOM = 4096 * EACH;

    private int[] places = new int[ROOM];
    private int used;

    /// How many there are.
    public int count() {
        return used / EACH;
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

    public void clear() {
        used = 0;
        if (places.length > KEPT_ROOM) places = new int[ROOM];
    }

    public void add(int name, int nameEnd, int value) {
        if (used == places.length) places = Arrays.copyOf(places, 2 * used);
        places[used] = name;
        places[used + 1] = nameEnd;
        places[used + 2] = value;
        used += EACH;
    }
}
