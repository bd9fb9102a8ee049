package dev.millrace.cli.proof;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// How far a quantity may move and still count as one that stays where it is.
///
/// Judged by medians, since a fault, a collection or a busy machine moves single samples far, and both ways;
/// what leaks moves all that come after it, and one way. Only growth is held against it.
///
/// @param step the most by which the median of the last third of a run may lie above that of its first third
/// @param perHour the most by which it may grow in an hour, as [Series#perHour] tells; asked of long runs only,
///     since the noise of a short one, taken for an hour's, is many times what leaks slowly
record Flatness(double step, double perHour) {
    /// From here on a run is a long one.
    static final double LONG_SECONDS = 1_800;

    private static final int FEWEST_IN_A_THIRD = 4;

    /// What speaks against it; nothing if it is flat.
    List<String> objections(Series series) {
        var first = series.third(0);
        var last = series.third(2);
        if (Math.min(first.samples().size(), last.samples().size()) < FEWEST_IN_A_THIRD)
            return List.of(series.samples().size() + " samples are too few");
        var objections = new ArrayList<String>();
        if (last.median() - first.median() > step)
            objections.add(String.format(
                    Locale.ROOT,
                    "the median rose from %.1f to %.1f, by more than %.1f",
                    first.median(),
                    last.median(),
                    step));
        if (series.seconds() >= LONG_SECONDS && series.perHour() > perHour)
            objections.add(
                    String.format(Locale.ROOT, "it grows by %.1f an hour, more than %.1f", series.perHour(), perHour));
        return objections;
    }
}
