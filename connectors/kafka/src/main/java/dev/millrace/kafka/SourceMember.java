package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitFlight.Answer;
import dev.millrace.checkpoint.CommitFlight.Send;
import dev.millrace.checkpoint.Range;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.sinkpool.NanoClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One member of the group: a consumer, its machine, and the loop that turns both.
///
/// A turn polls, tells the machine what came and what was resolved since, and carries out what it says. Nothing in a
/// turn
/// waits but the poll itself, so a sink that is down for hours costs no rebalance. Only a revoke waits, in its
/// callback, for
/// at most `rebalance.drain_timeout`.
///
/// Thread ownership: its own thread, but for `stop`, `finish`, `view` and what is told to it.
final class SourceMember implements Runnable, TopicWatch.Reader {
    private static final Logger LOG = LoggerFactory.getLogger(SourceMember.class);
    private static final int FATAL = 5;
    private static final long IDLE_POLL_NANOS = 100_000_000L;
    private static final long HELD_POLL_NANOS = 5_000_000L;
    private static final long ASK_AGAIN_NANOS = 1_000_000_000L;
    private static final long LAG_NANOS = 1_000_000_000L;
    private static final Duration BOUNDS = Duration.ofSeconds(3);
    private static final Duration BACKLOG = Duration.ofMillis(500);

    /// What members have in common.
    record Shared(
            KafkaSourceSettings settings,
            KafkaClients clients,
            NanoClock clock,
            Accounts accounts,
            SourceCounters counters,
            Outcomes outcomes) {}

    /// Whom a member tells how it goes on.
    interface Outcomes {
        void inputFinished(int member);

        void failed(int member, int exitCode, String reason);

        void ended(int member);
    }

    private record Cut(long position, long logEnd) {}

    private final int index;
    private final Shared shared;
    private final NanoClock clock;
    private final Inbox<SourceEvent> inbox = new Inbox<>();
    private final Inbox<Map<String, TopicId>> identified = new Inbox<>();
    private final SourceMachine machine;
    private final Map<TopicPartition, SourcePartition> owned = new HashMap<>();
    private final Map<TopicPartition, Cut> cuts = new HashMap<>();
    private final ArrayList<SourceCommand> commands = new ArrayList<>();

    private @Nullable Consumer<ByteBuffer, ByteBuffer> consumer;
    private @Nullable Arrivals arrivals;
    private volatile @Nullable TopicWatch watch;
    private @Nullable Throwable callbackFailure;
    private @Nullable Exception commitFailure;
    private @Nullable Send out;
    private long askedNanos;
    private long lagNanos;
    private boolean stopping;
    private boolean closing;
    private boolean inputTold;
    private boolean troubled;

    private volatile long turnNanos;
    private volatile long unassignedNanos;
    private volatile boolean assigned;
    private volatile int partitions;
    private volatile @Nullable Long encodeUntilNanos;
    private volatile @Nullable Long finishNanos;
    private volatile boolean ended;
    private volatile boolean failed;

    SourceMember(int index, Shared shared, MachineMaker maker) {
        this.index = index;
        this.shared = shared;
        this.clock = shared.clock();
        var now = clock.nanoTime();
        this.turnNanos = now;
        this.unassignedNanos = now;
        this.machine = maker.make(this::resolved, now);
    }

    /// Makes this member's machine, around its inbox.
    interface MachineMaker {
        SourceMachine make(dev.millrace.checkpoint.Resolved inbox, long nowNanos);
    }

    void watchedBy(TopicWatch topicWatch) {
        watch = topicWatch;
    }

    private void resolved(Range range, Resolution resolution) {
        inbox.tell(new SourceEvent.RangeResolved(range, resolution));
    }

    @Override
    public void changed(String topic, TopicId was, @Nullable TopicId is) {
        inbox.tell(new SourceEvent.TopicChanged(topic, was, is));
    }

    @Override
    public void identified(Map<String, TopicId> topics) {
        identified.tell(topics);
    }

