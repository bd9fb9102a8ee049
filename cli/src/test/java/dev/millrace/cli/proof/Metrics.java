package dev.millrace.cli.proof;

import java.util.LinkedHashMap;
import java.util.Map;

/// One scrape of `/metrics`: a value for each series, named with its labels as Prometheus writes them.
record Metrics(Map<String, Double> series) {
    static Metrics parse(String text) {
        var series = new LinkedHashMap<String, Double>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            var blank = line.lastIndexOf(' ');
            series.put(line.substring(0, blank), Double.valueOf(line.substring(blank + 1)));
        });
        return new Metrics(series);
    }

    /// The series of one name that have all of these labels, each written `label="value"`.
    Map<String, Double> of(String name, String... labels) {
        var found = new LinkedHashMap<String, Double>();
        series.forEach((key, value) -> {
            if (!key.equals(name) && !key.startsWith(name + "{")) return;
            for (var label : labels) if (!key.contains("{" + label) && !key.contains("," + label)) return;
            found.put(key, value);
        });
        return found;
    }

    /// Their sum. Fails where there is none: an absent series is not zero.
    double sum(String name, String... labels) {
        var found = of(name, labels);
        if (found.isEmpty()) throw new AssertionError("no series " + name + " " + String.join(",", labels));
        return found.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    boolean has(String name, String... labels) {
        return !of(name, labels).isEmpty();
    }
}
