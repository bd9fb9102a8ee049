package dev.millrace.intake;

import dev.millrace.sinkpool.Fate;
import dev.millrace.sinkpool.Refusal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// A sink that holds rows in memory, and ends each at once as the test says.
final class FakeInlet implements Inlet {
    final long most;
    final List<String> rows = new CopyOnWriteArrayList<>();
    final List<Integer> keyHashes = new CopyOnWriteArrayList<>();
    final AtomicLong held = new AtomicLong();
    final AtomicLong ended = new AtomicLong();

    /// Null: a row is held.
    @Nullable
    volatile Fate fate = Fate.WRITTEN;

    volatile boolean closed;
    volatile long maxBytes = 1 << 20;

    FakeInlet(long most) {
        this.most = most;
    }

    @Override
    public Room reserve(int wanted) {
        var now = held.get();
        if (closed) return new None(new Refusal(Refusal.Limit.CLOSED, wanted, now, most));
        if (now + wanted > most) return new None(new Refusal(Refusal.Limit.ROWS, wanted, now, most));
        held.addAndGet(wanted);
        return new Slots(wanted);
    }

    @Override
    public long maxRows() {
        return most;
    }

    @Override
    public long maxBytes() {
        return maxBytes;
    }

    @Override
    public long ended() {
        return ended.get();
    }

    private final class Slots implements Held {
        private int left;

        private Slots(int left) {
            this.left = left;
        }

        @Override
        public boolean stage(IntakeRow row) {
            left--;
            if (closed) {
                held.decrementAndGet();
                return false;
            }
            rows.add(row.topic() + "/" + row.shard() + " "
                    + new String(row.takeBytes(), row.from(), row.length(), StandardCharsets.UTF_8));
            keyHashes.add(row.keyHash());
            var so = fate;
            if (so == null) return true;
            held.decrementAndGet();
            ended.incrementAndGet();
            if (so == Fate.REJECTED) row.outcome().refused(row, "22003");
            row.outcome().ended(row, so);
            return true;
        }

        @Override
        public void close() {
            held.addAndGet(-left);
            left = 0;
        }
    }
}
