package dev.millrace.example;

import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.FrontHealth;
import dev.millrace.sinkpool.FrontParts;
import dev.millrace.sinkpool.FrontReport;
import dev.millrace.sinkpool.FrontSettings;
import dev.millrace.sinkpool.ItemEncoder;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PoolListener;
import dev.millrace.sinkpool.ProducerFront;
import dev.millrace.sinkpool.Refusal;
import dev.millrace.sinkpool.Refused;
import dev.millrace.sinkpool.Reservation;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import dev.millrace.sinkpool.RowRef;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.ShardSpec;
import dev.millrace.sinkpool.TokenMint;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

// [desk]
/// Takes orders of customers, and keeps two kinds of lines: an order itself, which is refused to the customer rather
/// than lost, and a trace of who looked at what, which may be lost and never delays an answer.
///
/// Thread ownership: shared; every request has a thread of its own.
final class OrderDesk implements AutoCloseable {
    private final ProducerFront<String> front;

    OrderDesk(ShardSpec shard, FrontSettings settings) {
        var parts = new FrontParts<>(
                List.of(shard), // one sink of one shard
                new Lines(),
                TokenMint.perRun(UUID.randomUUID().toString()),
                System.nanoTime(),
                DeadLetters.none(),
                new Listener());
        front = ProducerFront.start(parts, settings, NanoClock.SYSTEM);
    }

    /// Null: it is taken. Else why not now: the customer may try again.
    @Nullable
    Refusal order(String customer, String line) {
        return front.record(customer, line);
    }

    /// All of them or none, and with patience.
    @Nullable
    Refusal orders(String customer, List<String> lines, Duration patience) throws InterruptedException {
        var deadline = NanoClock.SYSTEM.nanoTime() + patience.toNanos();
        return switch (front.reserveUntil(lines.size(), deadline)) {
            case Refused<String>(var why) -> why;
            case Reservation<String> slots -> {
                try (slots) {
                    for (var line : lines) slots.stage(customer, line);
                }
                yield null;
            }
        };
    }

    /// False: there was no room, and it is lost and counted.
    boolean trace(String customer, String line) {
        return front.stage(customer, line);
    }

    FrontHealth health() {
        return front.health();
    }

    /// Takes nothing more, and writes what it has within the limit; what became of everything, or null if somebody else
    /// closed it before.
    @Nullable
    FrontReport stop(Duration limit) throws InterruptedException {
        return front.close(NanoClock.SYSTEM.nanoTime() + limit.toNanos());
    }

    @Override
    public void close() {
        front.close();
    }
}
// [/desk]

// [lines]
/// One line a row.
final class Lines implements ItemEncoder<String> {
    @Override
    public int shard(String customer, String line) {
        return 0;
    }

    @Override
    public int bytes(String line) {
        return line.length() + 48; // what a string of ASCII and its holder take
    }

    @Override
    public Encoded encode(String customer, String line, RowBuffer row) {
        if (line.indexOf('\n') >= 0) return new Encoded.Poison("line_feed", "at " + line.indexOf('\n'));
        row.putAscii(line);
        row.put((byte) '\n');
        return Encoded.WRITTEN;
    }
}
// [/lines]

/// Nobody is told: the desk's health says it all.
final class Listener implements PoolListener {
    @Override
    public void note(ShardId shard, ShardNote note) {}

    @Override
    public void stopFor(ShardId shard, RowRef row, Failure failure) {
        throw new IllegalStateException("only with PoisonSettings.Action.STOP");
    }

    @Override
    public void died(ShardId shard, Throwable cause) {}
}
