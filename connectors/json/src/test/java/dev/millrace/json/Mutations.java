package dev.millrace.json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/// JSON objects, good ones and ones with a few bytes changed.
final class Mutations {
    private static final String[] PIECES = {
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "0", "1", "-", ".", "e", "E+", "true",
        "fals", "null", "NaN", " ", "\n", "\t", "é", "€", "😀", "\u0001", "a", "{}", "\"a\":", "\u007f"
    };

    private Mutations() {}

    static byte[] mutated(Random random) {
        var text = new StringBuilder();
        object(random, text, 0);
        var bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        for (var changes = random.nextInt(4); changes > 0; changes--) bytes = changed(random, bytes);
        return bytes;
    }

    /// One object, and what comes of it with a few bytes changed each time: most have the same members.
    static List<byte[]> alike(Random random, int count) {
        var text = new StringBuilder();
        object(random, text, 0);
        var first = text.toString().getBytes(StandardCharsets.UTF_8);
        var all = new ArrayList<byte[]>();
        for (var i = 0; i < count; i++) {
            var bytes = first;
            for (var changes = random.nextInt(3); changes > 0; changes--) bytes = changed(random, bytes);
            all.add(bytes);
        }
        return all;
    }

    private static byte[] changed(Random random, byte[] bytes) {
        if (bytes.length == 0) return bytes;
        var at = random.nextInt(bytes.length);
        return switch (random.nextInt(5)) {
            case 0 -> Arrays.copyOf(bytes, at);
            case 1 -> replaced(bytes, at, (byte) random.nextInt(256));
            case 2 -> joined(bytes, at, new byte[0], at + 1);
            case 3 -> joined(bytes, at, piece(random), at);
            default -> joined(bytes, at, piece(random), at + 1);
        };
    }

    private static byte[] piece(Random random) {
        return PIECES[random.nextInt(PIECES.length)].getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] replaced(byte[] bytes, int at, byte by) {
        var copy = bytes.clone();
        copy[at] = by;
        return copy;
    }

    private static byte[] joined(byte[] bytes, int to, byte[] middle, int from) {
        var all = Arrays.copyOf(bytes, to + middle.length + bytes.length - from);
        System.arraycopy(middle, 0, all, to, middle.length);
        System.arraycopy(bytes, from, all, to + middle.length, bytes.length - from);
        return all;
    }

    private static void object(Random random, StringBuilder text, int depth) {
        text.append('{').append(space(random));
        for (var members = random.nextInt(4); members > 0; members--) {
            string(random, text);
            text.append(space(random)).append(':').append(space(random));
            value(random, text, depth + 1);
            if (members > 1) text.append(',').append(space(random));
        }
        text.append('}').append(space(random));
    }

    private static void value(Random random, StringBuilder text, int depth) {
        switch (random.nextInt(depth > 5 ? 5 : 7)) {
            case 0 -> text.append(random.nextBoolean());
            case 1 -> text.append("null");
            case 2 -> text.append(random.nextInt());
            case 3 -> text.append(random.nextDouble() * Math.pow(10, random.nextInt(40) - 20));
            case 4 -> string(random, text);
            case 5 -> object(random, text, depth);
            default -> {
                text.append('[').append(space(random));
                for (var members = random.nextInt(4); members > 0; members--) {
                    value(random, text, depth + 1);
                    if (members > 1) text.append(',');
                }
                text.append(space(random)).append(']');
            }
        }
    }

    private static void string(Random random, StringBuilder text) {
        text.append('"');
        for (var left = random.nextInt(20); left > 0; left--) {
            switch (random.nextInt(12)) {
                case 0 -> text.append("\\n");
                case 1 -> text.append("\\u00e9");
                case 2 -> text.append("€");
                case 3 -> text.append("😀");
                case 4 -> text.append("\\ud83d\\ude00");
                default -> text.append((char) ('a' + random.nextInt(26)));
            }
        }
        text.append('"');
    }

    private static String space(Random random) {
        return random.nextInt(4) == 0 ? " \n" : "";
    }
}
