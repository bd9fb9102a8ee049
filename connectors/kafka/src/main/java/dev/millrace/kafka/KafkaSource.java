package dev.millrace.kafka;

import dev.millrace.checkpoint.OpenHandles;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Intake;
import dev.millrace.sinkpool.NanoClock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The Kafka source of one pipeline: `consumers` group members, each on a thread of its own.
///
/// Life: [#start], then at the end [#stop], and once the sinks are done or their time is up [#finish];
/// [#awaitClosed] tells when every member has left the group. What is committed is only what [Intake]
/// said is durable, contiguously.
///
/// Thread ownership: shared; `start` is called once, the others from any thread.
public final class KafkaSource implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaSource.class);
    private static final long BACKLOG_NANOS = 500_000_000L;
    private static final long END_KNOWN_FOR_NANOS = 60_000_000_000L;

    private final KafkaSourceSettings settings;
    private final KafkaClients clients;
    private final NanoClock clock;
    private final SourceListener listener;
    private final Accounts accounts;
    private final SourceCounters counters = new SourceCounters();
    private final List<SourceMember> members = new ArrayList<>();
    private final AtomicInteger unfinished;
    private final CountDownLatch ended;
    private final AtomicBoolean failureTold = new AtomicBoolean();
    private volatile boolean stopped;

    /// Of all topics at the start.
    private volatile long partitions;

    private volatile boolean begun;
    private volatile @Nullable Admin client;
    private volatile @Nullable AdminCalls calls;
    private volatile @Nullable AdminCalls atTheEnd;
    private volatile @Nullable TopicWatch watch;

    /// `sinks` in the order of [dev.millrace.sinkpool.Target#sink]. Throws
    /// [IllegalArgumentException] for a client property that is not a user's to set.
    public KafkaSource(
            KafkaSourceSettings settings,
            List<SinkFeed> sinks,
            Intake intake,
            SourceListener listener,
            DeadLetters deadLetters,
            OpenHandles handles,
            NanoClock clock) {
        this(settings, sinks, intake, List.of(), listener, deadLetters, handles, clock);
    }

    /// With advisory sinks, each with an intake of its own.
    public KafkaSource(
            KafkaSourceSettings settings,
            List<SinkFeed> sinks,
            Intake intake,
            List<AdvisoryFeed> advisory,
            SourceListener listener,
            DeadLetters deadLetters,
            OpenHandles handles,
            NanoClock clock) {
        this(settings, sinks, intake, advisory, listener, deadLetters, handles, clock, UnaryOperator.identity());
    }

    /// `around`: what each member's consumer is wrapped in.
    KafkaSource(
            KafkaSourceSettings settings,
            List<SinkFeed> sinks,
            Intake intake,
            List<AdvisoryFeed> advisory,
            SourceListener listener,
            DeadLetters deadLetters,
            OpenHandles handles,
            NanoClock clock,
            UnaryOperator<Consumer<ByteBuffer, ByteBuffer>> around) {
        this.settings = settings;
        this.clients = new KafkaClients(settings);
        this.clock = clock;
        this.listener = listener;
        this.accounts = new Accounts(sinks);
        this.unfinished = new AtomicInteger(settings.consumers());
        this.ended = new CountDownLatch(settings.consumers());
        var epochs = new AtomicLong();
        var shared = new SourceMember.Shared(
                settings,
                member -> around.apply(clients.consumer(member, partitions)),
                new Oversized(clients::alone, clock),
                clock,
                accounts,
                counters,
                new Told());
        for (var n = 0; n < settings.consumers(); n++)
            members.add(new SourceMember(n, shared, (inbox, now) -> {
                var parts = new SourceMachine.Parts(
                        settings,
                        sinks,
                        intake,
                        inbox,
                        handles,
                        epochs::incrementAndGet,
                        counters,
                        deadLetters,
                        advisory);
                return new SourceMachine(parts, accounts::of, now);
            }));
    }

    /// Looks at the cluster, settles where a new group starts, and lets the members join. Returns false
    /// where a stop was asked for before that: then nothing runs, and nothing has to be finished.
    ///
    /// Throws [StartRefused], within `startup_timeout`, with a line and an exit code.
    public boolean start() throws StartRefused {
        if (stopped) return false;
        var made = admin();
        var admin = new AdminCalls(made, clock, () -> stopped);
        client = made;
        calls = admin;
        atTheEnd = new AdminCalls(made, clock, () -> false);
        var ids = new HashMap<String, TopicId>();
        try {
            var topics = new SourceStart(settings, admin, clock).run();
            topics.forEach((name, topic) -> ids.put(name, topic.id()));
            var planning = settings.planning();
            if (planning != null)
                planning.cluster()
                        .set(admin.clusterId(clock.nanoTime() + settings.startupTimeoutNanos())
                                .hashCode());
            var counts = new TreeMap<String, Integer>();
            topics.forEach((name, topic) -> counts.put(name, topic.partitions()));
            partitions = counts.values().stream().mapToLong(Integer::longValue).sum();
            var refusal = listener.starts(counts);
            if (refusal != null) throw new StartRefused(2, refusal);
            open();
        } catch (AdminCalls.Failed failed) {
            admin.close();
            throw new StartRefused(
                    5, "could not " + failed.getMessage() + ": " + failed.why().getMessage());
        } catch (AdminCalls.Stopped stop) {
            admin.close();
            return false;
        } catch (StartRefused refused) {
            admin.close();
            throw refused;
        }
        var looking = new TopicWatch(clients.watch(), admin, clock, accounts, members, ids);
        watch = looking;
        for (var member : members) member.watchedBy(looking);
        begin(looking);
        return true;
    }

    // Settings that the client refuses only together, or when it is made, are a configuration's fault, and no thread's.
    private void open() throws StartRefused {
        try {
            for (var member : members) member.open();
        } catch (org.apache.kafka.common.KafkaException wrong) {
            for (var member : members) member.discard();
            throw KafkaClients.refused(wrong);
        }
    }

    private Admin admin() throws StartRefused {
        try {
            return clients.admin();
        } catch (org.apache.kafka.common.KafkaException wrong) {
            throw KafkaClients.refused(wrong);
        }
    }

    private synchronized void begin(TopicWatch looking) {
        begun = true;
        Thread.ofPlatform().daemon().name("millrace-source-watch").start(looking);
        for (var n = 0; n < members.size(); n++)
            Thread.ofPlatform().daemon().name("millrace-source-" + n).start(members.get(n));
    }

    /// The sink of this name has encoders of another layout now. What was encoded before is written
    /// within `rebalance.drain_timeout` or given up, and each partition that the sink takes is read
    /// again from its watermark.
    public void layoutChanged(String sink) {
        for (var member : members) member.later(new SourceEvent.LayoutChanged(sink));
    }

    /// Takes nothing more. What was polled is encoded and handed over while there is room, until
    /// `encodeUntilNanos`, then [SourceListener#inputFinished] is told. The members go on polling, so
    /// that the group goes on, until [#finish].
    public void stop(long encodeUntilNanos) {
        stopped = true;
        for (var member : members) member.stop(encodeUntilNanos);
        var looking = watch;
        if (looking != null) looking.stop();
    }

    /// Commits what is durable by now, reads the backlog (at most 500 ms), leaves the group. Ends by
    /// `deadlineNanos`, or half a second for each of these steps after it.
    public void finish(long deadlineNanos) {
        stop(deadlineNanos);
        for (var member : members) member.finish(deadlineNanos);
    }

    /// What the cluster holds for pipelines that run no more, as a note for each kind. Blocks until then; empty where
    /// that is not told, or a stop comes first.
    public List<Finding> leftovers(long deadlineNanos) {
        var asked = client;
        if (asked == null) return List.of();
        var questions = new AdminCalls(asked, clock, () -> stopped);
        try {
            return new Leftovers(new GroupCalls(asked, questions, deadlineNanos), settings).look();
        } catch (AdminCalls.Failed failed) {
            LOG.atDebug()
                    .addKeyValue("event", "leftovers_unknown")
                    .log(
                            "what=\"{}\" why=\"{}\"",
                            failed.getMessage(),
                            failed.why().getMessage());
            return List.of();
        } catch (AdminCalls.Stopped _) {
            return List.of();
        }
    }

    /// Whether every member has ended.
    public boolean awaitClosed(long untilNanos) throws InterruptedException {
        if (!begun) return true;
        return ended.await(Math.max(0, untilNanos - clock.nanoTime()), TimeUnit.NANOSECONDS);
    }

    public SourceView view() {
        var now = clock.nanoTime();
        var views = members.stream().map(member -> member.view(now)).toList();
        var ready = begun && views.stream().allMatch(view -> view.phase() == MemberView.Phase.ASSIGNED);
        var looking = watch;
        return new SourceView(
                ready,
                looking == null || stopped ? 0 : looking.silentForNanos(now),
                clients.maxPollIntervalNanos(),
                views,
                accounts.all().stream()
                        .map(account -> account.view(now, END_KNOWN_FOR_NANOS))
                        .toList(),
                counters);
    }

    public SourceCounters counters() {
        return counters;
    }

    /// Finishes with two seconds for it, if that was not done before, and gives the last client back.
    @Override
    public void close() {
        var deadline = clock.nanoTime() + 2_000_000_000L;
        finish(deadline);
        try {
            awaitClosed(deadline + 2_000_000_000L);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        var admin = calls;
        if (admin != null) admin.close();
    }

    private final class Told implements SourceMember.Outcomes {
        @Override
        public void inputFinished(int member) {
            if (unfinished.decrementAndGet() == 0) listener.inputFinished();
        }

        @Override
        public void failed(int member, int exitCode, String reason) {
            if (failureTold.compareAndSet(false, true)) listener.failed(exitCode, reason);
        }

        @Override
        public void plansNotKept() {
            listener.plansNotKept();
        }

        @Override
        public void newestTokens(SourcePartition partition, Map<Integer, Long> tokens) {
            listener.newestTokens(partition, tokens);
        }

        @Override
        public void ended(int member) {
            ended.countDown();
        }

        @Override
        public Map<TopicPartition, Long> ends(Set<TopicPartition> of) {
            var asked = atTheEnd;
            if (asked == null) return Map.of();
            var ends = asked.ends(of, clock.nanoTime() + BACKLOG_NANOS);
            if (ends.size() < of.size())
                LOG.atWarn().addKeyValue("event", "backlog_unknown").log("partitions={}", of.size() - ends.size());
            return ends;
        }
    }
}
