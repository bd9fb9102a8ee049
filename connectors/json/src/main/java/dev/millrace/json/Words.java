package dev.millrace.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;

/// Words in one order, and which of them a JSON string is. Nothing is allocated to find one.
///
/// Thread ownership: the source thread.
public final class Words {
    private final byte[][] words;
    /// Places of words by their hash, −1 for none.
    private final int[] table;

    private final byte[] room;

    public Words(Collection<String> texts) {
        words = texts.stream()
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        room = new byte[Arrays.stream(words).mapToInt(word -> word.length).max().orElse(0)];
        table = new int[2 * Integer.highestOneBit(Math.max(1, words.length)) * 2];
        Arrays.fill(table, -1);
        for (var place = 0; place < words.length; place++) {
            var slot = slot(words[place], words[place].length);
            while (table[slot] >= 0) slot = (slot + 1) & (table.length - 1);
            table[slot] = place;
        }
    }

    public int size() {
        return words.length;
    }

    /// The place of the string at `openingQuote`, −1 where it is none of the words.
    public int place(byte[] source, int openingQuote) {
        var length = JsonString.utf8(source, openingQuote, room);
        if (length < 0) return -1;
        for (var slot = slot(room, length); table[slot] >= 0; slot = (slot + 1) & (table.length - 1)) {
            var word = words[table[slot]];
            if (Arrays.equals(word, 0, word.length, room, 0, length)) return table[slot];
        }
        return -1;
    }

    private int slot(byte[] bytes, int length) {
        var hash = 0;
        for (var i = 0; i < length; i++) hash = 31 * hash + bytes[i];
        return (hash ^ (hash >>> 16)) & (table.length - 1);
    }
}
