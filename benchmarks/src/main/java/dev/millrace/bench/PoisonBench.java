package dev.millrace.bench;

import dev.millrace.lab.LabPostgres;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/// What poison costs: requests and time to find a few rows of one large batch, and what one in 10,000 takes of the
/// throughput of a whole pipeline.
///
/// Requests are held to a bound; times are told.
///
/// Thread ownership: the command's thread.
final class PoisonBench {
    /// How much of it: `batch` rows of one batch; `rows` in each topic, one of them in `every` poison, read once by
    /// each arm in each of `rounds` after `warmUps` readings by each.
    record Extent(int batch, int rows, int every, int rounds, int warmUps) {}

    private static final List<Integer> POISON = List.of(1, 2, 50);
    private static final long SEED = 4;
    private static final String LINE = "  %6s  %-5s  %8s  %8s  %12s  %8s  %s%n";

    private final Extent extent;
    private final PrintStream out;

    PoisonBench(Extent extent, PrintStream out) {
        this.extent = extent;
        this.out = out;
    }

    /// Returns whether all requests stayed within their bounds.
    boolean run() throws InterruptedException {
        try (var server = LabPostgres.launch()) {
            out.printf(
                    Locale.ROOT,
                    "%d processors, JDK %s, %s, %s%n",
                    Runtime.getRuntime().availableProcessors(),
                    Runtime.version(),
                    System.getProperty("os.name"),
                    server.query("postgres", "select split_part(version(), ' on ', 1)")
                            .getFirst());
            var within = isolation(server);
            new PoisonPrice(server, extent, out).run();
            out.flush();
            return within;
        }
    }

    private boolean isolation(LabPostgres server) throws InterruptedException {
        var batch = new PoisonedBatch(server, extent.batch());
        batch.run(0, true, SEED);
        batch.run(1, true, SEED);
        out.printf(Locale.ROOT, "%none batch of %,d rows, refused by a CHECK constraint%n", extent.batch());
        out.printf(LINE, "poison", "named", "requests", "at most", "rows sent", "seconds", "of a clean batch");
        var clean = batch.run(0, true, SEED);
        tell(clean, 1, clean.nanos());
        var within = true;
        for (var named : List.of(true, false)) {
            for (var poison : POISON) {
                var cost = batch.run(poison, named, SEED + poison);
                var most = named ? IsolationBound.named(poison) : IsolationBound.halves(extent.batch(), poison);
                tell(cost, most, clean.nanos());
                within &= cost.requests() <= most;
            }
        }
        out.println(within ? "  all within their bounds" : "  NOT all within their bounds");
        return within;
    }

    private void tell(PoisonedBatch.Cost cost, int most, long cleanNanos) {
        out.printf(
                Locale.ROOT,
                LINE,
                cost.poison(),
                cost.poison() == 0 ? "" : cost.named() ? "yes" : "no",
                "%,d".formatted(cost.requests()),
                "%,d".formatted(most),
                "%,d".formatted(cost.rowsSent()),
                String.format(Locale.ROOT, "%.2f", cost.nanos() / 1e9),
                String.format(Locale.ROOT, "%.1f x", (double) cost.nanos() / cleanNanos));
        out.flush();
    }
}