    /// Takes nothing more, and goes on polling.
    void stop(long untilNanos) {
        if (encodeUntilNanos == null) encodeUntilNanos = untilNanos;
    }

    /// Commits what is done and leaves the group, by `deadlineNanos`.
    void finish(long deadlineNanos) {
        finishNanos = deadlineNanos;
    }

    /// Makes its consumer, which refuses settings that cannot work. Before its thread starts.
    void open() {
        consumer = shared.clients().consumer(index);
    }

    /// Gives back a consumer that never joins.
    void discard() {
        closing = true;
        close();
    }

    @Override
    public void run() {
        try {
            var mine = consumer;
            if (mine == null) throw new IllegalStateException("not opened");
            arrivals = new Arrivals(mine);
            subscribe(mine);
            while (finishNanos == null) turn(mine);
            lastCommit(mine);
        } catch (Throwable failure) {
            fail(failure);
        } finally {
            closing = true;
            ownNothing();
            close();
            ended = true;
            if (!inputTold) shared.outcomes().inputFinished(index);
            shared.outcomes().ended(index);
        }
    }

    private void ownNothing() {
        try {
            machine.close();
        } catch (Throwable failure) {
            LOG.error("event=source_close_failed member={}", index, failure);
        }
    }

    private void fail(Throwable failure) {
        failed = true;
        if (failure instanceof AuthenticationException
                || failure instanceof AuthorizationException
                || failure instanceof FencedInstanceIdException) {
            var line = "Kafka refuses this member: " + failure.getClass().getSimpleName() + ": " + failure.getMessage();
            shared.outcomes().failed(index, FATAL, line);
            return;
        }
        LOG.error("event=source_died member={}", index, failure);
        shared.outcomes().failed(index, FATAL, "source thread " + index + " died: " + failure);
    }

    private void subscribe(Consumer<ByteBuffer, ByteBuffer> mine) {
        switch (shared.settings().topics()) {
            case Subscription.Named(var topics) -> mine.subscribe(topics, new Callbacks());
            case Subscription.Matching(var pattern) -> {
                if (shared.settings().groupProtocol() == KafkaSourceSettings.GroupProtocol.CONSUMER)
                    mine.subscribe(new SubscriptionPattern(pattern.pattern()), new Callbacks());
                else mine.subscribe(pattern, new Callbacks());
            }
        }
    }

    private void turn(Consumer<ByteBuffer, ByteBuffer> mine) throws Throwable {
        turnNanos = clock.nanoTime();
        var until = encodeUntilNanos;
        if (until != null && !stopping) {
            stopping = true;
            tell(new SourceEvent.StopTaking(until));
        }
        arrive();
        var records = poll(mine);
        takeInbox();
        if (records == null) tell(new SourceEvent.Tick());
        else tell(new SourceEvent.Polled(batches(records)));
        carryOut(mine);
        readLags(mine);
        checkAssignment();
    }

    // The ids of partitions that wait are read beside the loop; an answer that got lost is asked for again.
    private void arrive() {
        var waiting = arrivals;
        if (waiting == null) return;
        for (var ids = identified.poll(); ids != null; ids = identified.poll()) {
            waiting.identified(ids);
            settleCuts(ids);
        }
        if (waiting.isEmpty()) return;
        waiting.locate();
        for (var one : waiting.take()) arrived(one);
        if (!waiting.isEmpty() && clock.nanoTime() - askedNanos >= ASK_AGAIN_NANOS) ask(waiting.topics());
    }

    private void ask(Set<String> topics) {
        askedNanos = clock.nanoTime();
        var asked = watch;
        if (asked != null) asked.ask(topics);
    }

