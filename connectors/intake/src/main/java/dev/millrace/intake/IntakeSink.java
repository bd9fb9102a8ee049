package dev.millrace.intake;

import dev.millrace.sinkpool.Router;
import dev.millrace.sinkpool.RowEncoder;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// One sink as the intake feeds it: which topics it takes, how a line becomes a row of it, and where rows go in.
///
/// Encoders are made when they are needed, and used again until the sink is described anew.
///
/// Thread ownership: shared.
public final class IntakeSink {
    private final String name;
    private final Predicate<String> takes;
    private final Supplier<RowEncoder> encoders;
    private final Router router;
    private final Inlet inlet;
    private final ShardRooms rooms;
    private final Queue<Encoder> idle = new ConcurrentLinkedQueue<>();
    private final AtomicInteger described = new AtomicInteger();

    /// An encoder, and for which description of its sink it was made.
    record Encoder(RowEncoder encoder, int described) {}

    /// `shards` are its shards' names, in the order that `router` has them.
    public IntakeSink(
            String name,
            Predicate<String> takes,
            Supplier<RowEncoder> encoders,
            Router router,
            List<String> shards,
            Inlet inlet) {
        this.name = name;
        this.takes = takes;
        this.encoders = encoders;
        this.router = router;
        this.inlet = inlet;
        this.rooms = new ShardRooms(shards, inlet.maxRows(), inlet.maxBytes());
    }

    String name() {
        return name;
    }

    boolean takes(String topic) {
        return takes.test(topic);
    }

    int shard(BodyLines line) {
        return router.shard(line);
    }

    Inlet inlet() {
        return inlet;
    }

    ShardRooms rooms() {
        return rooms;
    }

    /// For one thread, until it is given back.
    Encoder encoder() {
        var now = described.get();
        for (var one = idle.poll(); one != null; one = idle.poll()) if (one.described() == now) return one;
        return new Encoder(encoders.get(), now);
    }

    void giveBack(Encoder encoder) {
        if (encoder.described() == described.get()) idle.add(encoder);
    }

    /// It is described anew: rows are made differently from now on.
    public void describedAnew() {
        described.incrementAndGet();
    }
}
