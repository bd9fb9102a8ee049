package dev.millrace.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// Every reading of a run, one a line, so that others can compute with it.
final class SuiteCsv {
    private static final List<String> OF_THE_ARM = List.of(
            "group",
            "arm",
            "program",
            "value_bytes",
            "codec",
            "compressed",
            "partitions",
            "poison_every",
            "shards",
            "delivery",
            "twist",
            "linger",
            "records",
            "round");
    private static final List<String> OF_DELAYS =
            List.of("delays", "p50_micros", "p99_micros", "p999_micros", "max_micros");

    private SuiteCsv() {}

    static String of(Results results) {
        var out = new StringBuilder();
        var names = new ArrayList<>(OF_THE_ARM);
        for (var figure : Figure.values()) names.add(figure.column());
        names.addAll(OF_DELAYS);
        out.append(String.join(",", names)).append('\n');
        for (var one : results.all()) out.append(line(one)).append('\n');
        return out.toString();
    }

    private static String line(Measured one) {
        var arm = one.arm();
        var shape = one.topic().shape();
        var cells = new ArrayList<Object>(List.of(
                one.group().name(),
                arm.name(),
                lower(arm.program()),
                shape.valueBytes(),
                lower(shape.codec()),
                String.format(Locale.ROOT, "%.3f", one.topic().compressed()),
                shape.partitions(),
                shape.poisonEvery(),
                arm.program().bare() ? "" : arm.shards(),
                arm.program().bare() ? "" : lower(arm.delivery()),
                lower(arm.twist()),
                arm.linger(),
                one.topic().records(),
                one.round()));
        Arrays.stream(Figure.values()).map(one.reading()::get).forEach(cells::add);
        var delays = one.reading().delays();
        cells.add(delays.getTotalCount());
        for (var percentile : new double[] {50, 99, 99.9, 100}) cells.add(delays.getValueAtPercentile(percentile));
        return String.join(",", cells.stream().map(String::valueOf).toList());
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
