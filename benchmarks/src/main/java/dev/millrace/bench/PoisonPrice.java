package dev.millrace.bench;

import dev.millrace.config.Configuration;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import dev.millrace.lab.BrokerProcess;
import dev.millrace.lab.LabPostgres;
import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.Pipeline;
import dev.millrace.pipeline.StartFailure;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// What poison takes of the throughput of the pipeline that `millrace run` makes of a file with defaults, from a broker
/// into one PostgreSQL database, with a dead-letter topic: topics with and without, read in turns.
///
/// Time runs from the first poll that gave records to the end of the drain, with everything written, set aside and
/// committed. Each reading is a new group into an empty table.
///
/// Thread ownership: the command's thread.
final class PoisonPrice {
    private static final String DATABASE = "price";
    private static final long LOOK_NANOS = 1_000_000L;
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(20);

    private final LabPostgres server;
    private final PoisonBench.Extent extent;
    private final PrintStream out;
    private int readings;

    PoisonPrice(LabPostgres server, PoisonBench.Extent extent, PrintStream out) {
        this.server = server;
        this.extent = extent;
        this.out = out;
        server.createDatabase(DATABASE);
        server.execute(DATABASE, """
                create table kinds (kind integer primary key);
                insert into kinds select generate_series(0, %d);
                create table t (id integer, "text" text, amount integer check (amount >= 0),
                                kind integer references kinds)""".formatted(PoisonTopic.KINDS - 1));
    }

    void run() throws InterruptedException {
        try (var broker = BrokerProcess.launch()) {
            var topics = new ArrayList<PoisonTopic>();
            for (var kind : PoisonTopic.Kind.values())
                topics.add(PoisonTopic.fill(broker.bootstrapServers(), kind, extent.rows(), extent.every()));
            for (var n = 0; n < extent.warmUps(); n++) for (var topic : topics) read(broker.bootstrapServers(), topic);
            var speeds = new EnumMap<PoisonTopic.Kind, List<Double>>(PoisonTopic.Kind.class);
            for (var n = 0; n < extent.rounds(); n++) {
                for (var topic : n % 2 == 0 ? topics : topics.reversed())
                    speeds.computeIfAbsent(topic.kind(), _ -> new ArrayList<>())
                            .add(topic.records() / read(broker.bootstrapServers(), topic));
            }
            table(speeds);
        }
    }

    private void table(Map<PoisonTopic.Kind, List<Double>> speeds) {
        out.printf(
                Locale.ROOT,
                "%n%,d rows, one in %,d poison, %d rounds, rows/s: median (min .. max)%n",
                extent.rows(),
                extent.every(),
                extent.rounds());
        var clean = figures(speeds, PoisonTopic.Kind.NONE).median();
        for (var kind : PoisonTopic.Kind.values()) {
            var speed = figures(speeds, kind);
            out.printf(
                    Locale.ROOT, "  %-26s %-32s %.2f x%n", kind.words(), speed.text("%,.0f"), speed.median() / clean);
        }
    }

    private static Figures figures(Map<PoisonTopic.Kind, List<Double>> speeds, PoisonTopic.Kind kind) {
        return Figures.of(speeds.getOrDefault(kind, List.of()).stream()
                .mapToDouble(Double::doubleValue)
                .toArray());
    }

    /// Returns the seconds it took.
    private double read(String bootstrapServers, PoisonTopic topic) throws InterruptedException {
        server.execute(DATABASE, "truncate t");
        System.gc();
        var pipeline = Pipeline.of(config(bootstrapServers, topic.name(), ++readings), "bench");
        try {
            pipeline.start();
            var began = 0L;
            var giveUp = System.nanoTime() + PATIENCE_NANOS;
            for (var polled = 0L; polled < topic.records(); ) {
                if (pipeline.ended())
                    throw new BenchFailure("it ended before all was polled: "
                            + pipeline.awaitEnd().json());
                if (System.nanoTime() - giveUp > 0)
                    throw new BenchFailure("polled " + polled + " of " + topic.records());
                LockSupport.parkNanos(LOOK_NANOS);
                polled = pipeline.progress().polled();
                if (polled > 0 && began == 0) began = System.nanoTime();
            }
            pipeline.stop("all is polled");
            var report = pipeline.awaitEnd();
            var nanos = System.nanoTime() - began;
            verify(topic, report);
            return nanos / 1e9;
        } catch (StartFailure failure) {
            throw new BenchFailure("the pipeline did not start: " + failure.getMessage());
        } finally {
            pipeline.close();
        }
    }

    private void verify(PoisonTopic topic, DrainReport report) {
        var rows = report.rows();
        var there = server.query(DATABASE, "select count(*), count(distinct id) from t")
                .getFirst();
        if (report.exitCode() != 0
                || rows.delivered() != topic.healthy()
                || rows.deadLettered() != topic.poison()
                || !there.equals(topic.healthy() + "|" + topic.healthy()))
            throw new BenchFailure("rows and distinct rows are " + there + ", healthy are " + topic.healthy()
                    + ", poison " + topic.poison() + ": " + report.json());
    }

    private PipelineConfig config(String bootstrapServers, String topic, int reading) {
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
                    postgres:
                      table: t
                      user: %s
                      password: "${NOBODY_SETS_THIS:-none-needed}"
                    shards:
                      s0: ["postgres://%s:%d/%s"]
                poison:
                  topic: price-%d-dead
                drain:
                  timeout: 10m
                admin:
                  listen: none
                """.formatted(
                bootstrapServers, topic, reading, server.user(), server.host(), server.port(), DATABASE, reading);
        return switch (Configuration.read("bench.yaml", file, _ -> null)) {
            case ReadResult.Loaded(var config, var _) -> config;
            case ReadResult.Refused(var problems) -> throw new BenchFailure("bench.yaml: " + problems);
        };
    }
}
