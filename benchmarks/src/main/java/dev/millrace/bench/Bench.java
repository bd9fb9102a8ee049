package dev.millrace.bench;

import dev.millrace.lab.BrokerProcess;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/// Measures the whole pipeline against a bare poll loop: for each size one topic, some passes to warm up, then rounds
/// in which the arms take turns.
///
/// Thread ownership: the command's thread.
final class Bench {
    private static final long MEGA = 1_000_000L;
    private static final List<Size> SIZES = List.of(new Size("1 KB", 1024), new Size("100 B", 100));

    private record Size(String text, int valueBytes) {}

    /// How much of it: `megabytes` of values for each size, read once by each arm in each of `rounds`, after
    /// `warmUps` readings by each.
    record Extent(int megabytes, int rounds, int warmUps) {}

    private final Extent extent;
    private final PrintStream out;

    Bench(Extent extent, PrintStream out) {
        this.extent = extent;
        this.out = out;
    }

    /// Returns whether every goal was reached.
    boolean run() throws InterruptedException {
        try (var broker = BrokerProcess.launch()) {
            var watch = new Stopwatch(broker.pid());
            line(String.format(
                    Locale.ROOT,
                    "%d processors, JDK %s, %s, heap of %d MB, load %.2f; the broker is a process of its own",
                    Runtime.getRuntime().availableProcessors(),
                    Runtime.version(),
                    System.getProperty("os.name"),
                    Runtime.getRuntime().maxMemory() / (1 << 20),
                    watch.load()));
            var reached = true;
            for (var size : SIZES) reached &= run(broker.bootstrapServers(), size, watch);
            line(reached ? "every goal is reached" : "NOT every goal is reached");
            return reached;
        }
    }

    private boolean run(String bootstrapServers, Size size, Stopwatch watch) throws InterruptedException {
        var count = extent.megabytes() * MEGA / size.valueBytes();
        var name = "bench-" + size.valueBytes();
        var topic = BenchTopic.fill(bootstrapServers, name, size.valueBytes(), count);
        var empty = new BareLoop(bootstrapServers, topic, watch, Arm.Sums.LENGTHS);
        var bare = new BareLoop(bootstrapServers, topic, watch, Arm.Sums.EVERY_BYTE);
        var pipeline = new WholePipeline(bootstrapServers, topic, watch);
        var arms = List.of(empty, bare, pipeline);
        var rounds = new Rounds(topic);
        for (var n = 0; n < extent.warmUps(); n++) {
            for (var arm : arms) rounds.verify(arm, arm.read());
        }
        var before = watch.load();
        for (var n = 0; n < extent.rounds(); n++) {
            // What one arm leaves behind hits the other in every second round.
            for (var arm : n % 2 == 0 ? arms : arms.reversed()) rounds.add(arm, arm.read());
        }
        line("");
        line(String.format(
                Locale.ROOT,
                "%s values: %,d records with 11-byte keys in %d partitions, %d rounds, load %.2f before and %.2f after",
                size.text(),
                count,
                BenchTopic.PARTITIONS,
                extent.rounds(),
                before,
                watch.load()));
        out.print(rounds.table());
        var standing = rounds.standing(bare, pipeline);
        line(standing.text());
        line("  rows and sums are equal in all " + 2 * (extent.rounds() + extent.warmUps()) + " passes of (a) and (b)");
        return standing.reached();
    }

    private void line(String text) {
        out.println(text);
        out.flush();
    }
}
