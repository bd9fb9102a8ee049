package dev.millrace.bench;

import java.util.Arrays;
import java.util.Locale;

/// One figure of several rounds: the median, and how far the rounds lie apart.
record Figures(double median, double min, double max) {
    static Figures of(double[] rounds) {
        if (rounds.length == 0) throw new IllegalArgumentException("no round, no figure");
        var sorted = rounds.clone();
        Arrays.sort(sorted);
        var middle = sorted.length / 2;
        var median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Figures(median, sorted[0], sorted[sorted.length - 1]);
    }

    String text(String number) {
        return String.format(Locale.ROOT, number + " (" + number + " .. " + number + ")", median, min, max);
    }
}
