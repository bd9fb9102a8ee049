package dev.millrace.pipeline;

import dev.millrace.clickhouse.ClickHouseSink;
import dev.millrace.config.BlackholeConfig;
import dev.millrace.config.ClickHouseConfig;
import dev.millrace.config.FormatConfig;
import dev.millrace.config.HttpConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.PostgresConfig;
import dev.millrace.config.ShardConfig;
import dev.millrace.config.SinkConfig;
import dev.millrace.config.Topics;
import dev.millrace.http.HttpSink;
import dev.millrace.intake.Inlet;
import dev.millrace.intake.IntakeSink;
import dev.millrace.kafka.PassThroughEncoder;
import dev.millrace.kafka.SinkFeed;
import dev.millrace.postgres.Description;
import dev.millrace.postgres.PostgresSink;
import dev.millrace.sinkpool.Checkup;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.NewestTokens;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardSpec;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SlabPool;
import java.net.URI;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One sink of a pipeline, opened: its shards as the pool drives them, and its feed as the source
/// sees it.
///
/// Thread ownership: the thread that starts the pipeline.
final class SinkPart {
    private static final Guarantee NOTHING_KEPT = new Guarantee(Guarantee.Level.L0, "blackhole keeps nothing");

    private final SinkConfig config;
    private final Sink sink;

    /// What rows go through: the sink, or what was laid about it.
    private final Sink used;

    /// Shards that the last question did not reach; null before one was answered.
    private volatile @Nullable List<ShardId> unseen;

    private final boolean planned;

    /// How long its cuts wait: known once the topics are.
    private final AtomicLong cutLingerNanos;

    private SinkPart(SinkConfig config, Sink sink, boolean planned) {
        this(config, sink, sink, planned);
    }

    private SinkPart(SinkConfig config, Sink sink, Sink used, boolean planned) {
        this.config = config;
        this.sink = sink;
        this.used = used;
        this.planned = planned;
        this.cutLingerNanos = new AtomicLong(config.batch().linger().toNanos());
    }

    /// Connects nowhere.
    static SinkPart open(PipelineConfig pipeline, SinkConfig config, NanoClock clock) {
        return new SinkPart(
                config,
                switch (config.kind()) {
                    case PostgresConfig postgres ->
                        PostgresSink.open(Wiring.postgres(pipeline, config, postgres), shards(config), clock);
                    case ClickHouseConfig clickhouse ->
                        ClickHouseSink.open(
                                Wiring.clickhouse(config, clickhouse),
                                shards(config),
                                PassThroughEncoder::singleLine,
                                clock);
                    case HttpConfig http ->
                        HttpSink.open(Wiring.http(pipeline, config, http), shards(config), lines(pipeline), clock);
                    case BlackholeConfig() -> new BlackholeSink(PassThroughEncoder::exact);
                },
                Wiring.planned(pipeline, config));
    }

    /// A checked value is written on one line; of any other no byte is changed.
    private static Supplier<RowEncoder> lines(PipelineConfig pipeline) {
        return switch (pipeline.format()) {
            case FormatConfig.Json _ -> PassThroughEncoder::singleLine;
            case FormatConfig.Raw _ -> PassThroughEncoder::exact;
        };
    }

    private static Map<ShardId, List<URI>> shards(SinkConfig config) {
        var out = new LinkedHashMap<ShardId, List<URI>>();
        for (var shard : config.shards()) out.put(new ShardId(config.name(), shard.name()), Wiring.endpoints(shard));
        return out;
    }

    String name() {
        return config.name();
    }

    Sink sink() {
        return sink;
    }

    /// The same sink, and wherever rows go through it what `around` makes of it.
    SinkPart within(UnaryOperator<Sink> around) {
        return new SinkPart(config, sink, around.apply(sink), planned);
    }

    /// Asks the sink what it looks like. Null when it may be written to; else why not yet. Throws
    /// where a person has to mend something.
    @Nullable
    String notYet(long deadlineNanos) throws StartFailure {
        return switch (sink) {
            case PostgresSink postgres ->
                switch (postgres.describe(deadlineNanos)) {
                    case Description.Described(var _, var unreached, var _) -> reached(unreached);
                    case Description.NotReachable(var failure) -> failure.toString();
                    case Description.Refused(var reason) -> throw refused(reason);
                };
            case ClickHouseSink clickhouse ->
                switch (clickhouse.describe(deadlineNanos)) {
                    case dev.millrace.clickhouse.Description.Described described ->
                        reached(Stream.concat(
                                        described.unseen().stream(),
                                        shardIds().filter(shard -> !clickhouse.lookedAt(shard)))
                                .distinct()
                                .toList());
                    case dev.millrace.clickhouse.Description.NotReachable(var failure) -> failure.toString();
                    case dev.millrace.clickhouse.Description.Refused(var reason) -> throw refused(reason);
                };
            case HttpSink http -> looked(http, deadlineNanos);
            default -> reached(List.of());
        };
    }

    /// It is written to whether or not it is there: its breakers and retries wait for it.
    private @Nullable String looked(HttpSink http, long deadlineNanos) throws StartFailure {
        try {
            return switch (http.look(deadlineNanos)) {
                case HttpSink.Looked.Seen(var silent) -> reached(silent);
                case HttpSink.Looked.Refused(var reason) -> throw refused(reason);
            };
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return "looking at it was ended";
        }
    }

