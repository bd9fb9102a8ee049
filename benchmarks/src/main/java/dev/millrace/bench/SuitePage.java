package dev.millrace.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// The results of a run as a page with tables, and its pictures.
///
/// Thread ownership: the command's thread.
final class SuitePage {
    private static final double MICROS_PER_MILLI = 1000;

    private final Results results;
    private final Environment environment;
    private final Suite.Extent extent;
    private final double loadAfter;
    private final boolean quick;
    private final StringBuilder out = new StringBuilder();
    private final Map<String, String> pictures = new LinkedHashMap<>();

    SuitePage(Results results, Environment environment, Suite.Extent extent, double loadAfter, boolean quick) {
        this.results = results;
        this.environment = environment;
        this.extent = extent;
        this.loadAfter = loadAfter;
        this.quick = quick;
    }

    /// In Markdown. Once.
    String text() {
        out.append("# What Millrace costs: the suite's results\n\n");
        if (quick) out.append("**Small and cold: this shows that it works, and no figure of it is to be quoted.**\n\n");
        out.append("Written by `").append(environment.command()).append("`, on ");
        out.append(environment.text(loadAfter)).append(".\n");
        out.append(String.format(
                Locale.ROOT,
                "%,d MB of values in a whole topic, %d rounds after %d readings to warm up. Rows were conserved in all %,d"
                        + " readings: and in those that warmed up: else there would be no page.\n\n",
                extent.megabytes(),
                extent.rounds(),
                extent.warmUps(),
                results.all().size()));
        out.append(
                "Figures are medians (least .. most). How it measures, and how to read it: [benchmarks.md](../benchmarks.md)."
                        + " Every reading, to compute with: [suite.csv](suite.csv).\n");
        goals();
        for (var group : results.groups()) {
            if (live(group)) delays(group);
            else costs(group);
        }
        skipped();
        return out.toString();
    }

    /// By file name; complete once `text` was called.
    Map<String, String> pictures() {
        return Map.copyOf(pictures);
    }

    private static boolean live(SuiteGroup group) {
        return group.arms().stream().anyMatch(arm -> arm.twist().live());
    }

    private void goals() {
        var goals = Goal.of(results);
        if (goals.isEmpty()) return;
        heading("Goals");
        row("", "measured", "first goal", "", "second goal", "");
        row("---", "---", "---", "---", "---", "---");
        for (var goal : goals)
            row(
                    goal.what(),
                    goal.measuredText(),
                    goal.text(goal.first()),
                    word(goal.first(), goal.firstReached()),
                    goal.text(goal.second()),
                    word(goal.second(), goal.secondReached()));
        out.append(
                "\nThe loop is the one that looks at as many bytes: into `blackhole`, which reads every byte, the loop that"
                        + " reads every byte; else the one that reads none.\n");
    }

    private static String word(double goal, boolean reached) {
        if (Double.isNaN(goal)) return "";
        return reached ? "reached" : "**not reached**";
    }

    private void costs(SuiteGroup group) {
        heading(group.title());
        picture(group);
        row(
                "",
                "records/s",
                "CPU s/GB",
                "× the loop's",
                "× the loop's that reads no byte",
                "MB of values for a CPU second",
                "limited by");
        row("---", "---", "---", "---", "---", "---", "---");
        for (var arm : results.arms(group)) {
            var emptiest = emptiest(group, arm);
            row(
                    label(group, arm),
                    figures(group, arm, Measured::rowsPerSecond, "%,.0f"),
                    figures(group, arm, Measured::cpuPerGigabyte, "%.2f"),
                    arm.program().bare() ? "" : ratio(group, arm, group.reference(arm)),
                    arm.equals(emptiest) || Objects.equals(emptiest, group.reference(arm))
                            ? ""
                            : ratio(group, arm, emptiest),
                    figures(group, arm, Measured::megabytesPerCpuSecond, "%,.0f"),
                    limit(group, arm));
        }
        out.append('\n');
        row(
                "",
                "broker CPU s/GB",
                "sink CPU s/GB",
                "idle processes, CPU s/GB",
                "of its own, compiling",
                "allocated for a record, B",
                "of it ours, B",
                "collections",
                "paused, % of the time");
        row("---", "---", "---", "---", "---", "---", "---", "---", "---");
        for (var arm : results.arms(group))
            row(
                    label(group, arm),
                    figures(group, arm, one -> one.perGigabyte(Figure.BROKER_NANOS), "%.2f"),
                    arm.program().store() == Program.Store.NONE || arm.program().blackhole()
                            ? ""
                            : figures(group, arm, one -> one.perGigabyte(Figure.SINK_NANOS), "%.2f"),
                    figures(group, arm, one -> one.perGigabyte(Figure.IDLE_NANOS), "%.2f"),
                    figures(group, arm, one -> one.perGigabyte(Figure.COMPILER_NANOS), "%.2f"),
                    figures(group, arm, one -> one.reading().allocatedPerRow(), "%,.0f"),
                    ours(group, arm),
                    figures(group, arm, one -> one.reading().get(Figure.COLLECTIONS), "%.0f"),
                    figures(group, arm, one -> one.reading().pausePercent(), "%.1f"));
    }

