package dev.millrace.pipeline;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.config.HttpSourceConfig;
import dev.millrace.config.KafkaSourceConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.PoisonConfig;
import dev.millrace.config.SinkConfig;
import dev.millrace.kafka.DeadLetterTopic;
import dev.millrace.kafka.Planning;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.NewestTokens;
import dev.millrace.sinkpool.SegmentTokens;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkPool;
import dev.millrace.sinkpool.TokenMint;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a pipeline is made of, by its file. Made, it is connected to nothing, and no thread runs.
///
/// Thread ownership: shared; each part says its own.
final class Parts {
    private static final Duration STUCK = Duration.ofSeconds(10);

    final PipelineConfig config;
    final String version;
    final NanoClock clock = NanoClock.SYSTEM;
    final Instant startedAt = Instant.now();
    final long startedNanos = clock.nanoTime();
    final OpenHandles handles = new OpenHandles();
    final AdmissionBudget budget;
    final Pause pause;
    final Pulse pulse = new Pulse();
    final EventRing events = new EventRing();
    final ShardNews news = new ShardNews(events);
    final SetAside setAside = new SetAside();
    final Scrape scrape = new Scrape();
    final List<SinkPart> sinks;
    final Promises promises;
    final List<AdvisoryPart> advisory;
    final Shards shards;
    final @Nullable DeadLetterTopic deadLetters;
    final KeptTokens keptTokens;
    final @Nullable Planning planning;
    private final @Nullable SinkPool pool;
    private final @Nullable Fronts fronts;

    /// `news` hears of the shards. `around` as at [Pipeline#of]. Where one part can't be made, the sinks that were
    /// opened before it are closed again.
    Parts(PipelineConfig config, String version, UnaryOperator<Sink> around, PoolNews news, Pipeline owner) {
        this.config = config;
        this.version = version;
        var admission = config.admission();
        this.budget =
                new AdmissionBudget(admission.maxRows(), admission.maxBytes(), admission.resumeBelowPercent() / 100);
        this.pause = new Pause(budget, clock);
        var opened = new ArrayList<Sink>();
        try {
            this.sinks = config.sinks().stream()
                    .filter(sink -> !sink.advisory())
                    .map(sink -> open(sink, opened).within(around))
                    .toList();
            this.promises = new Promises(config, sinks);
            this.deadLetters = config.poison().action() == PoisonConfig.Action.DEAD_LETTER
                    ? new DeadLetterTopic(config.poison().topic(), config.name(), Wiring.source(config), clock)
                    : null;
            var run = new byte[8];
            var chance = new SecureRandom();
            chance.nextBytes(run);
            var perRun = TokenMint.perRun(config.name() + "/" + HexFormat.of().formatHex(run));
            var fingerprints = new Fingerprints(config);
            var mint = config.source() instanceof KafkaSourceConfig kafka
                    ? new SegmentTokens(
                            config.name(), kafka.groupId(), config.tokenEpoch(), fingerprints.bySink(), perRun)
                    : perRun;
            var kept = new LinkedHashMap<ShardId, NewestTokens>();
            for (var sink : sinks) kept.putAll(sink.newestTokens());
            this.keptTokens = new KeptTokens(kept, clock, owner::ended, why -> owner.fault(why, ExitCode.FATAL));
            this.planning = Wiring.planning(config, fingerprints.ofAll(), keptTokens::of);
            this.advisory = config.sinks().stream()
                    .filter(SinkConfig::advisory)
                    .map(sink -> AdvisoryPart.open(open(sink, opened), config, mint, chance.nextLong(), clock))
                    .toList();
            sinkParts().forEach(sink -> sink.sink().onNewLayout(() -> owner.layoutChanged(sink.name())));
            switch (config.source()) {
                case KafkaSourceConfig _ -> {
                    this.pool = new SinkPool(
                            sinks.stream().map(sink -> sink.specs(config)).toList(),
                            budget,
                            mint,
                            chance.nextLong(),
                            clock,
                            letters(),
                            news);
                    this.fronts = null;
                    this.shards = new PoolShards(pool, pause);
                }
                case HttpSourceConfig _ -> {
                    this.pool = null;
                    this.fronts = new Fronts(config, sinks, mint, chance.nextLong(), clock, news);
                    this.shards = fronts;
                }
            }
        } catch (Throwable unmade) {
            opened.forEach(Sink::close);
            throw unmade;
        }
    }

    private SinkPart open(SinkConfig sink, List<Sink> opened) {
        var part = SinkPart.open(config, sink, clock);
        opened.add(part.sink());
        return part;
    }

    /// Of a pipeline that reads a log.
    SinkPool pool() {
        return Objects.requireNonNull(pool);
    }

    /// Of a pipeline whose rows are posted.
    Fronts fronts() {
        return Objects.requireNonNull(fronts);
    }

    DeadLetters letters() {
        var letters = deadLetters;
        return letters == null ? DeadLetters.none() : letters;
    }

    /// Advisory ones, too.
    Stream<SinkPart> sinkParts() {
        return Stream.concat(sinks.stream(), advisory.stream().map(AdvisoryPart::sink));
    }

    /// Of each sink, how often it left out which field.
    Map<String, Map<String, Long>> unknownFields() {
        return sinkParts().collect(Collectors.toMap(SinkPart::name, SinkPart::unknownFields));
    }

    List<AdvisoryView> advisoryViews() {
        return advisory.stream().map(AdvisoryPart::view).toList();
    }

    /// How long a watermark may stand: a batch may be open for its linger, and be written in a moment.
    long stuckNanos() {
        var linger = config.sinks().stream()
                .filter(sink -> !sink.advisory())
                .mapToLong(sink -> sink.batch().linger().toNanos())
                .max()
                .orElse(0);
        return linger + STUCK.toNanos();
    }
}