    private @Nullable String reached(List<ShardId> unreached) {
        unseen = unreached;
        return null;
    }

    /// Shards that have not answered yet.
    List<ShardId> unseen() {
        var told = unseen;
        return told == null ? shardIds().toList() : told;
    }

    private Stream<ShardId> shardIds() {
        return config.shards().stream().map(shard -> new ShardId(name(), shard.name()));
    }

    /// What is promised of repeats, by what the sink has told so far. Blocks for nothing.
    Guarantee guarantee(Levels levels) {
        if (config.advisory()) return Levels.ofAdvisory();
        return levels.of(Levels.least(shardIds().map(this::allowed).toList()));
    }

    private Guarantee allowed(ShardId shard) {
        return switch (sink) {
            case PostgresSink postgres ->
                Levels.ofTransactions(
                        shard.toString(),
                        postgres.keepsTokens(shard),
                        config.kind() instanceof PostgresConfig kind
                                && kind.onConflict() == PostgresConfig.OnConflict.IGNORE);
            case ClickHouseSink clickhouse -> clickhouse.ceiling(shard);
            case HttpSink http -> http.ceiling(shard);
            default -> NOTHING_KEPT;
        };
    }

    /// Looks at all that it would write to, and changes nothing. Of an advisory sink nothing is a
    /// fault: nothing waits for it.
    Checkup checkUp(Levels levels, long deadlineNanos, InstantSource wallClock) throws InterruptedException {
        var checkup = switch (sink) {
            case PostgresSink postgres -> postgres.checkUp(deadlineNanos, wallClock);
            case ClickHouseSink clickhouse -> clickhouse.checkUp(deadlineNanos, wallClock);
            case HttpSink http -> http.checkUp(deadlineNanos, wallClock);
            default -> new Checkup(NOTHING_KEPT, List.<Finding>of());
        };
        if (!config.advisory()) return new Checkup(levels.of(checkup.guarantee()), checkup.findings());
        return new Checkup(
                Levels.ofAdvisory(),
                checkup.findings().stream().map(Finding::ofAdvisory).toList());
    }

    private StartFailure refused(String reason) {
        return new StartFailure(ExitCode.BAD_CONFIGURATION, "sinks." + name() + ": " + reason);
    }

    /// How often `unknown_fields: ignore` left out each field.
    Map<String, Long> unknownFields() {
        return switch (sink) {
            case PostgresSink postgres -> postgres.ignoredFields();
            case ClickHouseSink clickhouse -> clickhouse.ignoredFields();
            default -> Map.of();
        };
    }

    List<ShardSpec> specs(PipelineConfig pipeline) {
        var counts = used.traits().countsRows();
        return config.shards().stream()
                .map(shard ->
                        new ShardSpec(Wiring.shard(pipeline, config, shard, counts), used, Wiring.endpoints(shard)))
                .toList();
    }

    SinkFeed feed(PipelineConfig pipeline) {
        return new SinkFeed(
                name(),
                takes(config.topics()),
                used::encoder,
                Wiring.router(pipeline.route(), config),
                config.shards().size(),
                config.ordering().lanes(),
                new SlabPool(config.chunk().targetBytes(), keptBytes(pipeline)),
                config.chunk().linger().toNanos(),
                planned
                        ? new SinkFeed.PlannedBatches(
                                config.batch().maxRows(), config.batch().maxBytes(), cutLingerNanos::get)
                        : null);
    }

    /// As an intake feeds it.
    IntakeSink posted(PipelineConfig pipeline, Inlet inlet) {
        return new IntakeSink(
                name(),
                takes(config.topics()),
                used::encoder,
                Wiring.router(pipeline.route(), config),
                config.shards().stream().map(ShardConfig::name).toList(),
                inlet);
    }

    /// Of one sink as much as the budget: what is in flight is taken out of what is kept first, so both together are no
    /// more. Of several a quarter of it in all, since what one keeps another does not use.
    private static long keptBytes(PipelineConfig pipeline) {
        var all = pipeline.admission().maxBytes();
        var sinks = pipeline.sinks().size();
        return sinks == 1 ? all : all / 4 / sinks;
    }

    /// What cutting costs with so many partitions of each topic (EO-17); null where nothing is cut.
    @Nullable
    CutRate cutRate(Map<String, Integer> partitions, long budgetBytes) {
        if (!planned) return null;
        var takes = takes(config.topics());
        var count = partitions.entrySet().stream()
                .filter(topic -> takes.test(topic.getKey()))
                .mapToInt(Map.Entry::getValue)
                .sum();
        var batch = config.batch();
        var rate = CutRate.of(
                count,
                config.shards().size(),
                config.ordering().lanes(),
                Math.max(1, batch.linger().toNanos()),
                batch.maxCuts(),
                budgetBytes);
        cutLingerNanos.set(rate.lingerNanos());
        return rate;
    }

    /// By its shards, where it keeps tokens for good.
    Map<ShardId, NewestTokens> newestTokens() {
        var out = new LinkedHashMap<ShardId, NewestTokens>();
        if (planned && sink instanceof NewestTokens tokens) shardIds().forEach(shard -> out.put(shard, tokens));
        return out;
    }

    private static Predicate<String> takes(Topics topics) {
        return switch (topics) {
            case Topics.Listed(var names) -> names::contains;
            case Topics.Matching matching -> matching.pattern().asMatchPredicate();
        };
    }
}
