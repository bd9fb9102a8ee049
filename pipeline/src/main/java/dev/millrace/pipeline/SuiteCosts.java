package dev.millrace.pipeline;

import dev.millrace.config.ClickHouseConfig;
import dev.millrace.config.FormatConfig;
import dev.millrace.config.HttpConfig;
import dev.millrace.config.PostgresConfig;
import dev.millrace.config.SinkKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// Processor time as the suite of benches measured it: medians, by program and size of a value. It reads
/// docs/benchmarks/suite.csv, which the build puts beside the classes, so what is told is what is written there.
///
/// `machine` says on what.
record SuiteCosts(Map<String, TreeMap<Integer, Cost>> programs, String machine) {
    /// Groups of the suite that differ in size and store alone.
    private static final Set<String> GROUPS = Set.of("1k", "200b", "size", "sinks");

    private static final Pattern MACHINE = Pattern.compile(" on (.*?), load .*?(commit [0-9a-f]+)");

    /// Seconds of a processor for 10⁹ bytes of values: of the process, and of its polling thread.
    record Cost(double process, double pollThread) {}

    /// The program of the suite that is nearest to a sink. `whole`: what it does for the store is in it.
    record Nearest(String program, boolean whole) {}

    static SuiteCosts read() {
        return of(text("suite.csv"), text("suite.md"));
    }

    private static String text(String file) {
        try (var in = SuiteCosts.class.getResourceAsStream("benchmarks/" + file)) {
            if (in == null) throw new IllegalStateException("benchmarks/" + file + " is not on the class path");
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException cause) {
            throw new UncheckedIOException(cause);
        }
    }

    static SuiteCosts of(String csv, String page) {
        var lines = csv.lines().toList();
        var columns = Arrays.asList(lines.getFirst().split(","));
        var readings = new HashMap<String, TreeMap<Integer, List<Cost>>>();
        for (var line : lines.subList(1, lines.size())) {
            var row = new Row(columns, Arrays.asList(line.split(",", -1)));
            if (!row.plain()) continue;
            readings.computeIfAbsent(row.cell("program"), _ -> new TreeMap<>())
                    .computeIfAbsent((int) row.number("value_bytes"), _ -> new ArrayList<>())
                    .add(row.cost());
        }
        var programs = new HashMap<String, TreeMap<Integer, Cost>>();
        readings.forEach((program, sizes) -> {
            var medians = new TreeMap<Integer, Cost>();
            sizes.forEach((size, costs) -> medians.put(
                    size,
                    new Cost(
                            median(costs.stream().mapToDouble(Cost::process).toArray()),
                            median(costs.stream().mapToDouble(Cost::pollThread).toArray()))));
            programs.put(program, medians);
        });
        var machine = MACHINE.matcher(page);
        return new SuiteCosts(
                programs,
                machine.find() ? machine.group(1) + ", " + machine.group(2) : "a machine that its page does not name");
    }

    private record Row(List<String> columns, List<String> cells) {
        String cell(String column) {
            return cells.get(columns.indexOf(column));
        }

        double number(String column) {
            return Double.parseDouble(cell(column));
        }

        boolean plain() {
            return GROUPS.contains(cell("group"))
                    && cell("codec").equals("none")
                    && cell("twist").equals("none")
                    && number("poison_every") == 0;
        }

        Cost cost() {
            var bytes = number("records") * number("value_bytes");
            return new Cost(number("cpu_nanos") / bytes, number("source_nanos") / bytes);
        }
    }

    static double median(double[] values) {
        Arrays.sort(values);
        var half = values.length / 2;
        return values.length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
    }

    /// What stands for a sink: the program that writes to such a store, where the suite has it, or the one that makes
    /// the same rows and writes them nowhere.
    Nearest nearest(SinkKind kind, FormatConfig format) {
        var raw = format instanceof FormatConfig.Raw;
        var wanted = switch (kind) {
            case PostgresConfig _ -> raw ? "" : "json_postgres";
            case ClickHouseConfig clickhouse ->
                clickhouse.format() == ClickHouseConfig.Format.ROW_BINARY ? "row_binary_clickhouse" : "json_clickhouse";
            case HttpConfig _ -> raw ? "raw_http" : "";
            default -> raw ? "raw_blackhole" : "json_blackhole";
        };
        if (programs.containsKey(wanted)) return new Nearest(wanted, true);
        if (kind instanceof ClickHouseConfig clickhouse && clickhouse.format() == ClickHouseConfig.Format.ROW_BINARY)
            return new Nearest("row_binary_blackhole", false);
        return new Nearest(raw ? "raw_blackhole" : "json_blackhole", false);
    }

    /// For values of a size that was not measured: a smaller one costs what the smallest costs each; between two sizes
    /// the dearer one counts.
    Cost of(String program, long bytesPerRow) {
        var sizes = programs.getOrDefault(program, new TreeMap<>());
        if (sizes.isEmpty()) throw new IllegalStateException("the suite has no " + program);
        var size = (int) Math.min(bytesPerRow, Integer.MAX_VALUE);
        var below = sizes.floorEntry(size);
        var above = sizes.ceilingEntry(size);
        if (below == null) {
            var smallest = sizes.firstEntry();
            var times = (double) smallest.getKey() / bytesPerRow;
            return new Cost(
                    smallest.getValue().process() * times, smallest.getValue().pollThread() * times);
        }
        if (above == null) return below.getValue();
        return new Cost(
                Math.max(below.getValue().process(), above.getValue().process()),
                Math.max(below.getValue().pollThread(), above.getValue().pollThread()));
    }
}
