package dev.millrace.fuzz;

import java.util.Arrays;

/// Makes an input that shows a fault shorter, as long as it shows one of the same kind at the same place.
final class Shrinking {
    private static final int MOST_TRIES = 20_000;

    private final FuzzTarget target;
    private final String fault;
    private int tries;

    Shrinking(FuzzTarget target, Throwable fault) {
        this.target = target;
        this.fault = kind(fault);
    }

    byte[] least(byte[] input) {
        var least = input;
        for (var piece = Math.max(1, input.length / 2); piece > 0; piece /= 2) {
            for (var from = 0; from < least.length && tries < MOST_TRIES; ) {
                var without = without(least, from, Math.min(least.length, from + piece));
                if (shows(without)) least = without;
                else from += piece;
            }
        }
        return least;
    }

    private static byte[] without(byte[] input, int from, int to) {
        var without = Arrays.copyOf(input, input.length - (to - from));
        System.arraycopy(input, to, without, from, input.length - to);
        return without;
    }

    private boolean shows(byte[] input) {
        tries++;
        try {
            target.take(input.clone());
            return false;
        } catch (Throwable thrown) {
            return kind(thrown).equals(fault);
        }
    }

    /// What was thrown, and from where in our own code: the message tells of the input.
    private static String kind(Throwable thrown) {
        for (var frame : thrown.getStackTrace())
            if (frame.getClassName().startsWith("dev.millrace."))
                return thrown.getClass().getName() + " at " + frame;
        return thrown.getClass().getName();
    }
}
