package dev.millrace.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A linear axis from zero, with marks at round numbers: its length in the picture, the distance of two marks and how
/// many there are after zero.
record Axis(double length, double step, int steps) {
    private static final int MOST_STEPS = 8;

    /// As long as is needed for `most`.
    static Axis upTo(double most, double length) {
        if (!(most > 0) || Double.isInfinite(most)) return new Axis(length, 1, 1);
        var step = Math.pow(10, Math.floor(Math.log10(most / MOST_STEPS)));
        for (var factors = new double[] {2, 2.5, 2}; ; ) {
            for (var factor : factors) {
                if (most / step <= MOST_STEPS) return new Axis(length, step, (int) Math.max(1, Math.ceil(most / step)));
                step *= factor;
            }
        }
    }

    double place(double value) {
        return length * value / (step * steps);
    }

    List<Double> marks() {
        var marks = new ArrayList<Double>();
        for (var n = 0; n <= steps; n++) marks.add(n * step);
        return marks;
    }

    /// As many digits as the distance of two marks needs.
    String text(double mark) {
        var digits = (int) Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
        return String.format(Locale.ROOT, "%,." + digits + "f", mark);
    }
}
