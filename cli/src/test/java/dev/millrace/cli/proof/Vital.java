package dev.millrace.cli.proof;

import java.util.Locale;

/// What of a process must stay flat, and how flat.
///
/// The steps are a few times what medians of runs without a leak differ by on a busy machine; an hour's growth
/// is what a leak of a few bytes for each thousand rows, or of one handle or thread in a hundred faults, comes to.
enum Vital {
    /// What a full collection leaves. The budget of what is in flight is part of it, which faults fill.
    LIVE_HEAP("live heap, MiB", 4, 4),
    /// Buffers outside of the heap, those that the JVM makes for sockets among them.
    DIRECT_MEMORY("direct memory, KiB", 1_024, 1_024),
    THREADS("threads", 3, 3),
    /// Those there are, parked ones among them: they have no other mark than their object.
    VIRTUAL_THREADS("virtual threads", 8, 6),
    HANDLES("file handles", 8, 6),
    /// With a heap that is all there from the beginning, so what grows is outside of it.
    RESIDENT("resident memory, MiB", 24, 12);

    private final String words;
    private final double step;
    private final double perHour;

    Vital(String words, double step, double perHour) {
        this.words = words;
        this.step = step;
        this.perHour = perHour;
    }

    Flatness flatness() {
        return new Flatness(step, perHour);
    }

    String words() {
        return words;
    }

    /// The head of a table of [#row].
    static String head() {
        return """
                | quantity | samples | least | median | most | first third | last third | may rise by | an hour | may be |
                |---|---|---|---|---|---|---|---|---|---|""";
    }

    String row(Series series) {
        return String.format(
                Locale.ROOT,
                "| %s | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f | %+.1f | %s |",
                words,
                series.samples().size(),
                series.smallest(),
                series.median(),
                series.largest(),
                series.third(0).median(),
                series.third(2).median(),
                step,
                series.perHour(),
                series.seconds() >= Flatness.LONG_SECONDS ? String.format(Locale.ROOT, "%.0f", perHour) : "not judged");
    }
}
