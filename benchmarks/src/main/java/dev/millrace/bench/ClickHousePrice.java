package dev.millrace.bench;

import dev.millrace.config.Configuration;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import dev.millrace.lab.BrokerProcess;
import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.Pipeline;
import dev.millrace.pipeline.StartFailure;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;

/// Rows for a second of processor time, with each format into ClickHouse's own engine: of
/// Millrace, which is this process, and of the engine, which is another. One shard of one replica,
/// else a file of defaults.
///
/// Time and processor time run from the first poll that gave records to the end of the drain, with
/// everything written and committed. Each reading is a new group into an empty table.
///
/// Thread ownership: the command's thread.
final class ClickHousePrice {
    /// `rows` in the topic, read once with each format in each of `rounds` after `warmUps`
    /// readings with each.
    record Extent(int rows, int rounds, int warmUps) {}

    /// Rows for a second: of the clock, of this process, of the engine, of the engine's front.
    private record Speed(double wall, double own, double engine, double front) {}

    private static final int PARTITIONS = 4;
    private static final List<String> FORMATS = List.of("json_each_row", "row_binary");
    private static final String LINE = "  %-14s %-34s %-34s %-34s %s%n";
    private static final long LOOK_NANOS = 1_000_000L;
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(20);

    private final Extent extent;
    private final PrintStream out;
    private int readings;

    ClickHousePrice(Extent extent, PrintStream out) {
        this.extent = extent;
        this.out = out;
    }

    void run() throws InterruptedException {
        try (var engine = EngineProcess.launch();
                var broker = BrokerProcess.launch()) {
            engine.ask("CREATE DATABASE price");
            engine.ask(
                    "CREATE TABLE price.orders (id UInt64, customer UInt32, kind LowCardinality(String), text String,"
                            + " amount Decimal(12, 4), score Float64, at DateTime64(3)) ENGINE = MergeTree ORDER BY id"
                            + " SETTINGS non_replicated_deduplication_window = 10000");
            out.printf(
                    Locale.ROOT,
                    "%d processors, JDK %s, %s, ClickHouse %s, load %.2f%n",
                    Runtime.getRuntime().availableProcessors(),
                    Runtime.version(),
                    System.getProperty("os.name"),
                    engine.ask("SELECT version()"),
                    load());
            out.flush();
            var topic = OrderTopic.fill(broker.bootstrapServers(), "orders", PARTITIONS, extent.rows());
            for (var n = 0; n < extent.warmUps(); n++) for (var format : FORMATS) read(engine, broker, topic, format);
            var speeds = new LinkedHashMap<String, List<Speed>>();
            for (var n = 0; n < extent.rounds(); n++) {
                for (var format : n % 2 == 0 ? FORMATS : FORMATS.reversed())
                    speeds.computeIfAbsent(format, _ -> new ArrayList<>()).add(read(engine, broker, topic, format));
            }
            table(topic, speeds);
        }
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private void table(OrderTopic topic, Map<String, List<Speed>> speeds) {
        out.printf(
                Locale.ROOT,
                "%n%,d rows of %d bytes, %d rounds, median (min .. max), load %.2f%n",
                topic.records(),
                topic.valueBytes() / topic.records(),
                extent.rounds(),
                load());
        out.printf(
                LINE,
                "format",
                "rows / CPU s of Millrace",
                "rows / CPU s of the engine",
                "rows / s",
                "rows / CPU s of the front");
        for (var format : FORMATS) {
            var all = speeds.getOrDefault(format, List.of());
            out.printf(
                    LINE,
                    format,
                    figures(all, Speed::own),
                    figures(all, Speed::engine),
                    figures(all, Speed::wall),
                    figures(all, Speed::front));
        }
        out.flush();
    }

    private static String figures(List<Speed> speeds, ToDoubleFunction<Speed> of) {
        return Figures.of(speeds.stream().mapToDouble(of).toArray()).text("%,.0f");
    }

    private Speed read(EngineProcess engine, BrokerProcess broker, OrderTopic topic, String format)
            throws InterruptedException {
        engine.ask("TRUNCATE TABLE price.orders");
        System.gc();
        var own = ProcessHandle.current().pid();
        var pipeline =
                Pipeline.of(config(broker.bootstrapServers(), topic.name(), engine, format, ++readings), "bench");
        try {
            var watch = CpuWatch.begin(own, engine.pid(), engine.frontPid());
            pipeline.start();
            var giveUp = System.nanoTime() + PATIENCE_NANOS;
            var begun = false;
            for (var polled = 0L;
                    polled < topic.records();
                    polled = pipeline.progress().polled()) {
                if (pipeline.ended())
                    throw new BenchFailure("it ended before all was polled: "
                            + pipeline.awaitEnd().json());
                if (System.nanoTime() - giveUp > 0)
                    throw new BenchFailure("polled " + polled + " of " + topic.records());
                if (polled > 0 && !begun) {
                    begun = true;
                    watch = CpuWatch.begin(own, engine.pid(), engine.frontPid());
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
            pipeline.stop("all is polled");
            var report = pipeline.awaitEnd();
            var speed = new Speed(
                    topic.records() / watch.wallSeconds(),
                    topic.records() / watch.cpuSeconds(own),
                    topic.records() / watch.cpuSeconds(engine.pid()),
                    topic.records() / watch.cpuSeconds(engine.frontPid()));
            verify(engine, topic, report);
            return speed;
        } catch (StartFailure failure) {
            throw new BenchFailure("the pipeline did not start: " + failure.getMessage());
        } finally {
            pipeline.close();
        }
    }

    private static void verify(EngineProcess engine, OrderTopic topic, DrainReport report) throws InterruptedException {
        var there = engine.ask("SELECT count(), uniqExact(id), sum(id) FROM price.orders");
        var sum = (long) topic.records() * (topic.records() - 1) / 2;
        if (report.exitCode() != 0 || !there.equals(topic.records() + "\t" + topic.records() + "\t" + sum))
            throw new BenchFailure("rows, distinct rows and their sum are " + there + ", produced were "
                    + topic.records() + ": " + report.json());
    }

    private static PipelineConfig config(
            String bootstrapServers, String topic, EngineProcess engine, String format, int reading) {
        var file = """
                pipeline:
                  name: price
                source:
                  kafka:
                    bootstrap_servers: %s
                    topics: [%s]
                    group_id: price-%d
                    on_no_offset: earliest
                format:
                  json: {}
                sinks:
                  warehouse:
                    clickhouse: { database: price, table: orders, user: default, format: %s }
                    shards:
                      s0: ["%s"]
                drain:
                  timeout: 10m
                admin:
                  listen: none
                """.formatted(bootstrapServers, topic, reading, format, engine.url());
        return switch (Configuration.read("bench.yaml", file, _ -> null)) {
            case ReadResult.Loaded(var config, var _) -> config;
            case ReadResult.Refused(var problems) -> throw new BenchFailure("bench.yaml: " + problems);
        };
    }
}
