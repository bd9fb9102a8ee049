package dev.millrace.bench;

import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `millrace bench`: what the pipeline costs beside a bare poll loop, measured on the machine it
/// runs on, each of them a process of its own.
///
/// Ends with 0 when it measured, with 1 when it could not, or under `--check` when a goal was not
/// reached.
@Command(
        name = "millrace bench",
        mixinStandardHelpOptions = true,
        description = {
            "Start a Kafka broker, fill topics, and read them by turns with bare poll loops and with a whole pipeline",
            "into blackhole, or with --suite into everything: medians, spread and load. docs/benchmarks.md says how to",
            "read it."
        })
public final class BenchCommand implements Callable<Integer> {
    private static final int MISSED = 1;
    private static final int USAGE = 2;
    private static final Suite.Extent QUICK = new Suite.Extent(10, 2, 0, 4, 384, false);
    private static final int SECONDS = 10;
    private static final int HEAP_MEGABYTES = 3072;

    /// What is read without `--suite`: the base, of two sizes.
    private static final String BASE = "^(1k|200b)/(bare|bare-sum|raw-blackhole)$";
    private static final PoisonBench.Extent POISON = new PoisonBench.Extent(500_000, 1_000_000, 10_000, 3, 1);
    private static final PoisonBench.Extent QUICK_POISON = new PoisonBench.Extent(5_000, 20_000, 2_000, 1, 0);
    private static final ClickHousePrice.Extent CLICKHOUSE = new ClickHousePrice.Extent(2_000_000, 3, 1);
    private static final ClickHousePrice.Extent QUICK_CLICKHOUSE = new ClickHousePrice.Extent(20_000, 1, 0);

    @Option(
            names = "--megabytes",
            defaultValue = "3000",
            description = "of values in each topic (default: ${DEFAULT-VALUE})")
    private int megabytes;

    @Option(
            names = "--rounds",
            defaultValue = "5",
            description = "in which every arm reads the topic once (default: ${DEFAULT-VALUE})")
    private int rounds;

    @Option(
            names = "--warm-up",
            defaultValue = "6",
            description = "readings by every arm before that (default: ${DEFAULT-VALUE})")
    private int warmUps;

    @Option(names = "--quick", description = "show that it works: small, cold, and no figure to quote")
    private boolean quick;

    @Option(
            names = "--suite",
            description = "every arm, each factor for itself, and a page with tables, pictures and every reading")
    private boolean suite;

    @Option(
            names = "--arms",
            description = "only those whose group and name this pattern is found in, such as '^1k/' or 'postgres'")
    private @Nullable Pattern arms;

    @Option(
            names = "--out",
            description =
                    "the folder for what --suite writes (default: docs/benchmarks, and with --quick a folder of its"
                            + " own below that for temporary files)")
    private @Nullable Path folder;

    @Option(names = "--jmh", description = "instead: what a record allocates from append to seal, under JMH")
    private boolean jmh;

    @Option(names = "--poison", description = "instead: what poison rows cost in requests, time and throughput")
    private boolean poison;

    @Option(
            names = "--clickhouse",
            description = "instead: rows for a second of processor time with each format into ClickHouse's own engine")
    private boolean clickHouse;

    @Option(
            names = "--producers",
            description = "instead: what 1 to 8 producers hand to the front, and to queues and a Disruptor, under JMH")
    private boolean producers;

    @Option(names = "--check", description = "end with 1 when a goal is not reached")
    private boolean check;

    @Spec
    private @Nullable CommandSpec spec;

    private BenchCommand() {}

    public static void main(String[] arguments) {
        var code = new CommandLine(new BenchCommand())
                .setExecutionExceptionHandler((failure, _, _) -> {
                    if (failure instanceof BenchFailure) System.err.println("bench: " + failure.getMessage());
                    else failure.printStackTrace(System.err);
                    return MISSED;
                })
                .execute(arguments);
        System.out.flush();
        System.exit(code);
    }

    @Override
    public Integer call() throws InterruptedException, RunnerException {
        if (megabytes < 1 || rounds < 1 || warmUps < 0) {
            System.err.println("--megabytes and --rounds are at least 1, --warm-up is at least 0");
            return USAGE;
        }
        if (poison) return exitCode(new PoisonBench(quick ? QUICK_POISON : POISON, System.out).run(), true);
        if (clickHouse) {
            new ClickHousePrice(quick ? QUICK_CLICKHOUSE : CLICKHOUSE, System.out).run();
            return 0;
        }
        if (producers) return exitCode(new ProducerBench(System.out).run(), check);
        var reached = jmh ? new HotPath(System.out).run() : new SuiteBench(asked(), System.out, System.err).run();
        return exitCode(reached, check);
    }

    private SuiteBench.Asked asked() {
        var extent = quick ? QUICK : new Suite.Extent(megabytes, rounds, warmUps, SECONDS, HEAP_MEGABYTES, true);
        var chosen = arms != null ? arms : Pattern.compile(suite ? "" : BASE);
        return new SuiteBench.Asked(extent, chosen, command(), quick, suite ? folder() : null);
    }

    private Path folder() {
        if (folder != null) return folder;
        return quick ? Path.of(System.getProperty("java.io.tmpdir"), "millrace-bench") : Path.of("docs", "benchmarks");
    }

    private String command() {
        var arguments =
                Objects.requireNonNull(spec).commandLine().getParseResult().originalArgs();
        return "./millrace bench " + String.join(" ", arguments);
    }

    static int exitCode(boolean reached, boolean check) {
        return reached || !check ? 0 : MISSED;
    }
}