    private String limit(SuiteGroup group, SuiteArm arm) {
        var readings = results.of(group, arm).stream().map(Measured::reading).toList();
        return Limit.of(readings, environment.processors());
    }

    /// What the loop does not allocate. What is left holds slabs too, which the rows' bytes go into.
    private String ours(SuiteGroup group, SuiteArm arm) {
        var reference = group.reference(arm);
        if (arm.program().bare() || reference == null) return "";
        var loop = results.figures(group, reference, one -> one.reading().allocatedPerRow());
        if (loop == null) return "";
        return figures(group, arm, one -> one.reading().allocatedPerRow() - loop.median(), "%,.0f");
    }

    private static @Nullable SuiteArm emptiest(SuiteGroup group, SuiteArm arm) {
        return group.arms().stream()
                .filter(other ->
                        other.program() == Program.BARE && other.shape().equals(arm.shape()))
                .findFirst()
                .orElse(null);
    }

    private void picture(SuiteGroup group) {
        var bars = results.arms(group).stream()
                .map(arm -> new BarChart.Bar(
                        label(group, arm),
                        figures(results.figures(group, arm, Measured::cpuPerGigabyte)),
                        arm.program().bare()))
                .toList();
        add(
                group.name() + ".svg",
                new BarChart(group.title(), "CPU seconds of the reading process for a GB of values", "%.2f", bars)
                        .svg(),
                group.title() + ": CPU seconds for a GB");
    }

    private void add(String file, String svg, String alternative) {
        pictures.put(file, svg);
        out.append("![").append(alternative).append("](").append(file).append(")\n\n");
    }

    /// Where topics differ, with the topic.
    private static String label(SuiteGroup group, SuiteArm arm) {
        var differ = group.arms().stream().map(SuiteArm::shape).distinct().count() > 1;
        return differ ? arm.shape().text() + ": " + arm.title() : arm.title();
    }

    private void delays(SuiteGroup group) {
        heading(group.title());
        out.append(
                "From the poll of a row's chunk until the sink had it: too long by the chunk's linger of 20 ms at the most."
                        + " Records come at half of what the same pipeline took above, from this machine's own processors.\n\n");
        row("", "records/s sent", "p50, ms", "p99, ms", "p99.9, ms", "most, ms", "CPU s/GB", "limited by");
        row("---", "---", "---", "---", "---", "---", "---", "---");
        for (var arm : results.arms(group))
            row(
                    label(group, arm),
                    figures(group, arm, Measured::rowsPerSecond, "%,.0f"),
                    figures(group, arm, one -> millis(one, 50), "%,.0f"),
                    figures(group, arm, one -> millis(one, 99), "%,.0f"),
                    figures(group, arm, one -> millis(one, 99.9), "%,.0f"),
                    figures(group, arm, one -> millis(one, 100), "%,.0f"),
                    figures(group, arm, Measured::cpuPerGigabyte, "%.2f"),
                    limit(group, arm));
        out.append('\n');
        for (var arm : results.arms(group)) {
            var all = new Histogram(3);
            results.of(group, arm).forEach(one -> all.add(one.reading().delays()));
            add(
                    "delay-" + arm.name() + ".svg",
                    new DelayChart("Delay at half load: " + arm.title(), all).svg(),
                    "Delay at half load: " + arm.title());
        }
    }

    private static double millis(Measured one, double percentile) {
        return one.reading().delays().getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }

    private void skipped() {
        if (results.skipped().isEmpty()) return;
        heading("Not read");
        results.skipped().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(arm -> out.append("- `")
                        .append(arm.getKey())
                        .append("`: skipped: ")
                        .append(arm.getValue())
                        .append('\n'));
    }

    private void heading(String title) {
        out.append("\n## ").append(title).append("\n\n");
    }

    private void row(String... cells) {
        out.append(List.of(cells).stream().collect(Collectors.joining(" | ", "| ", " |\n")));
    }

    private String figures(SuiteGroup group, SuiteArm arm, ToDoubleFunction<Measured> of, String format) {
        return figures(results.figures(group, arm, of)).text(format);
    }

    private static Figures figures(@Nullable Figures read) {
        if (read == null) throw new IllegalStateException("an arm without a reading");
        return read;
    }

    private String ratio(SuiteGroup group, SuiteArm arm, @Nullable SuiteArm over) {
        var ratio = results.ratio(group, arm, over, Measured::cpuPerGigabyte);
        return ratio == null ? "" : ratio.text("%.2f");
    }
}
