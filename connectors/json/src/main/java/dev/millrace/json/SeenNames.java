package dev.millrace.json;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The names that one JSON object has used so far. Emptied and used again, so that nothing is
/// allocated for an object.
///
/// Thread ownership: the source thread.
final class SeenNames {
    private static final int ROOM = 16;
    private static final int KEPT_ROOM = 4096;

    private @Nullable String[] table = new @Nullable String[ROOM];
    private int size;

    /// Whether it is new.
    boolean add(String name) {
        if (2 * size >= table.length) grow();
        if (!put(name)) return false;
        size++;
        return true;
    }

    private boolean put(String name) {
        var hash = name.hashCode();
        var place = (hash ^ (hash >>> 16)) & (table.length - 1);
        for (var there = table[place]; there != null; there = table[place]) {
            if (there.equals(name)) return false;
            place = (place + 1) & (table.length - 1);
        }
        table[place] = name;
        return true;
    }

    private void grow() {
        var before = table;
        table = new @Nullable String[2 * before.length];
        for (var name : before) if (name != null) put(name);
    }

    void clear() {
        if (size == 0) return;
        size = 0;
        if (table.length > KEPT_ROOM) table = new @Nullable String[ROOM];
        else Arrays.fill(table, null);
    }
}