    private void arrived(Arrivals.Arrived one) {
        var partition = one.partition();
        var committed = one.committed();
        owned.put(CommitCall.kafka(partition), partition);
        partitions = owned.size();
        shared.accounts().of(partition).ownedBy(index);
        tell(new SourceEvent.Assigned(partition, one.start(), committed));
        if (committed == null) return;
        switch (TopicNote.read(committed.metadata())) {
            case TopicNote.Nothing() -> {}
            case TopicNote.Of(var was) -> {
                if (!was.equals(partition.topicId()))
                    tell(new SourceEvent.TopicChanged(partition.topic(), was, partition.topicId()));
            }
            case TopicNote.Plan() ->
                LOG.warn("event=plan_ignored partition={} note=\"rows of open segments may repeat\"", partition);
            case TopicNote.Foreign() ->
                LOG.warn(
                        "event=foreign_metadata_ignored partition={} length={}",
                        partition,
                        committed.metadata().length());
        }
    }

    private @Nullable ConsumerRecords<ByteBuffer, ByteBuffer> poll(Consumer<ByteBuffer, ByteBuffer> mine)
            throws Throwable {
        try {
            var records = mine.poll(Duration.ofNanos(pollNanos()));
            rethrow();
            troubled = false;
            return records;
        } catch (LogTruncationException cut) {
            truncated(mine, cut);
        } catch (OffsetOutOfRangeException lost) {
            outOfRange(mine, lost);
        } catch (NoOffsetForPartitionException fresh) {
            // Its start could not be read in the callback; `arrive` reads it.
            if (!troubled) LOG.warn("event=no_offset_yet partitions={}", fresh.partitions());
            troubled = true;
        } catch (RetriableException passing) {
            if (!troubled) LOG.warn("event=poll_failed member={} why=\"{}\"", index, passing.toString());
            troubled = true;
        }
        rethrow();
        inbox.await(HELD_POLL_NANOS);
        return null;
    }

    private void rethrow() throws Throwable {
        var failure = callbackFailure;
        if (failure != null) throw failure;
        var refused = commitFailure;
        if (refused != null) throw refused;
    }

    private long pollNanos() {
        var waiting = arrivals;
        var longest = machine.held() || (waiting != null && !waiting.isEmpty()) ? HELD_POLL_NANOS : IDLE_POLL_NANOS;
        var wake = machine.wakeAtNanos();
        if (wake == NanoClock.NEVER) return longest;
        // Less than a millisecond is none to the client, which would then return without looking at the network.
        return Math.max(1_000_000L, Math.min(longest, wake - clock.nanoTime()));
    }

    private List<SourceEvent.Batch> batches(ConsumerRecords<ByteBuffer, ByteBuffer> records) {
        if (records.nextOffsets().isEmpty()) return List.of();
        var batches = new ArrayList<SourceEvent.Batch>(records.nextOffsets().size());
        for (var entry : records.nextOffsets().entrySet()) {
            var partition = owned.get(entry.getKey());
            if (partition == null)
                throw new IllegalStateException(entry.getKey() + " was polled before its start was known");
            var next = entry.getValue();
            var list = records.records(entry.getKey());
            batches.add(new SourceEvent.Batch(
                    partition,
                    list.isEmpty() ? null : new KafkaRecords(list),
                    next.offset(),
                    next.leaderEpoch().orElse(-1)));
        }
        return batches;
    }

    private void tell(SourceEvent event) {
        machine.on(event, clock.nanoTime(), commands::add);
    }

    private void takeInbox() {
        for (var event = inbox.poll(); event != null; event = inbox.poll()) tell(event);
    }

    private void carryOut(Consumer<ByteBuffer, ByteBuffer> mine) {
        // A command may bring the next one: a commit that is waited for tells its answer at once.
        for (var i = 0; i < commands.size(); i++) carryOut(commands.get(i), mine);
        commands.clear();
    }

