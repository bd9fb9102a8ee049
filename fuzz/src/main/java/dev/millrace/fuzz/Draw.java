package dev.millrace.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// An input read as choices: numbers, texts, yes and no. Behind its end everything is 0 and empty, so that every input
/// means something, and a short one something small.
public final class Draw {
    private final byte[] input;
    private int at;

    public Draw(byte[] input) {
        this.input = input.clone();
    }

    public boolean ended() {
        return at >= input.length;
    }

    private int next() {
        return ended() ? 0 : input[at++] & 0xFF;
    }

    /// From 0 on. Up to 256 takes one byte, more takes two.
    public int below(int bound) {
        var drawn = bound <= 256 ? next() : next() << Byte.SIZE | next();
        return drawn % bound;
    }

    public boolean yes() {
        return (next() & 1) != 0;
    }

    /// Of one to eight bytes, the first of which says how many: small ones are as near as large ones.
    public long number() {
        var number = 0L;
        for (var left = next() % (Long.BYTES + 1); left > 0; left--) number = number << Byte.SIZE | next();
        return number;
    }

    /// The same from 0 to [Long#MAX_VALUE].
    public long natural() {
        return number() & Long.MAX_VALUE;
    }

    /// At most `most` of them, after a byte that says how many.
    public byte[] bytes(int most) {
        var length = Math.min(most, next());
        var from = at;
        at = Math.min(input.length, from + length);
        return Arrays.copyOfRange(input, from, at);
    }

    /// Bytes that are read as UTF-8, whatever they are.
    public String text(int most) {
        return new String(bytes(most), StandardCharsets.UTF_8);
    }

    /// All that is left.
    public byte[] rest() {
        var rest = Arrays.copyOfRange(input, at, input.length);
        at = input.length;
        return rest;
    }
}
