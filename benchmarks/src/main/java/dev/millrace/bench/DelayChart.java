package dev.millrace.bench;

import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/// How many rows took how long: a bar for each slice of time up to the delay within which 99.9 % of the rows are, and
/// a line at three percentiles.
record DelayChart(String title, Histogram micros) {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 320;
    private static final int LEFT = 70;
    private static final int RIGHT = 40;
    private static final int TOP = 84;
    private static final int BOTTOM = 48;
    private static final int SLICES = 60;
    private static final double MICROS_PER_MILLI = 1000;
    private static final List<Double> PERCENTILES = List.of(50.0, 99.0, 99.9);

    String svg() {
        var svg = new Svg(WIDTH, HEIGHT, title, description());
        var across = Axis.upTo(millis(99.9) * 1.02, WIDTH - LEFT - RIGHT);
        var slice = across.step() * across.steps() / SLICES;
        var shares = new double[SLICES];
        var most = 0.0;
        for (var n = 0; n < SLICES; n++) {
            shares[n] = share(n * slice, (n + 1) * slice);
            most = Math.max(most, shares[n]);
        }
        var up = Axis.upTo(most, HEIGHT - TOP - BOTTOM);
        var ground = HEIGHT - BOTTOM;
        svg.words(Svg.PLAIN, "start", 16, 26, title);
        svg.words(Svg.MUTED, "start", 16, 46, "% of the rows in each slice of " + number(slice) + " ms");
        for (var mark : up.marks()) {
            svg.line(Svg.GRID, LEFT, ground - up.place(mark), WIDTH - RIGHT, ground - up.place(mark));
            svg.words(Svg.MUTED, "end", LEFT - 8, ground - up.place(mark) + 4.5, up.text(mark));
        }
        for (var n = 0; n < SLICES; n++)
            svg.rectangle(
                    Svg.BAR,
                    LEFT + across.place(n * slice),
                    ground - up.place(shares[n]),
                    across.place(slice) - 1,
                    up.place(shares[n]));
        for (var mark : across.marks())
            svg.words(Svg.MUTED, "middle", LEFT + across.place(mark), ground + 18, across.text(mark));
        svg.words(Svg.MUTED, "middle", LEFT + across.length() / 2, ground + 38, "ms from poll to durable");
        for (var i = 0; i < PERCENTILES.size(); i++) {
            var x = LEFT + across.place(millis(PERCENTILES.get(i)));
            // One below the other: they may lie close.
            var y = TOP - 22 + 16.0 * i;
            svg.line(Svg.SPREAD, x, y - 10, x, ground);
            svg.words(Svg.PLAIN, "end", x - 5, y, percentile(PERCENTILES.get(i)));
        }
        return svg.text();
    }

    /// In percent of all rows, of those that took from so many milliseconds to so many.
    private double share(double from, double to) {
        var low = (long) (from * MICROS_PER_MILLI);
        var high = Math.max(low, (long) (to * MICROS_PER_MILLI) - 1);
        return 100.0 * micros.getCountBetweenValues(low, high) / Math.max(1, micros.getTotalCount());
    }

    private double millis(double percentile) {
        return micros.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }

    private String percentile(double percentile) {
        return "p" + number(percentile) + " " + number(millis(percentile)) + " ms";
    }

    private static String number(double value) {
        var digits = value == Math.rint(value) || value >= 100 ? "%,.0f" : "%.1f";
        return String.format(Locale.ROOT, digits, value);
    }

    private String description() {
        return String.format(Locale.ROOT, "%,d rows: ", micros.getTotalCount())
                + String.join(", ", PERCENTILES.stream().map(this::percentile).toList());
    }
}
