package dev.millrace.bench;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.kafka.FetchedPolls;
import dev.millrace.kafka.KafkaSourceSettings;
import dev.millrace.kafka.KeyRouter;
import dev.millrace.kafka.PassThroughEncoder;
import dev.millrace.kafka.SinkFeed;
import dev.millrace.kafka.SourceCounters;
import dev.millrace.kafka.SourceEvent;
import dev.millrace.kafka.SourceMachine;
import dev.millrace.kafka.ValueFormat;
import dev.millrace.lab.BrokerProcess;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.SlabCost;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// From a polled record to a sealed batch that was written, with the machines of the product on one thread: check,
/// route by murmur2 to one of four shards, append, hand over, seal, settle.
///
/// The records are what the product's consumer fetched from a broker, 11-byte keys, in the arrays it got them in. One
/// operation is one record.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class AppendToSeal {
    static final int RECORDS = 20_000;
    private static final int PARTITIONS = 4;
    private static final int SHARDS = 4;
    private static final int CHUNK = 128 << 10;
    private static final long CHUNK_LINGER = 20_000_000L;

    /// The slabs that records went into, for what the profiler tells besides.
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Slabs {
        public long slabBytes;
        public long records;
    }

    @Param({"1024", "100"})
    public int valueBytes;

    private final ArrayDeque<SourceEvent> inbox = new ArrayDeque<>();
    private final SourceCounters counters = new SourceCounters();
    private final OpenHandles handles = new OpenHandles();
    private final SinkFeed feed = new SinkFeed(
            "bench", _ -> true, PassThroughEncoder::exact, new KeyRouter(SHARDS), SHARDS, 1, CHUNK, CHUNK_LINGER);
    private final KafkaSourceSettings settings = KafkaSourceSettings.of(
                    "nowhere:1", new KafkaSourceSettings.Subscription.Named(List.of("bench")), "bench")
            .values(new KafkaSourceSettings.Values(
                    ValueFormat.Kind.RAW, ValueFormat.OnTombstone.SKIP, KafkaSourceSettings.OnPoison.STOP));
    private SealingShards shards = new SealingShards(SHARDS);
    private long slabCost;
    private long epochs;
    private @Nullable FetchedPolls polls;
    private @Nullable SourceMachine source;

    @Setup
    public void fetch() {
        try (var broker = BrokerProcess.launch()) {
            var shape = Shape.of(valueBytes).partitions(PARTITIONS);
            var topic = FilledTopic.fill(broker.bootstrapServers(), shape, RECORDS);
            polls = FetchedPolls.read(broker.bootstrapServers(), topic.name(), PARTITIONS, RECORDS);
        }
        shards = new SealingShards(SHARDS);
        source = SourceMachine.alone(
                new SourceMachine.Parts(
                        settings,
                        List.of(feed),
                        shards,
                        (range, resolution) -> inbox.add(new SourceEvent.RangeResolved(range, resolution)),
                        handles,
                        () -> ++epochs,
                        counters,
                        DeadLetters.none()),
                shards.now());
        slabCost = SlabCost.of(CHUNK, valueBytes + 1);
    }

    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long appendToSeal(Slabs slabs) {
        slabs.records += RECORDS;
        slabs.slabBytes += run();
        return shards.rowsWritten();
    }

    /// All records once, in an epoch of its own. Returns what their slabs took of the heap.
    long run() {
        var fetched = polls;
        var machine = source;
        if (fetched == null || machine == null) throw new IllegalStateException("nothing was fetched");
        var before = shards.rowsWritten();
        for (var assigned : fetched.assigned()) tell(machine, assigned);
        for (var polled : fetched.polled()) tell(machine, polled);
        shards.pass(CHUNK_LINGER);
        tell(machine, new SourceEvent.Tick()); // closes the open chunks
        tell(machine, new SourceEvent.Tick()); // hands them over
        shards.sealAll();
        for (var event = inbox.poll(); event != null; event = inbox.poll()) tell(machine, event);
        tell(machine, new SourceEvent.Lost(fetched.partitions()));
        var written = shards.rowsWritten() - before;
        if (written != fetched.records() || shards.budget().rows() != 0)
            throw new IllegalStateException(written + " of " + fetched.records() + " records were written");
        return slabCost * shards.takeSlabCount();
    }

    private void tell(SourceMachine machine, SourceEvent event) {
        machine.on(event, shards.now(), _ -> {});
    }
}
