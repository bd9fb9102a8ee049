package dev.millrace.bench;

import dev.millrace.config.Configuration;
import dev.millrace.config.Delivery;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import dev.millrace.lab.BrokerProcess;
import dev.millrace.lab.LabPostgres;
import dev.millrace.lab.Topics;
import dev.millrace.pipeline.DrainReport;
import dev.millrace.pipeline.Pipeline;
import dev.millrace.pipeline.Progress;
import dev.millrace.pipeline.StartFailure;
import dev.millrace.postgres.TokenTables;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;

/// The pipeline that `millrace run` makes of a file with one `delivery` or the other, from a broker
/// into one PostgreSQL database that has the table of tokens. Each reading is a new group and begins
/// with empty tables.
///
/// Invariant: after each reading the table holds each order that was produced for it once.
///
/// Thread ownership: the command's thread.
final class OrdersIntoPostgres {
    /// Of a backlog: rows for a second of the clock; processor time of this process and of the
    /// broker.
    record Cost(double rowsPerSecond, double cpuSecondsPerGigabyte, double brokerCpuSecondsPerGigabyte) {}

    /// Of rows that come at a constant rate: milliseconds from being sent to the commit of their
    /// transaction, by the clock of one machine. Half of the rows are within `median`, 99 of 100
    /// within `high`.
    record Delay(double median, double high) {}

    /// In both arms. A quarter of the default: more ticks in a short time.
    static final String LINGER = "500ms";

    private static final String DATABASE = "price";
    private static final double GIGA = 1e9;
    private static final int AT_ONCE = 1_000_000;
    private static final long LOOK_NANOS = 1_000_000L;
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final LabPostgres server;
    private final BrokerProcess broker;
    private int readings;

    OrdersIntoPostgres(LabPostgres server, BrokerProcess broker) {
        this.server = server;
        this.broker = broker;
        server.createDatabase(DATABASE);
        server.execute(
                DATABASE,
                "create table orders (id integer, customer integer, kind text, \"text\" text, amount numeric(12, 4),"
                        + " score double precision, at timestamptz);"
                        + TokenTables.sql("orders"));
    }

    /// The server that tells when a transaction was committed.
    static LabPostgres launchServer() {
        return LabPostgres.launch(Map.of("track_commit_timestamp", "on"));
    }

    /// Reads the whole topic. Time and processor time run from the first poll that gave records to
    /// the end of the drain, with everything written and committed.
    Cost backlog(OrderTopic topic, Delivery delivery) throws InterruptedException {
        var own = ProcessHandle.current().pid();
        var pipeline = open(topic, delivery);
        try {
            pipeline.start();
            await(pipeline, 1, Progress::polled);
            var watch = CpuWatch.begin(own, broker.pid());
            await(pipeline, topic.records(), Progress::polled);
            var report = stop(pipeline);
            var gigabytes = topic.valueBytes() / GIGA;
            var cost = new Cost(
                    topic.records() / watch.wallSeconds(),
                    watch.cpuSeconds(own) / gigabytes,
                    watch.cpuSeconds(broker.pid()) / gigabytes);
            verify(topic.records(), report);
            return cost;
        } catch (StartFailure failure) {
            throw new BenchFailure("the pipeline did not start: " + failure.getMessage());
        } finally {
            pipeline.close();
        }
    }

    /// Adds rows to the topic at a constant rate, and reads only them. Looked at are those of
    /// `seconds`, which begin when every partition is read and a second has passed.
    Delay stream(OrderTopic topic, Delivery delivery, int ratePerSecond, int seconds) throws InterruptedException {
        var pipeline = open(topic, delivery);
        try (var topics = new Topics(broker.bootstrapServers())) {
            topics.commit(group(), topics.endOffsets(topic.name()));
            pipeline.start();
            topic.add(broker.bootstrapServers(), 0, topic.partitions(), AT_ONCE);
            await(pipeline, topic.partitions(), Progress::polled);
            var lookedAt = topic.partitions() + ratePerSecond;
            var all = lookedAt + seconds * ratePerSecond;
            topic.add(broker.bootstrapServers(), topic.partitions(), all, ratePerSecond);
            // Stopped earlier, the last rows would not wait for their linger.
            await(pipeline, all, Progress::delivered);
            verify(all, stop(pipeline));
            return delay(lookedAt);
        } catch (StartFailure failure) {
            throw new BenchFailure("the pipeline did not start: " + failure.getMessage());
        } finally {
            pipeline.close();
        }
    }

