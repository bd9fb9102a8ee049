package dev.millrace.cli.proof;

import java.util.Arrays;
import java.util.List;

/// How much of something there was, at moments of a run.
record Series(List<Sample> samples) {
    private static final double SECONDS_PER_HOUR = 3_600;

    /// @param seconds since the run began; later for each than for the one before
    record Sample(double seconds, double value) {}

    Series {
        samples = List.copyOf(samples);
    }

    /// Those from this moment on.
    Series since(double seconds) {
        return new Series(
                samples.stream().filter(sample -> sample.seconds() >= seconds).toList());
    }

    /// From the first sample to the last.
    double seconds() {
        return samples.isEmpty()
                ? 0
                : samples.getLast().seconds() - samples.getFirst().seconds();
    }

    /// The first (0), second or last (2) part of three that took equally long.
    Series third(int which) {
        if (samples.isEmpty()) return this;
        var from = samples.getFirst().seconds() + which * seconds() / 3;
        var to = which == 2 ? Double.MAX_VALUE : from + seconds() / 3;
        return new Series(samples.stream()
                .filter(sample -> sample.seconds() >= from && sample.seconds() < to)
                .toList());
    }

    double smallest() {
        return sorted()[0];
    }

    double largest() {
        return sorted()[samples.size() - 1];
    }

    double median() {
        return middle(sorted());
    }

    private double[] sorted() {
        if (samples.isEmpty()) throw new IllegalStateException("no sample");
        return samples.stream().mapToDouble(Sample::value).sorted().toArray();
    }

    private static double middle(double[] sorted) {
        var half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    /// How much more there is after an hour: the median of the slopes between any two samples (Theil and Sen).
    ///
    /// It is what least squares tell of a line with noise, and more than a quarter of the samples may lie
    /// anywhere without moving it far.
    double perHour() {
        var count = samples.size();
        if (count < 2) throw new IllegalStateException("a slope of " + count + " samples");
        var slopes = new double[count * (count - 1) / 2];
        var at = 0;
        for (var i = 0; i < count; i++)
            for (var j = i + 1; j < count; j++)
                slopes[at++] = (samples.get(j).value() - samples.get(i).value())
                        / (samples.get(j).seconds() - samples.get(i).seconds());
        Arrays.sort(slopes);
        return middle(slopes) * SECONDS_PER_HOUR;
    }
}
