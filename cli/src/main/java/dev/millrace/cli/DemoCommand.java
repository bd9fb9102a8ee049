package dev.millrace.cli;

import dev.millrace.config.LoggingConfig;
import dev.millrace.lab.LabException;
import dev.millrace.lab.clickhouse.EngineLibrary;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `millrace demo`: the whole product on real parts of its own, with a replica cut and brought back.
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = {
            "Start a Kafka broker and a store, run a pipeline between them, cut a replica and bring it back, and compare"
                    + " what was produced with what the store holds. Needs no Docker, and for PostgreSQL no network;"
                    + " ClickHouse's own engine is fetched once, by npm: 178 MB, for Linux on x86-64."
        })
final class DemoCommand implements Callable<Integer> {
    private static final int LEAST_EVENTS = 500;

    @Option(
            names = "--sink",
            defaultValue = "postgres",
            description = "what the orders go to: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private Demo.Sink sink = Demo.Sink.POSTGRES;

    @Option(names = "--events", defaultValue = "200000", description = "orders to produce (default: ${DEFAULT-VALUE})")
    private int events;

    @Option(names = "--rate", defaultValue = "10000", description = "orders a second (default: ${DEFAULT-VALUE})")
    private int rate;

    @Option(
            names = "--seed",
            defaultValue = "1",
            description = "what the orders are made from (default: ${DEFAULT-VALUE})")
    private long seed;

    @Option(names = "--keep", description = "leave the broker and the store running at the end, until Ctrl-C")
    private boolean keep;

    @Override
    public Integer call() throws Exception {
        if (events < LEAST_EVENTS || rate < 1) {
            System.err.println("--events is at least " + LEAST_EVENTS
                    + ", or there is nothing to bring a replica back with;" + " --rate is at least 1");
            return 2;
        }
        Logs.configure(LoggingConfig.Format.TEXT, LoggingConfig.Level.ERROR);
        if (sink == Demo.Sink.CLICKHOUSE && !engineIsHere()) return 2;
        return new Demo(sink, events, rate, seed, keep).run();
    }

    private static boolean engineIsHere() {
        try {
            EngineLibrary.obtain();
            return true;
        } catch (LabException failure) {
            System.err.println("the ClickHouse engine cannot be had here: "
                    + String.valueOf(failure.getMessage()).strip().replaceAll("\\s+", " ")
                    + "; put an npm that reaches a registry on the PATH (Linux on x86-64, 178 MB once),"
                    + " or run the demo with --sink postgres");
            return false;
        }
    }
}