    private void carryOut(SourceCommand command, Consumer<ByteBuffer, ByteBuffer> mine) {
        switch (command) {
            case SourceCommand.Pause(var which, var reason) -> {
                LOG.debug("event=paused reason={} partitions={}", reason, which);
                mine.pause(kafka(which));
            }
            case SourceCommand.Resume(var which) -> mine.resume(kafka(which));
            case SourceCommand.Commit(var send, var andWait) -> {
                if (andWait) commitSync(mine, send, clock.nanoTime() + commitNanos());
                else commitAsync(mine, send);
            }
            case SourceCommand.SeekTo(var partition, var offset) -> {
                mine.seek(CommitCall.kafka(partition), offset);
                mine.resume(List.of(CommitCall.kafka(partition)));
            }
            case SourceCommand.Tell(var event, var text) -> LOG.warn("event={} {}", event, text);
            case SourceCommand.InputFinished() -> {
                inputTold = true;
                shared.outcomes().inputFinished(index);
            }
            case SourceCommand.Stop(var exitCode, var reason) ->
                shared.outcomes().failed(index, exitCode, reason);
        }
    }

    private List<TopicPartition> kafka(Collection<SourcePartition> which) {
        return which.stream().map(CommitCall::kafka).filter(owned::containsKey).toList();
    }

    private long commitNanos() {
        return shared.settings().checkpoint().commitTimeoutNanos();
    }

    private void commitAsync(Consumer<ByteBuffer, ByteBuffer> mine, Send send) {
        out = send;
        mine.commitAsync(CommitCall.offsets(send), (_, failure) -> answered(send, failure));
    }

    // Runs inside poll, or inside a later commit: the machine is told at the end of the turn.
    private void answered(Send send, @Nullable Exception failure) {
        if (CommitCall.fatal(failure)) commitFailure = failure;
        if (failure != null) LOG.debug("event=commit_failed attempt={} why=\"{}\"", send.attempt(), failure.toString());
        inbox.tell(new SourceEvent.CommitAnswered(send.attempt(), CommitCall.answer(failure, send)));
    }

    private Answer commitSync(Consumer<ByteBuffer, ByteBuffer> mine, Send send, long untilNanos) {
        Exception failure = null;
        try {
            mine.commitSync(CommitCall.offsets(send), Duration.ofNanos(Math.max(1, untilNanos - clock.nanoTime())));
        } catch (RuntimeException refused) {
            LOG.debug("event=commit_failed attempt={} why=\"{}\"", send.attempt(), refused.toString());
            if (CommitCall.fatal(refused)) commitFailure = refused;
            failure = refused;
        }
        var answer = CommitCall.answer(failure, send);
        tell(new SourceEvent.CommitAnswered(send.attempt(), answer));
        return answer;
    }

    /// Commits what is contiguous of these, or with null of all, until nothing is left to commit or the time is up.
    private void commitNow(
            Consumer<ByteBuffer, ByteBuffer> mine, @Nullable Set<SourcePartition> only, long untilNanos) {
        awaitCommitThatIsOut(mine, untilNanos);
        while (clock.nanoTime() - untilNanos < 0) {
            var found = new ArrayList<SourceCommand>();
            machine.on(new SourceEvent.CommitNow(only), clock.nanoTime(), found::add);
            if (found.isEmpty()) return;
            for (var command : found) {
                if (!(command instanceof SourceCommand.Commit(var send, var _))) continue;
                // The group moved on: only a poll could tell where to, and what is not committed replays.
                if (commitSync(mine, send, untilNanos) instanceof Answer.Later) return;
            }
        }
    }

    private void awaitCommitThatIsOut(Consumer<ByteBuffer, ByteBuffer> mine, long untilNanos) {
        takeInbox();
        if (!machine.commitOut()) return;
        try {
            // An empty commit returns when the callbacks of those before it were called.
            mine.commitSync(Map.of(), Duration.ofNanos(Math.max(1, untilNanos - clock.nanoTime())));
        } catch (RuntimeException late) {
            LOG.debug("event=commit_unanswered why=\"{}\"", late.toString());
        }
        takeInbox();
        var send = out;
        if (machine.commitOut() && send != null)
            tell(new SourceEvent.CommitAnswered(send.attempt(), new Answer.Unknown()));
    }

    private void truncated(Consumer<ByteBuffer, ByteBuffer> mine, LogTruncationException cut) {
        cut.offsetOutOfRangePartitions().forEach((partition, position) -> {
            var divergent = cut.divergentOffsets().get(partition);
            cut(mine, partition, position, divergent == null ? -1 : divergent.offset());
        });
    }

