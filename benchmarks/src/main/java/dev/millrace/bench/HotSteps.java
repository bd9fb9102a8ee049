package dev.millrace.bench;

import dev.millrace.breaker.BreakerSettings;
import dev.millrace.breaker.Leave;
import dev.millrace.breaker.Preference;
import dev.millrace.breaker.ReplicaSet;
import dev.millrace.breaker.Verdict;
import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.PartitionTracker;
import dev.millrace.checkpoint.Plan;
import dev.millrace.checkpoint.PlanCodec;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.Resolved;
import dev.millrace.checkpoint.Segment;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.json.JsonCheck;
import dev.millrace.kafka.KeyRouter;
import dev.millrace.kafka.PassThroughEncoder;
import dev.millrace.sinkpool.DiscardingDoor;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// Steps of the way from poll to socket, each by itself. `route`, `encode` and `check` are done for each record, and
/// must allocate nothing; `acknowledge` for each polled range, `acquire` for each attempt, `plan` for each commit.
/// `handOver` for each item of a producer. [AppendToSeal] has appending and sealing.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class HotSteps {
    private static final SourcePartition PARTITION =
            new SourcePartition("orders", new TopicId("bbbbbbbbbbbbbbbbbbbbbb"), 0);
    private static final long SECOND = 1_000_000_000L;
    private static final int RANGE = 500;
    private static final int OPEN_SEGMENTS = 8;
    private static final int SHARDS = 4;

    private final String json =
            "{\"id\":17,\"customer\":\"a-customer\",\"amount\":12.5,\"text\":\"" + "x".repeat(960) + "\"}";
    private final byte[] value = json.getBytes(StandardCharsets.UTF_8);
    private final TextRow record = new TextRow("orders", "customer-42").of(17, json);
    private final ArrayBuffer row = new ArrayBuffer(2 * value.length);
    private final KeyRouter router = new KeyRouter(SHARDS);
    private final PassThroughEncoder encoder = PassThroughEncoder.exact();
    private final JsonCheck check = new JsonCheck();
    private final PartitionTracker tracker = new PartitionTracker(PARTITION, 1, 0, 0, 1_024, new OpenHandles());
    private final ReplicaSet replicas = new ReplicaSet(
            2, new BreakerSettings(3, 3, 100, 20 * SECOND, 80, 5 * SECOND, 60 * SECOND, 1, 5 * SECOND), SECOND);
    private final Plan plan = plan();
    private final Resolved resolved = tracker::resolve;
    private final DiscardingDoor door = new DiscardingDoor(1024);
    private long polled;
    private long now = SECOND;

    private static Plan plan() {
        List<Segment> segments = new ArrayList<>();
        for (var n = 0; n < OPEN_SEGMENTS; n++) {
            var from = 1_000_000L + n * 500_000L;
            segments.add(new Segment(from, from + 500_000, 1_800_000_000L + n, 64L << 20, false));
        }
        return new Plan(0x9f3c0d4e5b6a7788L, PARTITION.topicId(), 12_345, new TreeMap<>(), segments);
    }

    @Benchmark
    public int route() {
        return router.shard(record);
    }

    @Benchmark
    public Encoded encode() {
        row.clear();
        return encoder.encode(record, row);
    }

    @Benchmark
    public boolean check() {
        return check.object(value, 0, value.length) == null;
    }

    /// A range of two chunks.
    @Benchmark
    public long acknowledge() {
        var from = polled;
        polled += RANGE;
        var ack = tracker.register(from, polled, 0, resolved);
        var one = ack.part();
        var other = ack.part();
        ack.close();
        one.resolve(Resolution.DONE);
        other.resolve(Resolution.DONE);
        return tracker.watermark();
    }

    @Benchmark
    public String plan8() {
        return PlanCodec.encode(plan, 1_000_000L);
    }

    @Benchmark
    public boolean acquire() {
        now++;
        return replicas.acquire(new Preference.Any(), now) instanceof Leave.Granted(var permit)
                && replicas.report(permit, Verdict.HEALTHY, now);
    }

    /// A slot, an item that spends it, and a part of emptying the lane.
    @Benchmark
    public long handOver() throws InterruptedException {
        return door.putAndEmpty(value);
    }
}
