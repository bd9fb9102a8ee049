package dev.millrace.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/// The passes of all arms over one topic, and what they come to.
///
/// Invariant: every arm that reads the bytes read the rows and the sum that were produced.
///
/// Thread ownership: the bench's thread.
final class Rounds {
    /// What the pipeline is to reach of the bare loop's records per second.
    static final double LEAST_SPEED = 0.65;

    /// What the pipeline may take of processor time for what the bare loop takes 1.
    static final double MOST_CPU = 1.6;

    private static final String HEAD = "  %-22s %-34s %8s   %-20s %s%n"
            .formatted("median (min .. max)", "records/s", "MB/s", "CPU s/GB", "broker CPU s/GB");

    private final BenchTopic topic;
    private final Map<Arm, List<Pass>> passes = new LinkedHashMap<>();

    Rounds(BenchTopic topic) {
        this.topic = topic;
    }

    void add(Arm arm, Pass pass) {
        verify(arm, pass);
        passes.computeIfAbsent(arm, _ -> new ArrayList<>()).add(pass);
    }

    /// Throws where the arm did not read just what was produced.
    void verify(Arm arm, Pass pass) {
        var sum = arm.sums() == Arm.Sums.EVERY_BYTE ? topic.sum() + '\n' * topic.records() : topic.allValueBytes();
        if (pass.rows() != topic.records() || pass.sum() != sum)
            throw new BenchFailure(arm.title().strip() + " read " + pass.rows() + " rows with sum " + pass.sum()
                    + ", produced were " + topic.records() + " rows with sum " + sum);
    }

    private Figures speed(Arm arm) {
        return Figures.of(of(arm).stream().mapToDouble(Pass::rowsPerSecond).toArray());
    }

    private Figures cpu(Arm arm) {
        return Figures.of(of(arm).stream()
                .mapToDouble(pass -> pass.cpuSecondsPerGigabyte(topic.allValueBytes()))
                .toArray());
    }

    private Figures brokerCpu(Arm arm) {
        return Figures.of(of(arm).stream()
                .mapToDouble(pass -> pass.brokerCpuSecondsPerGigabyte(topic.allValueBytes()))
                .toArray());
    }

    private List<Pass> of(Arm arm) {
        return Objects.requireNonNull(passes.get(arm), arm::title);
    }

    String table() {
        var out = new StringBuilder(HEAD);
        for (var arm : passes.keySet()) {
            var speed = speed(arm);
            out.append("  %-22s %-34s %8s   %-20s %s%n"
                    .formatted(
                            arm.title(),
                            speed.text("%,.0f"),
                            String.format(Locale.ROOT, "%,.0f", speed.median() * topic.valueBytes() / 1e6),
                            cpu(arm).text("%.2f"),
                            brokerCpu(arm).text("%.2f")));
        }
        return out.toString();
    }

    /// How the pipeline stands to the bare loop, by medians.
    Standing standing(Arm bare, Arm pipeline) {
        return new Standing(
                speed(pipeline).median() / speed(bare).median(),
                cpu(pipeline).median() / cpu(bare).median());
    }

    /// Ratios of medians.
    record Standing(double speed, double cpu) {
        boolean reached() {
            return speed >= LEAST_SPEED && cpu <= MOST_CPU;
        }

        String text() {
            return String.format(
                    Locale.ROOT,
                    "  (b)/(a): %.2f x in records/s, goal >= %.2f: %s; %.2f x in CPU s/GB, goal <= %.2f: %s",
                    speed,
                    LEAST_SPEED,
                    word(speed >= LEAST_SPEED),
                    cpu,
                    MOST_CPU,
                    word(cpu <= MOST_CPU));
        }

        private static String word(boolean reached) {
            return reached ? "reached" : "NOT REACHED";
        }
    }
}
