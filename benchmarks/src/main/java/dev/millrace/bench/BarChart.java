package dev.millrace.bench;

import java.util.List;
import java.util.stream.Collectors;

/// Bars that lie, one for each arm: the median, and across its end a line from the least to the most.
///
/// @param format of a figure, such as `%.2f`
record BarChart(String title, String unit, String format, List<Bar> bars) {
    /// @param reference drawn in grey: what others are held against
    record Bar(String label, Figures figures, boolean reference) {}

    private static final int WIDTH = 960;

    /// Of one letter, about.
    private static final double LETTER = 7.0;

    private static final int RIGHT = 190;
    private static final int TOP = 56;
    private static final int BOTTOM = 34;
    private static final int PITCH = 30;
    private static final int THICK = 18;
    private static final int TICK = 5;

    BarChart {
        bars = List.copyOf(bars);
        if (bars.isEmpty()) throw new IllegalArgumentException("no bar, no chart");
    }

    String svg() {
        var height = TOP + bars.size() * PITCH + BOTTOM;
        var svg = new Svg(WIDTH, height, title, description());
        var most = bars.stream().mapToDouble(bar -> bar.figures().max()).max().orElse(0);
        var left = 32
                + LETTER
                        * bars.stream()
                                .mapToInt(bar -> bar.label().length())
                                .max()
                                .orElse(0);
        var axis = Axis.upTo(most, WIDTH - left - RIGHT);
        svg.words(Svg.PLAIN, "start", 16, 26, title);
        svg.words(Svg.MUTED, "start", 16, 46, unit + ": median, and the least and most of the rounds");
        for (var mark : axis.marks()) {
            var x = left + axis.place(mark);
            svg.line(Svg.GRID, x, TOP, x, height - BOTTOM);
            svg.words(Svg.MUTED, "middle", x, height - BOTTOM + 18, axis.text(mark));
        }
        for (var i = 0; i < bars.size(); i++)
            draw(svg, left, axis, bars.get(i), TOP + i * PITCH + (PITCH - THICK) / 2.0);
        return svg.text();
    }

    private void draw(Svg svg, double left, Axis axis, Bar bar, double y) {
        var figures = bar.figures();
        var middle = y + THICK / 2.0;
        svg.words(Svg.PLAIN, "end", left - 10, middle + 4.5, bar.label());
        svg.rectangle(bar.reference() ? Svg.REFERENCE : Svg.BAR, left, y, axis.place(figures.median()), THICK);
        var least = left + axis.place(figures.min());
        var most = left + axis.place(figures.max());
        svg.line(Svg.SPREAD, least, middle, most, middle);
        svg.line(Svg.SPREAD, least, middle - TICK, least, middle + TICK);
        svg.line(Svg.SPREAD, most, middle - TICK, most, middle + TICK);
        svg.words(Svg.MUTED, "start", most + 10, middle + 4.5, figures.text(format));
    }

    private String description() {
        return unit + ", median (least .. most): "
                + bars.stream()
                        .map(bar -> bar.label() + " " + bar.figures().text(format))
                        .collect(Collectors.joining("; "));
    }
}
