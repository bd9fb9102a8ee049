package dev.millrace.bench;

import dev.millrace.lab.BrokerProcess;
import dev.millrace.lab.LabPostgres;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.postgres.TokenTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The broker and the stores of one run of the suite, each in processes of its own, started when an arm needs it.
///
/// Thread ownership: the command's thread.
final class Stores implements AutoCloseable {
    private static final int DISCARD_MEGABYTES = 256;

    /// Into ClickHouse, each at an address of its own.
    private static final int MOST_SHARDS = 4;

    private final BrokerProcess broker = BrokerProcess.launch();
    private final Socket dead = refusing();
    private @Nullable LabPostgres postgres;
    private @Nullable EngineProcess engine;
    private @Nullable Station discard;
    private long discarded;

    /// A port that refuses connections, and that nobody else can be given: bound, and not listened to.
    private static Socket refusing() {
        try {
            var socket = new Socket();
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return socket;
        } catch (IOException failure) {
            throw new UncheckedIOException("no port of the loopback can be bound", failure);
        }
    }

    BrokerProcess broker() {
        return broker;
    }

    /// Why a program can't be run here, or null.
    @Nullable
    String lacks(Program program) {
        return switch (program.store()) {
            case CLICKHOUSE -> EngineLibrary.available() ? null : "ClickHouse's engine is not here";
            case NONE, POSTGRES, HTTP -> null;
        };
    }

    private LabPostgres postgres() {
        var there = postgres;
        if (there != null) return there;
        var started = LabPostgres.launch();
        postgres = started;
        started.createDatabase(PipelineFile.DATABASE);
        started.execute(
                PipelineFile.DATABASE,
                "create table orders (id bigint, \"user\" integer, kind text, price numeric(12, 2), at timestamptz,"
                        + " \"text\" text);" + TokenTables.sql(PipelineFile.TABLE));
        return started;
    }

    private EngineProcess engine() throws InterruptedException {
        var there = engine;
        if (there != null) return there;
        var started = EngineProcess.launch(MOST_SHARDS);
        engine = started;
        started.ask("CREATE DATABASE " + PipelineFile.DATABASE);
        started.ask("CREATE TABLE suite.orders (id UInt64, user UInt32, kind LowCardinality(String), price"
                + " Decimal(12, 2), at DateTime64(3), text String) ENGINE = MergeTree ORDER BY id"
                + " SETTINGS non_replicated_deduplication_window = 10000");
        return started;
    }

    private Station discard() {
        var there = discard;
        if (there != null) return there;
        var started = Station.start("discard", "discard", DISCARD_MEGABYTES);
        discard = started;
        return started;
    }

    /// Where the pipeline of a program writes.
    PipelineFile file(Program program) throws InterruptedException {
        var servers = broker.bootstrapServers();
        return switch (program.store()) {
            case NONE -> new PipelineFile(servers, shard -> "blackhole:s" + shard, "", "");
            case HTTP -> {
                var port = discard().ask(Words.of("ask", "port")).number("port");
                yield new PipelineFile(
                        servers,
                        shard -> "http://127.0.0.1:" + port + "/in/s" + shard,
                        "http://127.0.0.1:" + dead.getLocalPort(),
                        "");
            }
            case POSTGRES -> {
                var server = postgres();
                yield new PipelineFile(
                        servers,
                        _ -> "postgres://" + server.host() + ":" + server.port() + "/" + PipelineFile.DATABASE,
                        "postgres://127.0.0.1:" + dead.getLocalPort() + "/" + PipelineFile.DATABASE,
                        server.user());
            }
            case CLICKHOUSE -> {
                var urls = engine().urls();
                yield new PipelineFile(servers, shard -> urls.get(shard).toString(), "", "default");
            }
        };
    }

    /// The processes whose time is the sink's.
    List<Long> pids(Program program) throws InterruptedException {
        return switch (program.store()) {
            case NONE -> List.of();
            case HTTP -> List.of(discard().pid());
            case POSTGRES -> List.of(serverPid());
            // What is made for the table goes nowhere.
            case CLICKHOUSE -> program.blackhole() ? List.of() : List.of(engine().pid(), engine().frontPid());
        };
    }

    /// Of the server, whose children are its sessions and what it does besides.
    private long serverPid() {
        var child = postgres()
                .queryLong(
                        PipelineFile.DATABASE, "select pid from pg_stat_activity where backend_type = 'checkpointer'");
        return ProcessHandle.of(child)
                .flatMap(ProcessHandle::parent)
                .map(ProcessHandle::pid)
                .orElseThrow(() -> new BenchFailure("the PostgreSQL server's process is not found"));
    }

    /// Nothing of an earlier reading is there afterwards.
    void empty(Program program) throws InterruptedException {
        switch (program.store()) {
            case NONE -> {}
            case HTTP -> discarded = discard().ask(Words.of("ask", "bytes")).number("bytes");
            // Its tokens too: the same offsets are to be stored again.
            case POSTGRES -> postgres().execute(PipelineFile.DATABASE, "truncate orders, millrace_segments");
            case CLICKHOUSE -> engine().ask("TRUNCATE TABLE suite.orders");
        }
    }

    /// Throws where the sink does not have each healthy record of the topic once.
    void verify(SuiteArm arm, FilledTopic topic, Reading reading) throws InterruptedException {
        var program = arm.program();
        var rows = topic.healthy();
        hold(arm, "rows", rows, reading.get(Figure.ROWS));
        hold(arm, "dead letters", topic.poison(), reading.get(Figure.DEAD_LETTERED));
        if (program == Program.BARE_SUM || program == Program.RAW_BLACKHOLE || program == Program.JSON_BLACKHOLE)
            hold(arm, "sum of bytes", topic.sum() + '\n' * rows, reading.get(Figure.SUM));
        if (program.blackhole() || program.bare()) return;
        switch (program.store()) {
            case NONE -> {}
            case HTTP -> {
                var now = discard().ask(Words.of("ask", "bytes")).number("bytes");
                hold(arm, "bytes of bodies", topic.valueBytes() + rows, now - discarded);
            }
            case POSTGRES ->
                holdStored(
                        arm,
                        topic,
                        postgres()
                                .query(
                                        PipelineFile.DATABASE,
                                        "select count(*), count(distinct id), sum(id) from orders")
                                .getFirst());
            case CLICKHOUSE ->
                holdStored(
                        arm,
                        topic,
                        engine().ask("SELECT count(), uniqExact(id), sum(id) FROM suite.orders")
                                .replace('\t', '|'));
        }
    }

    private static void holdStored(SuiteArm arm, FilledTopic topic, String stored) {
        var produced = topic.records() + "|" + topic.records() + "|" + topic.idSum();
        if (!stored.equals(produced))
            throw new BenchFailure(arm.name() + ": rows, distinct rows and the sum of their ids are " + stored
                    + ", produced were " + produced);
    }

    private static void hold(SuiteArm arm, String what, long produced, long found) {
        if (produced != found)
            throw new BenchFailure(arm.name() + ": " + what + ": " + found + ", produced were " + produced);
    }

    @Override
    public void close() {
        if (discard != null) discard.close();
        if (engine != null) engine.close();
        if (postgres != null) postgres.close();
        broker.close();
        try {
            dead.close();
        } catch (IOException failure) {
            throw new UncheckedIOException("a port can't be given back", failure);
        }
    }
}