    // Before it is called truncated, the watch is asked whether it is another topic: a recreated log is shorter too.
    private void cut(Consumer<ByteBuffer, ByteBuffer> mine, TopicPartition partition, long position, long logEnd) {
        mine.pause(List.of(partition));
        cuts.put(partition, new Cut(position, logEnd));
        ask(Set.of(partition.topic()));
    }

    private void settleCuts(Map<String, TopicId> ids) {
        takeInbox();
        var each = cuts.entrySet().iterator();
        while (each.hasNext()) {
            var entry = each.next();
            if (!ids.containsKey(entry.getKey().topic())) continue;
            var partition = owned.get(entry.getKey());
            var cut = entry.getValue();
            if (partition != null) tell(new SourceEvent.LogTruncated(partition, cut.position(), cut.logEnd()));
            each.remove();
        }
    }

    private void outOfRange(Consumer<ByteBuffer, ByteBuffer> mine, OffsetOutOfRangeException lost) {
        var positions = lost.offsetOutOfRangePartitions();
        Map<TopicPartition, Long> starts;
        Map<TopicPartition, Long> ends;
        try {
            starts = mine.beginningOffsets(positions.keySet(), BOUNDS);
            ends = mine.endOffsets(positions.keySet(), BOUNDS);
        } catch (RetriableException later) {
            LOG.warn("event=log_bounds_late partitions={} why=\"{}\"", positions.keySet(), later.getMessage());
            return;
        }
        positions.forEach((partition, position) -> {
            var start = starts.getOrDefault(partition, 0L);
            var end = ends.getOrDefault(partition, 0L);
            var mineToo = owned.get(partition);
            if (mineToo == null) return;
            if (position < start) {
                mine.pause(List.of(partition));
                tell(new SourceEvent.OffsetsLost(mineToo, position, start));
            } else if (position > end) {
                cut(mine, partition, position, end);
            }
        });
    }

    // The client knows the end of what it fetches; the watch reads the ends of what is paused.
    private void readLags(Consumer<ByteBuffer, ByteBuffer> mine) {
        var now = clock.nanoTime();
        if (now - lagNanos < LAG_NANOS) return;
        lagNanos = now;
        var paused = mine.paused();
        owned.forEach((at, partition) -> {
            if (paused.contains(at)) return;
            var lag = mine.currentLag(at);
            if (lag.isPresent()) shared.accounts().of(partition).end(mine.position(at) + lag.getAsLong(), now);
        });
    }

    private void checkAssignment() {
        if (assigned || stopping) return;
        var waited = clock.nanoTime() - unassignedNanos;
        if (waited < shared.settings().membership().endAfterNanos()) return;
        unassignedNanos = clock.nanoTime();
        shared.outcomes()
                .failed(
                        index,
                        FATAL,
                        "group member " + index + " got no assignment within " + waited / 1_000_000_000L + " s");
    }

    private void lastCommit(Consumer<ByteBuffer, ByteBuffer> mine) {
        var deadline = finishNanos;
        if (deadline == null) return;
        takeInbox();
        var until = Math.min(deadline - clock.nanoTime(), commitNanos()) + clock.nanoTime();
        commitNow(mine, null, until);
        readBacklog(mine);
    }

    private void readBacklog(Consumer<ByteBuffer, ByteBuffer> mine) {
        if (owned.isEmpty()) return;
        for (var partition : owned.values()) shared.accounts().of(partition).endUnknown();
        try {
            var ends = mine.endOffsets(owned.keySet(), BACKLOG);
            var now = clock.nanoTime();
            owned.forEach((at, partition) -> {
                var end = ends.get(at);
                if (end != null) shared.accounts().of(partition).end(end, now);
            });
        } catch (RuntimeException unread) {
            LOG.warn("event=backlog_unknown member={} why=\"{}\"", index, unread.getMessage());
        }
    }

