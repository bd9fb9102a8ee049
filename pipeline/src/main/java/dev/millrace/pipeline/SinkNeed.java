package dev.millrace.pipeline;

import dev.millrace.clickhouse.TokenWindow;
import dev.millrace.config.BlackholeConfig;
import dev.millrace.config.ClickHouseConfig;
import dev.millrace.config.ClickHouseConfig.Coordinate;
import dev.millrace.config.Endpoint;
import dev.millrace.config.HttpConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.PostgresConfig;
import dev.millrace.config.SinkConfig;
import dev.millrace.pipeline.SizingFigure.Unit;
import dev.millrace.pipeline.SizingLoad.Flow;
import dev.millrace.sinkpool.Finding;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a load makes of one sink: its batches, the writes that a shard gets, connections, and tokens.
///
/// Thread ownership: the thread that sizes.
final class SinkNeed {
    /// ClickHouse makes a part of each insert; fewer rows than this, more than once a second, and it merges all day.
    private static final long FEW_ROWS_OF_A_PART = 1_000;

    /// Of a transaction or a request.
    private static final long FEW_ROWS = 100;

    /// Rows that come to stand later than this are too late for most readers.
    private static final long LONGEST_LINGER_SECONDS = 60;

    private static final int USUAL_MAX_CONNECTIONS = 100;
    private static final int LEFT_FOR_OTHERS = 20;

    private final PipelineConfig config;
    private final SinkConfig sink;
    private final SizingLoad load;
    private final SizingSheet sheet;
    private final String where;
    private final int processes;
    private final int shards;
    private final int lanes;

    SinkNeed(PipelineConfig config, SinkConfig sink, SizingLoad load, SizingSheet sheet) {
        this.config = config;
        this.sink = sink;
        this.load = load;
        this.sheet = sheet;
        where = "sinks." + sink.name();
        processes = load.processes(config.kafka().consumers());
        shards = sink.shards().size();
        lanes = sink.ordering().lanes();
    }

    void tell() {
        connections();
        tellCuts();
        var flow = load.flow();
        if (flow == null) return;
        var rate = rate(flow);
        batches(rate);
        if (few(rate)) tellFew(rate);
        if (sink.kind() instanceof ClickHouseConfig clickhouse) parts(rate, clickhouse);
        if (sink.kind() instanceof HttpConfig http) remembers(http);
    }

    private void connections() {
        if (sink.kind() instanceof BlackholeConfig) return;
        var servers = new TreeMap<String, Long>();
        for (var shard : sink.shards())
            for (var server :
                    shard.endpoints().stream().map(SinkNeed::server).distinct().toList())
                servers.merge(server, (long) sink.inflight().maxPerShard() * processes, Long::sum);
        var most = servers.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow();
        sheet.add(
                where,
                "connections",
                most.getValue(),
                Unit.CONNECTIONS,
                "to " + most.getKey()
                        + ": its shards × inflight.max_per_shard × processes at most; looks and pings open a"
                        + " few more for a moment");
        if (sink.kind() instanceof PostgresConfig && most.getValue() > USUAL_MAX_CONNECTIONS - LEFT_FOR_OTHERS)
            sheet.add(Finding.hazard(
                    where,
                    most.getKey() + " gets up to " + most.getValue() + " sessions, and PostgreSQL's usual"
                            + " max_connections is " + USUAL_MAX_CONNECTIONS,
                    "lower inflight.max_per_shard, or raise max_connections there"));
    }

    private static String server(Endpoint endpoint) {
        return switch (endpoint) {
            case Endpoint.Postgres(var address, var _) -> address.toString();
            case Endpoint.Http(var _, var address) -> address.toString();
            case Endpoint.Receiver(var _, var address, var _) -> address.toString();
            case Endpoint.Blackhole(var name) -> name;
        };
    }

    /// Null where nothing is cut.
    private @Nullable CutRate cuts() {
        if (!Wiring.planned(config, sink)) return null;
        return CutRate.of(
                load.partitions(),
                shards,
                lanes,
                sink.batch().linger().toNanos(),
                sink.batch().maxCuts(),
                config.admission().maxBytes());
    }

    SealRate rate(Flow flow) {
        var cuts = cuts();
        if (cuts == null) return SealRate.merged(flow, processes, shards, lanes, sink.batch(), config.admission());
        var planned = config.sinks().stream()
                .filter(one -> Wiring.planned(config, one))
                .count();
        return SealRate.planned(
                flow,
                load.partitions(),
                Math.ceilDiv(load.partitions(), processes),
                shards,
                lanes,
                (int) planned,
                cuts.lingerNanos() / 1e9,
                sink.batch(),
                config.admission());
    }

    private void tellCuts() {
        var cuts = cuts();
        if (cuts == null) return;
        if (cuts.refusal() != null) sheet.add(Finding.fault(where, "it does not start: " + cuts.refusal(), ""));
        else if (cuts.stretched()) sheet.add(Finding.note(where, cuts.line(), ""));
    }