    private Delay delay(int from) {
        var told = server.query(
                        DATABASE,
                        "select percentile_cont(0.5) within group (order by ms),"
                                + " percentile_cont(0.99) within group (order by ms) from (select 1000 * extract("
                                + "epoch from pg_xact_commit_timestamp(xmin) - at)::float8 as ms from orders"
                                + " where id >= " + from + ") delays")
                .getFirst();
        var bar = told.indexOf('|');
        return new Delay(Double.parseDouble(told.substring(0, bar)), Double.parseDouble(told.substring(bar + 1)));
    }

    private Pipeline open(OrderTopic topic, Delivery delivery) {
        // Its tokens too: the same offsets are to be stored again.
        server.execute(DATABASE, "truncate orders, millrace_segments");
        System.gc();
        readings++;
        return Pipeline.of(config(topic, delivery), "bench");
    }

    private static void await(Pipeline pipeline, long rows, ToLongFunction<Progress> of) throws InterruptedException {
        var giveUp = System.nanoTime() + PATIENCE_NANOS;
        for (var now = 0L; now < rows; now = of.applyAsLong(pipeline.progress())) {
            if (pipeline.ended())
                throw new BenchFailure(
                        "it ended before all was read: " + pipeline.awaitEnd().json());
            if (System.nanoTime() - giveUp > 0) throw new BenchFailure("it got to " + now + " of " + rows + " rows");
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private static DrainReport stop(Pipeline pipeline) throws InterruptedException {
        pipeline.stop("all is read");
        return pipeline.awaitEnd();
    }

    private void verify(int rows, DrainReport report) {
        var there = server.query(DATABASE, "select count(*), count(distinct id), sum(id) from orders")
                .getFirst();
        var sum = (long) rows * (rows - 1) / 2;
        if (report.exitCode() != 0
                || report.rows().delivered() != rows
                || report.rows().duplicate() != 0
                || !there.equals(rows + "|" + rows + "|" + sum))
            throw new BenchFailure("rows, distinct rows and their sum are " + there + ", produced were " + rows + ": "
                    + report.json());
    }

    private String group() {
        return "price-" + readings;
    }

    private PipelineConfig config(OrderTopic topic, Delivery delivery) {
        var file = """
                pipeline:
                  name: price
                source:
                  kafka:
                    bootstrap_servers: %s
                    topics: [%s]
                    group_id: %s
                    on_no_offset: earliest
                delivery: %s
                require: %s
                format:
                  json: {}
                sinks:
                  warehouse:
                    postgres:
                      table: orders
                      user: %s
                      password: "${NOBODY_SETS_THIS:-none-needed}"
                    shards:
                      s0: ["postgres://%s:%d/%s"]
                    batch: { linger: %s, max_cuts: 10000 }
                drain:
                  timeout: 2m
                admin:
                  listen: none
                """.formatted(
                        broker.bootstrapServers(),
                        topic.name(),
                        group(),
                        delivery.name().toLowerCase(Locale.ROOT),
                        delivery == Delivery.EFFECTIVELY_ONCE ? "L4" : "none",
                        server.user(),
                        server.host(),
                        server.port(),
                        DATABASE,
                        LINGER);
        return switch (Configuration.read("bench.yaml", file, _ -> null)) {
            case ReadResult.Loaded(var config, var _) -> config;
            case ReadResult.Refused(var problems) -> throw new BenchFailure("bench.yaml: " + problems);
        };
    }
}