    private void close() {
        var mine = consumer;
        if (mine == null) return;
        var deadline = finishNanos;
        var left = deadline == null ? 0 : deadline - clock.nanoTime();
        var bound = Duration.ofNanos(Math.clamp(left, 500_000_000L, 5_000_000_000L));
        try {
            mine.close(CloseOptions.timeout(bound)
                    .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
        } catch (RuntimeException refused) {
            LOG.warn("event=consumer_close_failed member={} why=\"{}\"", index, refused.toString());
        }
    }

    MemberView view(long nowNanos) {
        var without = assigned || ended ? 0 : Math.max(0, nowNanos - unassignedNanos);
        return new MemberView(
                index, phase(without), partitions, ended ? 0 : Math.max(0, nowNanos - turnNanos), without);
    }

    private MemberView.Phase phase(long unassigned) {
        if (failed) return MemberView.Phase.FAILED;
        if (ended) return MemberView.Phase.ENDED;
        if (encodeUntilNanos != null) return MemberView.Phase.DRAINING;
        if (assigned) return MemberView.Phase.ASSIGNED;
        return unassigned >= shared.settings().membership().unreadyAfterNanos()
                ? MemberView.Phase.UNREADY
                : MemberView.Phase.JOINING;
    }

    /// What Kafka says inside a poll. What goes wrong here is thrown by the turn, since the client would wrap it.
    private final class Callbacks implements org.apache.kafka.clients.consumer.ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> added) {
            guarded(() -> {
                shared.counters().rebalanced();
                LOG.info("event=assigned member={} partitions={}", index, added);
                // An empty assignment is one: this member is in the group and has nothing to do.
                assigned = true;
                var waiting = arrivals;
                if (waiting == null || added.isEmpty()) return;
                waiting.assigned(added);
                ask(waiting.topics());
            });
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> taken) {
            if (closing) return;
            guarded(() -> {
                shared.counters().rebalanced();
                LOG.info("event=revoked member={} partitions={}", index, taken);
                revoked(taken);
                if (owned.isEmpty()) unassigned();
            });
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> taken) {
            if (closing) return;
            guarded(() -> {
                shared.counters().rebalanced();
                LOG.warn("event=lost member={} partitions={}", index, taken);
                tell(new SourceEvent.Lost(release(taken)));
                if (owned.isEmpty()) unassigned();
            });
        }

        private void guarded(Runnable callback) {
            try {
                callback.run();
            } catch (Throwable failure) {
                callbackFailure = failure;
            }
        }
    }

    // Repeats do not extend it.
    private void unassigned() {
        if (!assigned) return;
        unassignedNanos = clock.nanoTime();
        assigned = false;
    }

    private void revoked(Collection<TopicPartition> taken) {
        var mine = consumer;
        var which = which(taken);
        if (mine != null && !which.isEmpty()) {
            var until = clock.nanoTime() + shared.settings().membership().drainTimeoutNanos();
            takeInbox();
            tell(new SourceEvent.Revoking(which));
            while (!machine.idle(which) && clock.nanoTime() - until < 0) {
                inbox.await(Math.min(HELD_POLL_NANOS, until - clock.nanoTime()));
                takeInbox();
                tell(new SourceEvent.Tick());
            }
            commitNow(mine, which, clock.nanoTime() + commitNanos());
            tell(new SourceEvent.Revoked(which));
        }
        release(taken);
    }

    private Set<SourcePartition> which(Collection<TopicPartition> taken) {
        var which = new HashSet<SourcePartition>();
        for (var partition : taken) {
            var mine = owned.get(partition);
            if (mine != null) which.add(mine);
        }
        return which;
    }

    private Set<SourcePartition> release(Collection<TopicPartition> taken) {
        var which = which(taken);
        for (var partition : taken) {
            owned.remove(partition);
            cuts.remove(partition);
        }
        var waiting = arrivals;
        if (waiting != null) waiting.gone(taken);
        for (var partition : which) shared.accounts().of(partition).released(index);
        partitions = owned.size();
        return which;
    }
}
