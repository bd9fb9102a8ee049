package dev.millrace.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What one figure of the suite is to be, and what it is. There are two goals: the first is to be reached, the second
/// is what a spike showed to be within reach.
///
/// @param first NaN for none
/// @param second NaN for none
record Goal(String what, Figures measured, Sense sense, double first, double second) {
    /// Which side of a goal is the good one.
    enum Sense {
        AT_MOST("≤"),
        AT_LEAST("≥");

        private final String sign;

        Sense(String sign) {
            this.sign = sign;
        }
    }

    /// A cell of the table of goals: how many times the loop's CPU seconds for a GB an arm may take, and how many
    /// MB of values a CPU second is to move in the end, 0 where nothing is said of it.
    private record Cell(String group, String arm, double first, double second, double megabytes) {
        /// The same goal as seconds: where a loop is faster than those were that the goals were set by, a factor
        /// would ask for more.
        double added(double times) {
            return (times - 1) * Objects.requireNonNull(LOOP.get(group));
        }
    }

    /// CPU s/GB of the loops that the goals were set by.
    private static final Map<String, Double> LOOP = Map.of("1k", 0.40, "200b", 0.65, "1k-lz4", 0.69, "200b-lz4", 0.92);

    private static final List<Cell> CELLS = List.of(
            new Cell("1k", "raw-blackhole", 1.5, 1.25, 0),
            new Cell("200b", "raw-blackhole", 1.5, 1.25, 0),
            new Cell("1k-lz4", "raw-blackhole", 1.35, 1.15, 0),
            new Cell("200b-lz4", "raw-blackhole", 1.45, 1.25, 0),
            new Cell("1k", "raw-http", 1.9, 1.6, 1500),
            new Cell("200b", "raw-http", 1.8, 1.55, 1000),
            new Cell("1k-lz4", "raw-http", 1.65, 1.45, 0),
            new Cell("200b-lz4", "raw-http", 1.65, 1.45, 0),
            new Cell("1k", "json-blackhole", 3.8, 3.0, 850),
            new Cell("200b", "json-blackhole", 2.5, 2.0, 770),
            new Cell("1k-lz4", "json-blackhole", 2.5, 2.1, 0),
            new Cell("200b-lz4", "json-blackhole", 2.2, 1.8, 0),
            new Cell("1k", "row-binary-blackhole", 4.2, 3.2, 800),
            new Cell("200b", "row-binary-blackhole", 2.8, 2.1, 720),
            new Cell("1k-lz4", "row-binary-blackhole", 2.8, 2.3, 0),
            new Cell("200b-lz4", "row-binary-blackhole", 2.5, 1.9, 0));

    /// From here on a figure needs no digits after the point.
    private static final double LARGE = 20;

    private static final double LEAST_SPEED = 0.8;
    private static final double MOST_GROWTH = 1.3;
    private static final double MOST_FOR_EFFECTIVELY_ONCE = 1.05;
    private static final String GROWN = "growth/p256-s64";
    private static final String SMALL = "growth/p4-s1";
    private static final String DELIVERY = "delivery-12/";
    private static final String ONCE = "-effectively";
    private static final String LEAST = "-at-least";
    private static final String CPU = ": CPU s/GB, times the loop's";
    private static final String ADDED = ": CPU s/GB added to the loop's";

    boolean firstReached() {
        return Double.isNaN(first) || reached(first);
    }

    boolean secondReached() {
        return Double.isNaN(second) || reached(second);
    }

    private boolean reached(double goal) {
        return switch (sense) {
            case AT_MOST -> measured.median() <= goal;
            case AT_LEAST -> measured.median() >= goal;
        };
    }

    String text(double goal) {
        return Double.isNaN(goal) ? "" : sense.sign + " " + number(goal);
    }

    String measuredText() {
        return measured.text(format());
    }

    private String format() {
        return measured.median() >= LARGE ? "%,.0f" : "%.2f";
    }

    private String number(double value) {
        return String.format(Locale.ROOT, format(), value);
    }

    /// Of each arm that a goal is set for, as its group calls it.
    static List<String> paths() {
        return Stream.concat(
                        CELLS.stream().map(cell -> cell.group() + "/" + cell.arm()),
                        Stream.of(
                                GROWN,
                                SMALL,
                                DELIVERY + "postgres" + ONCE,
                                DELIVERY + "postgres" + LEAST,
                                DELIVERY + "blackhole" + ONCE,
                                DELIVERY + "blackhole" + LEAST))
                .toList();
    }

    /// Those of which something was read.
    static List<Goal> of(Results results) {
        var goals = new ArrayList<Goal>();
        for (var cell : CELLS) {
            var one = results.first(cell.group() + "/" + cell.arm());
            if (one == null) continue;
            var reference = one.group().reference(one.arm());
            var title = one.group().title() + ", " + one.arm().title();
            add(
                    goals,
                    title + CPU,
                    results.ratio(one.group(), one.arm(), reference, Measured::cpuPerGigabyte),
                    Sense.AT_MOST,
                    cell.first(),
                    cell.second());
            add(
                    goals,
                    title + ADDED,
                    results.added(one.group(), one.arm(), reference, Measured::cpuPerGigabyte),
                    Sense.AT_MOST,
                    cell.added(cell.first()),
                    cell.added(cell.second()));
            if (cell.arm().equals("raw-blackhole"))
                add(
                        goals,
                        title + ": records/s, times the loop's",
                        results.ratio(one.group(), one.arm(), reference, Measured::rowsPerSecond),
                        Sense.AT_LEAST,
                        LEAST_SPEED,
                        Double.NaN);
            if (cell.megabytes() > 0)
                add(
                        goals,
                        title + ": MB of values for a CPU second",
                        results.figures(one.group(), one.arm(), Measured::megabytesPerCpuSecond),
                        Sense.AT_LEAST,
                        Double.NaN,
                        cell.megabytes());
        }
        pair(
                goals,
                results,
                GROWN,
                SMALL,
                one -> one.reading().cpuNanosPerRow(),
                "256 partitions and 64 shards: CPU for a record, times that of 4 and 1",
                MOST_GROWTH);
        for (var sink : List.of("postgres", "blackhole"))
            pair(
                    goals,
                    results,
                    DELIVERY + sink + ONCE,
                    DELIVERY + sink + LEAST,
                    Measured::cpuPerGigabyte,
                    "effectively once, 12 partitions, "
                            + (sink.equals("postgres") ? Program.JSON_POSTGRES : Program.ROW_BINARY_BLACKHOLE).title()
                            + ": CPU s/GB, times that of at least once",
                    MOST_FOR_EFFECTIVELY_ONCE);
        return goals;
    }

    private static void pair(
            List<Goal> goals,
            Results results,
            String path,
            String overPath,
            ToDoubleFunction<Measured> figure,
            String what,
            double most) {
        var one = results.first(path);
        var over = results.first(overPath);
        if (one == null || over == null) return;
        add(goals, what, results.ratio(one.group(), one.arm(), over.arm(), figure), Sense.AT_MOST, most, Double.NaN);
    }

    private static void add(
            List<Goal> goals, String what, @Nullable Figures measured, Sense sense, double first, double second) {
        if (measured != null) goals.add(new Goal(what, measured, sense, first, second));
    }
}