    private void batches(SealRate rate) {
        sheet.add(
                where,
                "batch_rows",
                rate.rows(),
                Unit.ROWS,
                rate.by() + " seals first, " + SizingText.seconds(rate.seconds())
                        + " after a batch was begun, at rows/s ÷ "
                        + (Wiring.planned(config, sink)
                                ? "partitions ÷ shards" + byLanes() + ": each partition is cut for itself"
                                : "processes ÷ shards" + byLanes()));
        var ofShard = sink.ordering().mostWritten(sink.inflight().maxPerShard());
        var writes = (double) sink.inflight().most(shards, ofShard) / shards;
        sheet.add(where, "batch_bytes", rate.bytes(), Unit.BYTES, "batch_rows × bytes of a row");
        sheet.add(where, "batches", rate.perSecond(), Unit.PER_SECOND, "of each shard: rows/s ÷ shards ÷ batch_rows");
        sheet.add(
                where,
                "write_at_most",
                writes * processes / rate.perSecond() / load.headroom(),
                Unit.SECONDS,
                "what a write may take on average, to keep up: "
                        + (writes < ofShard
                                ? "inflight.max_total ÷ shards"
                                : sink.ordering().byKey()
                                        ? "the smaller of lanes and inflight.max_per_shard"
                                        : "inflight.max_per_shard")
                        + " × processes ÷ batches ÷ headroom");
    }

    private String byLanes() {
        return lanes > 1 ? " ÷ lanes" : "";
    }

    private boolean few(SealRate rate) {
        var least = sink.kind() instanceof ClickHouseConfig ? FEW_ROWS_OF_A_PART : FEW_ROWS;
        return !(sink.kind() instanceof BlackholeConfig) && rate.rows() < least && rate.perSecond() > 1;
    }

    private void tellFew(SealRate rate) {
        var remedy = switch (rate.by()) {
            case LINGER -> longerLinger(rate);
            case ROWS, BYTES -> "raise " + rate.by();
            case SHARE, HALF -> "raise admission, whose share seals before batch.linger";
        };
        sheet.add(Finding.hazard(
                where,
                rate.by() + " seals batches of " + SizingText.count(rate.rows()) + " rows, "
                        + SizingText.decimal(rate.perSecond()) + " a second for each shard",
                remedy
                        + (Wiring.planned(config, sink)
                                ? ", or set delivery: at_least_once, which merges partitions"
                                : "")));
    }

    private String longerLinger(SealRate rate) {
        var wanted = sink.kind() instanceof ClickHouseConfig ? FEW_ROWS_OF_A_PART : FEW_ROWS;
        var seconds = rate.secondsFor(wanted);
        if (seconds > LONGEST_LINGER_SECONDS) return "have fewer shards";
        return "raise batch.linger to " + seconds + "s"
                + (seconds >= config.checkpoint().interval().toSeconds() ? ", checkpoint.interval above it," : "")
                + " for " + wanted + " rows, or have fewer shards";
    }

    private void parts(SealRate rate, ClickHouseConfig clickhouse) {
        sheet.add(
                where,
                "parts",
                rate.perSecond(),
                Unit.PER_SECOND,
                "of each shard, and on each of its replicas: batches × table partitions that one touches, here 1");
        if (rate.perSecond() > sink.batch().maxCuts() * 1.001)
            sheet.add(Finding.hazard(
                    where,
                    SizingText.decimal(rate.perSecond())
                            + " parts a second for each shard are more than batch.max_cuts "
                            + sink.batch().maxCuts() + ", sealed by " + rate.by(),
                    rate.by() == SealRate.By.LINGER ? "raise batch.linger" : "raise it, or have more shards"));
        if (Wiring.planned(config, sink)) tokens(rate, clickhouse);
    }

    private void tokens(SealRate rate, ClickHouseConfig clickhouse) {
        sheet.add(
                where,
                "token_window",
                (double) TokenWindow.enough(rate.perSecond()),
                Unit.TOKENS,
                "what replicated_deduplication_window, or non_replicated_deduplication_window, should be: parts of an hour,"
                        + " in thousands; everybody's count");
        var covers = sheet.add(
                where,
                "token_window_covers",
                TokenWindow.sureSeconds(TokenWindow.AMPLE_TOKENS, rate.perSecond()),
                Unit.SECONDS,
                "of a window of " + TokenWindow.AMPLE_TOKENS
                        + " tokens: nine tenths of it ÷ parts; doctor asks the table");
        if (covers < TokenWindow.REPLAY.toSeconds())
            sheet.add(Finding.hazard(
                    where,
                    "a window of " + TokenWindow.AMPLE_TOKENS + " tokens covers " + SizingText.seconds(covers)
                            + ", and a crash with its replay takes " + TokenWindow.REPLAY.toSeconds() + " s",
                    "let the table remember " + TokenWindow.enough(rate.perSecond()) + ", or raise batch.linger"));
        var readable = clickhouse
                .coordinates()
                .keySet()
                .containsAll(Set.of(Coordinate.TOPIC, Coordinate.PARTITION, Coordinate.OFFSET));
        if (!readable && load.outage().compareTo(TokenWindow.USUAL_TIME) > 0)
            sheet.add(Finding.hazard(
                    where,
                    "batches that wait " + SizingText.seconds(load.outageSeconds())
                            + " are older than a replicated table"
                            + " remembers tokens, which is " + SizingText.of(TokenWindow.USUAL_TIME)
                            + " unless it was set: on_expired_token decides then",
                    "set replicated_deduplication_window_seconds of the table above the outage, or store"
                            + " clickhouse.coordinates, by which rows are looked for before they are sent again"));
    }

    private void remembers(HttpConfig http) {
        var remembers = http.remembers();
        if (remembers == null || !Wiring.planned(config, sink) || remembers.compareTo(load.outage()) > 0) return;
        sheet.add(Finding.hazard(
                where,
                "batches that wait " + SizingText.seconds(load.outageSeconds()) + " are older than http.remembers, "
                        + SizingText.of(remembers) + ": on_expired_token decides then",
                "let the server know tokens for longer, and say so in http.remembers"));
    }
}
