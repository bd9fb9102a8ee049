package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight.Answer;
import dev.millrace.checkpoint.CommitFlight.Send;
import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.Range;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.Resolved;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.MemoryIntake;
import dev.millrace.sinkpool.RowEncoder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// One source machine on a table, with numbers for time: what a test tells it, and all it said.
final class Bench {
    static final long MS = 1_000_000L;
    static final TopicId ID = new TopicId("aaaaaaaaaaaaaaaaaaaaaa");
    static final SourcePartition P0 = new SourcePartition("orders", ID, 0);
    static final SourcePartition P1 = new SourcePartition("orders", ID, 1);

    final MemoryIntake intake;
    final OpenHandles handles = new OpenHandles();
    final SourceCounters counters = new SourceCounters();
    final AtomicLong epochs = new AtomicLong();
    final ArrayDeque<SourceEvent> inbox = new ArrayDeque<>();
    final List<SourceCommand> said = new ArrayList<>();
    final Accounts accounts;
    final SourceMachine machine;
    long now = 1_000 * MS;

    Bench(KafkaSourceSettings settings, List<SinkFeed> sinks, MemoryIntake intake) {
        this(settings, sinks, intake, DeadLetters.none());
    }

    Bench(KafkaSourceSettings settings, List<SinkFeed> sinks, MemoryIntake intake, DeadLetters letters) {
        this(settings, sinks, intake, letters, List.of());
    }

    Bench(
            KafkaSourceSettings settings,
            List<SinkFeed> sinks,
            MemoryIntake intake,
            DeadLetters letters,
            List<AdvisoryFeed> advisory) {
        this.intake = intake;
        this.accounts = new Accounts(sinks);
        var parts = new SourceMachine.Parts(
                settings, sinks, intake, new Told(), handles, epochs::incrementAndGet, counters, letters, advisory);
        machine = new SourceMachine(parts, accounts::of, now);
    }

    private final class Told implements Resolved {
        @Override
        public void resolved(Range range, Resolution resolution) {
            inbox.add(new SourceEvent.RangeResolved(range, resolution));
        }

        @Override
        public void splitting(Range range) {
            inbox.add(new SourceEvent.SplitAsked(range));
        }
    }

    static Bench of(MemoryIntake intake) {
        return new Bench(settings(), List.of(sink(1)), intake);
    }

    static KafkaSourceSettings settings() {
        return KafkaSourceSettings.of("nowhere:1", new Subscription.Named(List.of("orders")), "group")
                .checkpoint(new KafkaSourceSettings.Checkpoint(100 * MS, 1024, 120_000 * MS, 1_000 * MS));
    }

    static SinkFeed sink(int shards) {
        return sink(shards, PassThroughEncoder::singleLine);
    }

    static SinkFeed sink(int shards, Supplier<RowEncoder> encoders) {
        return new SinkFeed(
                "sink",
                _ -> true,
                encoders,
                shards == 1 ? new PartitionRouter(1) : new KeyRouter(shards),
                shards,
                1,
                4096,
                20 * MS);
    }

    static AdmissionBudget rows(long most) {
        return new AdmissionBudget(most, 1L << 30, 0.6);
    }

    void tell(SourceEvent event) {
        machine.on(event, now, said::add);
    }

    void assign(SourcePartition partition, long offset) {
        var entry = new CommitEntry(offset, -1, "");
        tell(new SourceEvent.Assigned(partition, entry, entry));
    }

    void poll(SourcePartition partition, long first, int count) {
        polled(partition, TestRecords.of(partition.topic(), partition.partition(), first, count), first + count);
    }

    void polled(SourcePartition partition, TestRecords records, long next) {
        tell(new SourceEvent.Polled(List.of(new SourceEvent.Batch(partition, records, next, 0))));
    }

    void emptyPoll() {
        tell(new SourceEvent.Polled(List.of()));
    }

    /// Time passes, and what was resolved is told.
    void after(long nanos) {
        now += nanos;
        takeInbox();
        tell(new SourceEvent.Tick());
    }

    void takeInbox() {
        for (var event = inbox.poll(); event != null; event = inbox.poll()) tell(event);
    }

    <T extends SourceCommand> List<T> all(Class<T> kind) {
        return said.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /// The last commit that was asked for, acknowledged.
    Send acknowledge() {
        var send = all(SourceCommand.Commit.class).getLast().send();
        tell(new SourceEvent.CommitAnswered(send.attempt(), new Answer.Acknowledged()));
        return send;
    }

    static CommitEntry entry(Send send, SourcePartition partition) {
        return Objects.requireNonNull(send.entries().get(partition));
    }

    long committed(SourcePartition partition) {
        var entry = machine.committed(partition);
        return entry == null ? -1 : entry.offset();
    }

    boolean paused(SourcePartition partition) {
        var paused = true; // The shell pauses what arrives.
        for (var command : said) {
            if (command instanceof SourceCommand.Pause(var which, var _) && which.contains(partition)) paused = true;
            if (command instanceof SourceCommand.Resume(var which) && which.contains(partition)) paused = false;
        }
        return paused;
    }

    Set<SourcePartition> one(SourcePartition partition) {
        return Set.of(partition);
    }
}
