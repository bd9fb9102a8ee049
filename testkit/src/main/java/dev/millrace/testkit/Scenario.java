package dev.millrace.testkit;

import dev.millrace.breaker.BreakerSettings;
import dev.millrace.kafka.KafkaSourceSettings;
import dev.millrace.kafka.KafkaSourceSettings.OnLostOffset;
import dev.millrace.kafka.KafkaSourceSettings.OnPoison;
import dev.millrace.kafka.Planning;
import dev.millrace.kafka.ValueFormat;
import dev.millrace.sinkpool.AmbiguousSettings;
import dev.millrace.sinkpool.PoisonSettings;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.TokenLog;
import dev.millrace.testkit.Suppressed.Size;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/// What a seed fixes before anything happens: the settings, the load, the faults. `dealt` are the kinds
/// of fault that the seed deals, those that are suppressed among them.
record Scenario(
        long seed,
        Profile profile,
        Set<Fault> dealt,
        Suppressed suppressed,
        boolean planned,
        long chaosNanos,
        double attemptFaults,
        Load load,
        Source source,
        Sink sink) {

    /// `stepsOfEpoch` is after how many records the leader epoch grows; 0 for unknown epochs.
    record Load(int topics, int partitions, int records, boolean skips, int stepsOfEpoch) {}

    /// How sources are driven. `polled` is the most records of one poll of one partition.
    record Source(
            int processes,
            int members,
            int polled,
            int chunkBytes,
            long chunkLingerNanos,
            long budgetRows,
            long budgetBytes,
            double resumeBelow,
            int maxPending,
            int mailboxRows,
            long commitNanos,
            long revokeNanos,
            long turnNanos,
            long commitTimeoutNanos,
            long stalledNanos,
            long identityNanos,
            long sessionNanos,
            Protocol protocol,
            ValueFormat.Kind format,
            OnPoison onPoison,
            int mostLetters,
            OnLostOffset onLostOffset,
            int route,
            int lanes) {
        /// What decides which rows a batch has.
        String fingerprint() {
            return format + " " + route + (lanes > 1 ? " " + lanes : "");
        }

        /// Rows of one key keep their order. Without, `lanes` is 0.
        boolean ordered() {
            return lanes > 0;
        }

        /// As after a change of the file between two runs. What the group must agree on stays.
        Source changed(Chance chance, Suppressed suppressed, boolean planned) {
            var other = source(chance, suppressed, planned, ordered());
            return new Source(
                    processes,
                    other.members,
                    other.polled,
                    other.chunkBytes,
                    other.chunkLingerNanos,
                    other.budgetRows,
                    other.budgetBytes,
                    other.resumeBelow,
                    other.maxPending,
                    other.mailboxRows,
                    other.commitNanos,
                    other.revokeNanos,
                    other.turnNanos,
                    other.commitTimeoutNanos,
                    other.stalledNanos,
                    other.identityNanos,
                    other.sessionNanos,
                    protocol,
                    other.format,
                    onPoison,
                    other.mostLetters,
                    onLostOffset,
                    planned && chance.of(0.3) ? 1 - route : route,
                    other.lanes);
        }
    }

    /// How members find each other.
    enum Protocol {
        EAGER,
        COOPERATIVE,
        EPOCHS
    }

    /// How sinks are driven, and what they can do.
    record Sink(
            int shards,
            int replicas,
            int maxInFlight,
            int maxTotal,
            long writeNanos,
            long writeTimeoutNanos,
            boolean countsRows,
            Store store,
            ShardSettings.BatchSettings batch,
            ShardSettings.RetrySettings retry,
            BreakerSettings breaker,
            PoisonSettings poison,
            Content content,
            AmbiguousSettings ambiguous) {
        /// As after a change of the file between two runs. What the stores are like stays.
        Sink changed(Chance chance, boolean ordered) {
            return new Sink(
                    shards,
                    replicas,
                    chance.between(1, 3),
                    maxTotal,
                    writeNanos,
                    2 * writeNanos + chance.spreadMillis(20, 3_000),
                    countsRows,
                    store,
                    Scenario.batch(chance),
                    Scenario.retry(chance, ordered),
                    Scenario.breaker(chance, writeNanos),
                    Scenario.poison(chance),
                    content,
                    Scenario.ambiguous(chance, store.kind()));
        }

        /// Where a batch may have one replica only, that must be able to come back beside its siblings.
        private BreakerSettings probed() {
            return new BreakerSettings(
                    breaker.window(),
                    breaker.minCalls(),
                    breaker.failureRate(),
                    breaker.slowNanos(),
                    breaker.slowRate(),
                    breaker.openNanos(),
                    breaker.openMaxNanos(),
                    breaker.halfOpenProbes(),
                    Math.max(breaker.probeTimeoutNanos(), 2 * writeNanos));
        }

        ShardSettings shard(int shard, Source source, PoisonSettings.Action action, boolean planned) {
            return new ShardSettings(
                    new ShardId("warehouse", "s" + shard),
                    replicas,
                    Math.max(1, source.lanes()),
                    source.ordered(),
                    batch,
                    maxInFlight,
                    maxTotal,
                    writeTimeoutNanos,
                    retry,
                    store.kind().tokenLog() == TokenLog.UNSHARED ? probed() : breaker,
                    countsRows,
                    new PoisonSettings(
                            action, poison.singleRow(), poison.maxRate(), poison.evidenceNanos(), poison.attempts()),
                    ambiguous,
                    planned ? ShardSettings.Role.PLANNED_RESENDS : ShardSettings.Role.MERGES);
        }
    }

    /// What the stores do with repeats. `blockRows` is how many rows they apply at once; a windowed one
    /// knows its last `windowTokens` tokens, none for longer than `windowNanos`; a lagging one may lose
    /// what is younger than `lagNanos`.
    record Store(SinkKind kind, int blockRows, int windowTokens, long windowNanos, long lagNanos) {}

    /// Which rows the stores do not take for what is in them: `poison` of 100,000; and what they
    /// say of it.
    record Content(int poison, Hint hint) {}

    /// Which row a store names when it refuses a batch.
    enum Hint {
        RIGHT,
        ABSENT,
        LYING
    }

    private static final List<Hint> HINTS = List.of(Hint.values());
    private static final List<Protocol> PROTOCOLS = List.of(Protocol.values());
    private static final List<OnPoison> ON_POISON = List.of(OnPoison.values());
    /// How long a request may be under way: what a window is longer than what a sink tells of it.
    static final long WINDOW_MARGIN_NANOS = 20_000_000_000L;

    /// No commit that timed out is applied later.
    private static final long QUARANTINE_NANOS = 4_000_000_000L;

    /// So chosen that of the seeds that found something before there was order, all but two are what they were.
    private static final long ORDERED = 0xF57C;

    /// So chosen that the seeds that found something before writes were limited are what they were.
    private static final long LIMITED = 0x65762C;

    private static final int MOST_TOTAL = 3;

    private static final int MOST_OPEN_SEGMENTS = 8;
    private static final int PLAN_CHARACTERS = 4096;
    private static final long YEAR_NANOS = 365L * 24 * 3600 * 1_000_000_000;

    /// The longest row, in bytes.
    static final int LONGEST_ROW = 96;

    /// Records larger than the budget come only where it is no larger than this.
    private static final long LARGEST_BUDGET = 10_000;

    static Scenario of(long seed, Chance chance, Suppressed suppressed) {
        var profile = Profile.of(seed);
        var faults = EnumSet.noneOf(Fault.class);
        for (var fault : Fault.values()) if (chance.of(profile.others())) faults.add(fault);
        faults.addAll(profile.always());
        return new Scenario(
                seed,
                profile,
                faults,
                suppressed,
                planned(seed),
                chance.spreadMillis(2_000, 20_000),
                chance.of(0.3) ? 0 : chance.generator().nextDouble() * 0.4,
                load(chance, suppressed, planned(seed)),
                source(chance, suppressed, planned(seed), ordered(seed)),
                sink(chance, suppressed, planned(seed), ordered(seed), maxTotal(seed)));
    }

    /// Under effectively-once delivery, every other seed; drawn from nothing, so that the others
    /// stay what they are.
    static boolean planned(long seed) {
        return (Mix.of(seed, 0x5EA1) & 1) == 0;
    }

    /// With order by key, every fifth seed; drawn from nothing too.
    static boolean ordered(long seed) {
        return Math.floorMod(Mix.of(seed, ORDERED), 5) == 0;
    }

    /// How many writes the shards have at once, all together, every fifth seed; 0 for as many as they like. Drawn from
    /// nothing too.
    static int maxTotal(long seed) {
        var mixed = Math.floorMod(Mix.of(seed, LIMITED), 5 * MOST_TOTAL);
        return mixed < MOST_TOTAL ? mixed + 1 : 0;
    }

    /// Where the clock of a process begins: often just before it overflows, or zero.
    static long origin(Chance chance) {
        return switch (chance.between(0, 4)) {
            case 0 -> 0;
            case 1 -> Long.MAX_VALUE - chance.millis(0, 20_000);
            case 2 -> -chance.millis(0, 20_000);
            case 3 -> Long.MIN_VALUE + chance.millis(0, 20_000);
            default -> chance.generator().nextLong();
        };
    }

    private static Load load(Chance chance, Suppressed suppressed, boolean planned) {
        // Without epochs nobody can tell the rows of a log that was cut from those that came for them.
        var unknownEpochs = planned ? 0.0 : 0.3;
        return new Load(
                suppressed.of(Size.TOPICS, chance.between(1, 2)),
                suppressed.of(Size.PARTITIONS, chance.between(1, 3)),
                suppressed.of(Size.RECORDS, (int) chance.spread(10, 120)),
                chance.of(0.5),
                chance.of(unknownEpochs) ? 0 : chance.between(5, 60));
    }

    private static Source source(Chance chance, Suppressed suppressed, boolean planned, boolean ordered) {
        return new Source(
                suppressed.of(Size.PROCESSES, chance.between(1, 2)),
                suppressed.of(Size.MEMBERS, chance.between(1, 2)),
                (int) chance.spread(1, 40),
                (int) chance.spread(1_024, 4_000),
                chance.spreadMillis(1, 100),
                planned ? chance.spread(2_000, 20_000) : chance.spread(8, 2_000),
                planned ? chance.spread(100_000, 1_000_000) : chance.spread(1_000, 100_000),
                0.1 + 0.8 * chance.generator().nextDouble(),
                (int) chance.spread(1, 40),
                (int) chance.spread(8, 400),
                chance.spreadMillis(100, 3_000),
                chance.spreadMillis(20, 3_000),
                chance.spreadMillis(5, 100),
                chance.spreadMillis(50, 3_000),
                chance.spreadMillis(500, 5_000),
                chance.spreadMillis(300, 10_000),
                chance.spreadMillis(500, 6_000),
                chance.any(PROTOCOLS),
                chance.of(0.5) ? ValueFormat.Kind.RAW : ValueFormat.Kind.JSON,
                chance.any(ON_POISON),
                (int) chance.spread(1, 40),
                chance.of(0.5) ? OnLostOffset.HALT : OnLostOffset.CONTINUE,
                0,
                ordered ? chance.between(1, 4) : 0);
    }

    private static Sink sink(Chance chance, Suppressed suppressed, boolean planned, boolean ordered, int maxTotal) {
        var longest = chance.spreadMillis(20, 3_000);
        var write = Math.max(1, (long) (longest * 0.5 * chance.generator().nextDouble()));
        var writeTimeout = chance.of(0.03) ? YEAR_NANOS : longest;
        var shards = suppressed.of(Size.SHARDS, chance.between(1, 3));
        var replicas = suppressed.of(Size.REPLICAS, chance.between(1, 3));
        var maxInFlight = chance.between(1, 3);
        var countsRows = chance.of(0.7);
        var store = store(chance, planned);
        return new Sink(
                shards,
                replicas,
                maxInFlight,
                maxTotal,
                write,
                writeTimeout,
                countsRows,
                store,
                batch(chance),
                retry(chance, ordered),
                breaker(chance, write),
                poison(chance),
                new Content(
                        (int) (chance.of(0.25) ? chance.spread(10_000, 60_000) : chance.spread(200, 4_000)),
                        chance.any(HINTS)),
                ambiguous(chance, store.kind()));
    }

    private static PoisonSettings poison(Chance chance) {
        var action = chance.between(0, 9);
        return new PoisonSettings(
                action < 7
                        ? PoisonSettings.Action.DEAD_LETTER
                        : action < 9 ? PoisonSettings.Action.SKIP : PoisonSettings.Action.STOP,
                chance.of(0.7) ? PoisonSettings.SingleRow.WAIT : PoisonSettings.SingleRow.DEAD_LETTER,
                chance.spread(1, 100) / 100.0,
                chance.spreadMillis(100, 600_000),
                chance.between(1, 2));
    }

    /// Drawn only where it matters, so that the other seeds stay what they are.
    private static AmbiguousSettings ambiguous(Chance chance, SinkKind kind) {
        if (kind.tokenLog() != TokenLog.UNSHARED) return AmbiguousSettings.DEFAULT;
        return new AmbiguousSettings(
                chance.of(0.1) ? 0 : chance.spreadMillis(1, 30_000),
                chance.of(0.5) ? AmbiguousSettings.Then.WAIT : AmbiguousSettings.Then.RESEND);
    }

    private static Store store(Chance chance, boolean planned) {
        var any = chance.any(SinkKind.ALL);
        // Where batches are planned, what commits tokens with rows is the case of a whole connector.
        var kind = planned && any == SinkKind.LAGGING ? SinkKind.TRANSACTIONAL : any;
        return new Store(
                kind,
                kind == SinkKind.MULTI_BLOCK ? (int) chance.spread(1, 15) : Integer.MAX_VALUE,
                planned ? Integer.MAX_VALUE : (int) chance.spread(1, 40),
                // No sender can know how many others there are; how old its own are it can.
                planned ? WINDOW_MARGIN_NANOS + chance.spreadMillis(1_000, 60_000) : chance.spreadMillis(50, 5_000),
                chance.spreadMillis(50, 5_000));
    }

    private static ShardSettings.BatchSettings batch(Chance chance) {
        return new ShardSettings.BatchSettings(
                (int) chance.spread(1, 200),
                chance.spread(48, 8_000),
                chance.of(0.1) ? 0 : chance.spreadMillis(1, 2_000));
    }

    /// Where order is kept nothing is given up.
    private static ShardSettings.RetrySettings retry(Chance chance, boolean ordered) {
        var initial = chance.spreadMillis(1, 500);
        return new ShardSettings.RetrySettings(
                initial,
                initial * chance.between(1, 20),
                1 + chance.generator().nextDouble() * 3,
                chance.of(0.2) ? 0 : 0.2,
                chance.of(0.8) || ordered ? 0 : chance.between(1, 12));
    }

    private static BreakerSettings breaker(Chance chance, long writeNanos) {
        // Never so short that a replica that is well counts as slow: it would be opened for ever.
        var slow = chance.of(0.6) ? Long.MAX_VALUE : 2 * writeNanos + chance.spreadMillis(1, 1_000);
        var failures = chance.between(1, 4);
        var byRate = chance.of(0.4);
        var window = byRate ? chance.between(2, 10) : failures;
        var open = chance.of(0.05) ? 0 : chance.spreadMillis(20, 3_000);
        return new BreakerSettings(
                window,
                byRate ? chance.between(1, window) : failures,
                byRate ? chance.between(20, 100) : 100,
                slow,
                chance.of(0.5) ? 100 : chance.between(20, 100),
                open,
                open * chance.between(1, 12),
                chance.between(1, 2),
                chance.spreadMillis(10, 2_000));
    }

    /// A row larger than the whole budget, where there are such.
    int largeRow() {
        return dealt.contains(Fault.LARGE_RECORD) && source.budgetBytes <= LARGEST_BUDGET
                ? (int) source.budgetBytes + 100
                : 0;
    }

    /// A process's source settings; those by which an operator answers a stop as they are now.
    KafkaSourceSettings kafka(Source of, OnPoison onPoison, OnLostOffset onLostOffset, InstantSource wall) {
        var topics = new ArrayList<String>();
        for (var topic = 0; topic < load.topics; topic++) topics.add("t" + topic);
        return KafkaSourceSettings.of("simulated", new KafkaSourceSettings.Subscription.Named(topics), "group")
                .planning(planned ? planning(of, wall) : null)
                .replans(true)
                .onNoOffset(KafkaSourceSettings.OnNoOffset.EARLIEST)
                .onLostOffset(onLostOffset)
                .values(new KafkaSourceSettings.Values(
                        of.format, ValueFormat.OnTombstone.SKIP, onPoison, of.mostLetters))
                .checkpoint(new KafkaSourceSettings.Checkpoint(
                        of.commitNanos, of.maxPending, of.stalledNanos, of.commitTimeoutNanos))
                .membership(new KafkaSourceSettings.Membership(of.revokeNanos, YEAR_NANOS, YEAR_NANOS));
    }

    private static Planning planning(Source of, InstantSource wall) {
        return new Planning(
                of.fingerprint().hashCode(),
                new AtomicInteger(),
                MOST_OPEN_SEGMENTS,
                PLAN_CHARACTERS,
                QUARANTINE_NANOS,
                wall,
                _ -> Map.of());
    }

    /// The run has faults of this kind.
    boolean has(Fault fault) {
        return dealt.contains(fault) && !suppressed.leavesOut(fault);
    }
}
