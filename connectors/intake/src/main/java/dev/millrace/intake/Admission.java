package dev.millrace.intake;

import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.Refusal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Takes the rows of a body in, all of them or none: each line is made a row of each sink first, then slots for all are
/// reserved with every sink, and only then is anything handed over.
///
/// Thread ownership: shared; a body belongs to the thread that brings it.
final class Admission {
    private final List<IntakeSink> sinks;
    private final List<Pace> paces;
    private final boolean json;
    private final NanoClock clock;
    private final AtomicInteger numbers = new AtomicInteger();
    /// Rows take more of the heap than the body they came in, so few bodies are made rows at once: one for each
    /// processor.
    private final Semaphore encoding = new Semaphore(Runtime.getRuntime().availableProcessors());

    Admission(List<IntakeSink> sinks, boolean json, NanoClock clock) {
        this.sinks = List.copyOf(sinks);
        this.paces = sinks.stream().map(_ -> new Pace()).toList();
        this.json = json;
        this.clock = clock;
    }

    /// Rows with a key go where it says, all others of a body to one shard, another for the next. When it returns, all
    /// rows were handed over in the order of their lines: what is posted after an answer comes behind them.
    Admitted take(String topic, byte[] body, byte @Nullable [] key) {
        encoding.acquireUninterruptibly();
        try {
            return encoded(topic, body, key);
        } finally {
            encoding.release();
        }
    }

    private Admitted encoded(String topic, byte[] body, byte @Nullable [] key) {
        for (var i = 0; i < sinks.size(); i++)
            paces.get(i).look(clock.nanoTime(), sinks.get(i).inlet().ended());
        var rows = new ArrayList<SinkRows>();
        for (var sink : sinks) if (sink.takes(topic)) rows.add(new SinkRows(sink, body.length));
        var lines = new BodyLines(topic, body, key, numbers.incrementAndGet() & Integer.MAX_VALUE, json);
        var count = 0;
        for (; lines.next(); count++) {
            var refused = made(lines, rows);
            if (refused != null) return refused;
        }
        rows.forEach(SinkRows::giveEncoderBack);
        return count == 0 ? new Admitted.Empty() : reserved(lines, count, rows);
    }

    /// Null if each sink has its row of this line.
    private static @Nullable Admitted made(BodyLines line, List<SinkRows> rows) {
        var fault = line.fault();
        if (fault != null) return new Admitted.Bad(line.line(), fault);
        for (var of : rows) {
            var waits = of.waitsFor(line);
            if (waits != null) return new Admitted.NotNow(of.sink().name(), line.line(), waits);
            var why = of.add(line);
            if (why != null) return new Admitted.Bad(line.line(), of.sink().name() + " can't take it: " + why);
            var beyond = of.beyond();
            if (beyond != null) return beyond;
        }
        return null;
    }

    private Admitted reserved(BodyLines body, int lines, List<SinkRows> rows) {
        var held = new ArrayList<Inlet.Held>();
        var roomy = new ArrayList<SinkRows>();
        try {
            for (var of : rows) {
                var refused = reserve(of, held, roomy);
                if (refused != null) return refused;
            }
            var rooms = new HashMap<String, ShardRooms>();
            for (var of : rows) rooms.put(of.sink().name(), of.sink().rooms());
            var outcome = new Outcome(rows.stream().mapToInt(SinkRows::count).sum(), rooms);
            for (var i = 0; i < rows.size(); i++) rows.get(i).stage(held.get(i), body.topic(), body.keyHash(), outcome);
            return new Admitted.Whole(lines, outcome);
        } finally {
            held.forEach(Inlet.Held::close);
            roomy.forEach(SinkRows::giveRoomsBack);
        }
    }

    /// Room at its shards, then slots. Null if it has both.
    private @Nullable Admitted reserve(SinkRows of, List<Inlet.Held> held, List<SinkRows> roomy) {
        if (of.count() == 0) {
            held.add(NOTHING);
            return null;
        }
        var without = of.takeRooms(clock.nanoTime());
        if (without != null)
            return new Admitted.Full(of.sink().name(), without.shard(), without.why(), without.retrySeconds());
        roomy.add(of);
        return switch (of.sink().inlet().reserve(of.count())) {
            case Inlet.None(var why) -> refused(of.sink(), why);
            case Inlet.Held slots -> {
                held.add(slots);
                yield null;
            }
        };
    }

    private Admitted refused(IntakeSink sink, Refusal why) {
        if (why.by() == Refusal.Limit.ROWS && why.asked() > why.bound())
            return new Admitted.TooMany(sink.name(), why.asked(), why.bound());
        var over = why.by() == Refusal.Limit.ROWS ? why.asked() + why.taken() - why.bound() : why.asked();
        var pace = paces.get(sinks.indexOf(sink));
        return new Admitted.Full(
                sink.name(),
                null,
                why,
                pace.seconds(clock.nanoTime(), sink.inlet().ended(), over));
    }

    /// What a sink that leaves all rows out has to hold.
    private static final Inlet.Held NOTHING = new Inlet.Held() {
        @Override
        public boolean stage(IntakeRow row) {
            throw new IllegalStateException("no slot is left");
        }

        @Override
        public void close() {}
    };
}
