package dev.millrace.example;

import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkTraits;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongFunction;

/// A store of numbered lines that behaves as it is told for each call: it takes them, breaks off, is overloaded, hangs,
/// or takes them and hangs. It knows a token again, and counts how often each number came.
final class WaywardSink implements Sink, SinkWriter {
    /// How it behaves in one call.
    enum Mood {
        WELL,
        BREAKS_OFF,
        OVERLOADED,
        HANGS,
        TAKES_AND_HANGS
    }

    private final LongFunction<Mood> moods;
    private final AtomicLong calls = new AtomicLong();
    private final Map<Mood, LongAdder> came = new EnumMap<>(Mood.class);
    private final Set<String> tokens = new HashSet<>();
    private final byte[] times;

    /// `moods` is given the number of a call, from 0; the lines are numbered below `count`.
    WaywardSink(int count, LongFunction<Mood> moods) {
        this.moods = moods;
        times = new byte[count];
        for (var mood : Mood.values()) came.put(mood, new LongAdder());
    }

    @Override
    public WriteOutcome write(WriteCall call) throws InterruptedException {
        var cancelled = new CountDownLatch(1);
        call.onCancel(cancelled::countDown);
        var mood = moods.apply(calls.getAndIncrement());
        count(mood).increment();
        return switch (mood) {
            case WELL -> take(call);
            case BREAKS_OFF -> unavailable(false, new Blame.Replica());
            case OVERLOADED -> unavailable(false, new Blame.Overload(0));
            case HANGS -> {
                cancelled.await();
                yield unavailable(true, new Blame.Replica());
            }
            case TAKES_AND_HANGS -> {
                take(call);
                cancelled.await();
                yield unavailable(true, new Blame.Replica());
            }
        };
    }

    private static WriteOutcome unavailable(boolean mayHaveStored, Blame blame) {
        return new WriteOutcome.Unavailable(new Failure("mood", "not now", mayHaveStored), blame);
    }

    private synchronized WriteOutcome take(WriteCall call) {
        if (!tokens.add(call.token().text()))
            return new WriteOutcome.Written(0, call.rows().rows());
        var number = 0;
        for (ByteBuffer piece : call.rows().gather())
            while (piece.hasRemaining()) {
                var letter = piece.get();
                if (letter == '\n') {
                    times[number]++;
                    number = 0;
                } else number = number * 10 + letter - '0';
            }
        return new WriteOutcome.Written(call.rows().rows(), 0);
    }

    /// How often a number came.
    synchronized int times(int number) {
        return times[number];
    }

    long came(Mood mood) {
        return count(mood).sum();
    }

    private LongAdder count(Mood mood) {
        return Objects.requireNonNull(came.get(mood));
    }

    @Override
    public WriteOutcome ping(PingCall call) {
        return new WriteOutcome.Written(0, 0);
    }

    @Override
    public SinkTraits traits() {
        return new SinkTraits(true);
    }

    @Override
    public RowEncoder encoder() {
        throw new IllegalStateException("a front has an encoder of its own");
    }

    @Override
    public SinkWriter writer(ShardId shard, URI endpoint) {
        return this;
    }

    @Override
    public void close() {}
}
