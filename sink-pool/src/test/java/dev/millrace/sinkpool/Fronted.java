package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/// A front with real threads and a real clock over fake sinks, one for each shard. An item is its row, but for what
/// its first word asks for: `poison`, `skip`, `throw`, `die`, `heavy N`, or `N:` for another shard than the first.
final class Fronted implements AutoCloseable {
    static final String TENANT = "orders";

    /// What the encoder throws to end the front's thread.
    static final class Deadly extends Error {
        private static final long serialVersionUID = 1;
    }

    static final class Encoder implements ItemEncoder<String> {
        /// By item.
        final Map<String, Gate> gates = new ConcurrentHashMap<>();

        @Override
        public int shard(String tenant, String item) {
            return item.indexOf(':') == 1 ? item.charAt(0) - '0' : 0;
        }

        @Override
        public int bytes(String item) {
            if (item.equals("weightless")) throw new IllegalStateException("planted");
            if (item.equals("deep")) throw new StackOverflowError("planted");
            return item.startsWith("heavy ") ? Integer.parseInt(item.substring(6)) : item.length();
        }

        /// By the last word of it, up to a `#`.
        @Override
        public int keyHash(String tenant, String item) {
            if (item.equals("keyless")) throw new IllegalStateException("planted");
            var end = item.indexOf('#');
            return item.substring(item.lastIndexOf(' ') + 1, end < 0 ? item.length() : end)
                    .hashCode();
        }

        @Override
        public int layout(String item) {
            return item.startsWith("new ") ? 1 : 0;
        }

        @Override
        public RowEncoder.Encoded encode(String tenant, String item, RowBuffer row) {
            return switch (item) {
                case "poison" -> new RowEncoder.Encoded.Poison("poisoned", "as planted");
                case "skip" -> new RowEncoder.Encoded.Skipped("as planted");
                case "throw", "weightless" -> throw new IllegalStateException("planted");
                case "die" -> throw new Deadly();
                case "null" -> nothing();
                default -> {
                    if (item.equals("slow")) LockSupport.parkNanos(2_000_000);
                    var gate = gates.get(item);
                    if (gate != null) {
                        gate.came.countDown();
                        FakeSink.awaitIgnoringInterrupts(gate.open);
                    }
                    row.putAscii(item);
                    row.put((byte) '\n');
                    yield RowEncoder.Encoded.WRITTEN;
                }
            };
        }

        /// What an encoder may not answer.
        @SuppressWarnings("NullAway")
        private static RowEncoder.Encoded nothing() {
            return null;
        }
    }

    /// Where the encoder stands before an item, until it is let on.
    record Gate(CountDownLatch came, CountDownLatch open) {
        Gate() {
            this(new CountDownLatch(1), new CountDownLatch(1));
        }
    }

    final Encoder encoder = new Encoder();
    final List<FakeSink> sinks = new ArrayList<>();
    final Pool.Listener listener = new Pool.Listener();
    final ProducerFront<String> front;
    /// What a held write waits for.
    final CountDownLatch release = new CountDownLatch(1);
    final Told told = new Told();
    private volatile long lateOnes;

    /// What became of each item, and why the sink refused it.
    static final class Told implements ItemEndings<String> {
        final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        public void refused(String item, Failure why) {
            all.add(item + " " + why.code());
        }

        @Override
        public void ended(String item, Fate fate) {
            all.add(item + " " + fate);
        }
    }

    Fronted(long maxRows, Consumer<Shard.Setup> changes) {
        this(FrontSettings.of(maxRows, 1 << 20), 1, changes);
    }

    Fronted(FrontSettings settings, int shards, Consumer<Shard.Setup> changes) {
        var specs = new ArrayList<ShardSpec>();
        for (var shard = 0; shard < shards; shard++) {
            var setup = new Shard.Setup();
            setup.maxRows = 1000;
            setup.linger = 5;
            setup.poison = PoisonSettings.of(PoisonSettings.Action.SKIP);
            changes.accept(setup);
            var sink = new FakeSink();
            sinks.add(sink);
            specs.add(new ShardSpec(setup.settings("s" + shard), sink, List.of(URI.create("fake://replica-" + shard))));
        }
        front = ProducerFront.start(
                new FrontParts<>(specs, encoder, TokenMint.perRun("run"), 42, DeadLetters.none(), listener, told),
                settings,
                NanoClock.SYSTEM);
    }

    /// The next writes to this shard hang until they are released, and succeed then.
    Fronted hold(int shard, int writes) {
        for (var i = 0; i < writes; i++)
            sinks.get(shard).next(call -> {
                FakeSink.awaitIgnoringInterrupts(release);
                return new WriteOutcome.Written(call.rows().rows(), 0);
            });
        return this;
    }

    boolean stage(String item) {
        return front.stage(TENANT, item);
    }

    Reservation<String> reserve(int slots) {
        return granted(front.reserve(slots));
    }

    static Reservation<String> granted(Reserved<String> reserved) {
        return switch (reserved) {
            case Reservation<String> reservation -> reservation;
            case Refused<String>(var why) -> throw new AssertionError(why);
        };
    }

    static Refusal refused(Reserved<String> reserved) {
        return switch (reserved) {
            case Reservation<String> reservation -> throw new AssertionError(reservation.left() + " slots granted");
            case Refused<String>(var why) -> why;
        };
    }

    FrontCounts counts() {
        return front.counts();
    }

    long lost(Loss why) {
        return counts().lost(why);
    }

    ShareView reserved() {
        return front.health().reserved();
    }

    ShareView staged() {
        return front.health().staged();
    }

    /// All rows that a shard has, in the order of writing.
    List<String> stored(int shard) {
        return sinks.get(shard).stored.stream().flatMap(String::lines).toList();
    }

    FrontReport finish() throws InterruptedException {
        return finish(20_000);
    }

    FrontReport finish(long ms) throws InterruptedException {
        var report = front.close(Pool.in(ms));
        if (report == null) throw new AssertionError("another closed it");
        assertThat(counts().taken())
                .as("%s of what was taken", report)
                .isEqualTo(report.written()
                        + report.skipped()
                        + report.lost(Loss.REJECTED)
                        + report.lost(Loss.UNREACHABLE)
                        + report.lost(Loss.SHUTDOWN)
                        + report.stillOut()
                        - lateOnes);
        return report;
    }

    /// So many of those lost were never taken in.
    Fronted late(long items) {
        lateOnes = items;
        return this;
    }

    @Override
    public void close() {
        release.countDown();
        front.close();
    }
}
