package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitFlight;
import dev.millrace.checkpoint.CommitNote;
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
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.apache.kafka.common.errors.InconsistentGroupProtocolException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One member of the group: a consumer, its machine, and the loop that turns both.
///
/// A turn polls, tells the machine what came and what was resolved since, and carries out what it says.
/// Nothing in a turn waits but the poll itself, so a sink that is down for hours costs no
/// rebalance. Only a revoke waits, in its callback, for at most `rebalance.drain_timeout`.
///
/// Thread ownership: its own thread, but for `stop`, `finish`, `view` and what is told to it.
final class SourceMember implements Runnable, TopicWatch.Reader, MemberEvents {
    private static final Logger LOG = LoggerFactory.getLogger(SourceMember.class);
    private static final int FATAL = 5;
    private static final int NAMED_AT_MOST = 10;
    private static final String LESS_MEMORY =
            "a record there, or what was fetched of all partitions, is larger than the memory left; give the process"
                    + " more (-Xmx), or lower admission.max_bytes, max.poll.records, max.partition.fetch.bytes and"
                    + " fetch.max.bytes";
    private static final long IDLE_POLL_NANOS = 100_000_000L;
    private static final long HELD_POLL_NANOS = 5_000_000L;
    private static final long PLAN_POLL_NANOS = 10_000_000L;
    /// The longest turn with nothing to do: polls that give nothing follow one another without a walk over all
    /// partitions between them.
    private static final long RESTING_NANOS = 1_000_000_000L;
    private static final Duration CLOSE = Duration.ofMillis(500);
    /// What is committed was answered by now, and the word that it leaves goes out at once. What the client would
    /// wait for beyond is the fetch that stands at the broker, for up to `fetch.max.wait.ms`.
    private static final Duration LAST_CLOSE = Duration.ofMillis(100);
    private static final Duration LOG_END = Duration.ofSeconds(3);
    private static final long ASK_AGAIN_NANOS = 1_000_000_000L;
    /// A partition that comes is no news while it takes no longer.
    private static final long ARRIVAL_NANOS = 5_000_000_000L;
    private static final long LAG_NANOS = 1_000_000_000L;

    /// What members have in common.
    record Shared(
            KafkaSourceSettings settings,
            IntFunction<Consumer<ByteBuffer, ByteBuffer>> consumers,
            Oversized oversized,
            NanoClock clock,
            Accounts accounts,
            SourceCounters counters,
            Outcomes outcomes) {}

    /// Whom a member tells how it goes on.
    interface Outcomes {
        void inputFinished(int member);

        void failed(int member, int exitCode, String reason);

        void ended(int member);

        /// What stands beside a committed offset is not kept.
        void plansNotKept();

        /// A partition came whose plan names tokens that shards acknowledged.
        void newestTokens(SourcePartition partition, Map<Integer, Long> tokens);

        /// Where these logs end; without those that did not answer within the half second that a
        /// stop has for it.
        Map<TopicPartition, Long> ends(Set<TopicPartition> of);
    }

    /// The consumer, and what works with it.
    private record Gear(
            Consumer<ByteBuffer, ByteBuffer> consumer, Arrivals arrivals, MemberCommits commits, LogBounds bounds) {}

    private final int index;
    private final Shared shared;
    private final NanoClock clock;
    private final Inbox<SourceEvent> inbox = new Inbox<>();
    private final Inbox<Map<String, TopicId>> identified = new Inbox<>();
    private final SourceMachine machine;
    private final Map<TopicPartition, SourcePartition> owned = new HashMap<>();
    private final ArrayList<SourceCommand> commands = new ArrayList<>();
    private final CommitTrouble trouble;
    private final LeftOut leftOut;

    private @Nullable Gear gear;
    private volatile @Nullable TopicWatch watch;
    private @Nullable Throwable callbackFailure;
    private long askedNanos;
    private long lagNanos;
    private boolean stopping;
    private boolean closing;
    private boolean inputTold;
    private boolean troubled;
    private boolean plansLookedAt;
    private @Nullable Long unexplainedNanos;

    private volatile long turnNanos;
    private volatile long unassignedNanos;
    private volatile boolean assigned;
    private volatile boolean arriving;
    private volatile int partitions;
    private volatile @Nullable Long encodeUntilNanos;
    private volatile @Nullable Long finishNanos;
    private volatile boolean ended;
    private volatile boolean failed;

    SourceMember(int index, Shared shared, MachineMaker maker) {
        this.index = index;
        this.shared = shared;
        this.clock = shared.clock();
        this.trouble = new CommitTrouble(index);
        this.leftOut = new LeftOut(shared.settings().skips());
        var now = clock.nanoTime();
        this.turnNanos = now;
        this.unassignedNanos = now;
        this.askedNanos = now - ASK_AGAIN_NANOS;
        this.lagNanos = now - LAG_NANOS;
        this.machine = maker.make(new Told(), now);
    }

    /// Makes this member's machine, around its inbox.
    interface MachineMaker {
        SourceMachine make(dev.millrace.checkpoint.Resolved inbox, long nowNanos);
    }

    void watchedBy(TopicWatch topicWatch) {
        watch = topicWatch;
    }

    private final class Told implements dev.millrace.checkpoint.Resolved {
        @Override
        public void resolved(Range range, Resolution resolution) {
            inbox.tell(new SourceEvent.RangeResolved(range, resolution));
        }

        @Override
        public void splitting(Range range) {
            inbox.tell(new SourceEvent.SplitAsked(range));
        }
    }

    @Override
    public void changed(String topic, TopicId was, @Nullable TopicId is) {
        inbox.tell(new SourceEvent.TopicChanged(topic, was, is));
    }

    @Override
    public void identified(Map<String, TopicId> topics) {
        identified.tell(topics);
    }

    @Override
    public void unwatched(Throwable why) {
        shared.outcomes().failed(index, FATAL, "the watch over the topics died: " + why);
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
        gear(shared.consumers().apply(index));
    }

    /// Gives back a consumer that never joins.
    void discard() {
        closing = true;
        close();
    }

    @Override
    public void run() {
        try {
            var mine = gear;
            if (mine == null) throw new IllegalStateException("not opened");
            subscribe(mine.consumer());
            while (finishNanos == null) {
                turn(mine);
                mine = sureOf(mine);
            }
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

    private void gear(Consumer<ByteBuffer, ByteBuffer> consumer) {
        gear = new Gear(
                consumer,
                new Arrivals(consumer),
                new MemberCommits(consumer, machine, this, trouble, clock),
                new LogBounds(consumer, owned, this, this::ask));
    }

    private void ownNothing() {
        try {
            machine.close();
        } catch (Throwable failure) {
            LOG.atError()
                    .addKeyValue("event", "source_close_failed")
                    .setCause(failure)
                    .log("member={}", index);
        }
    }

    private void fail(Throwable failure) {
        failed = true;
        if (failure instanceof OutOfMemoryError) {
            shared.outcomes().failed(index, FATAL, memoryRanOut(failure));
            return;
        }
        if (refusal(failure)) {
            var line = "Kafka refuses this member: " + failure.getClass().getSimpleName() + ": " + failure.getMessage();
            shared.outcomes().failed(index, FATAL, line);
            return;
        }
        LOG.atError().addKeyValue("event", "source_died").setCause(failure).log("member={}", index);
        shared.outcomes().failed(index, FATAL, "source thread " + index + " died: " + failure);
    }

    // Looking for the place takes memory too: that there is none left must not hide that the member has died.
    private String memoryRanOut(Throwable failure) {
        try {
            return outOfMemory(failure);
        } catch (Throwable again) {
            return "out of memory (" + failure.getMessage() + "), and while its place was looked for, " + again + ": "
                    + LESS_MEMORY;
        }
    }

    // A batch is unpacked record by record, so a record is what is too large: one of those that come next.
    private String outOfMemory(Throwable failure) {
        var next = new TreeMap<SourcePartition, Long>();
        for (var partition : owned.values())
            next.put(partition, shared.accounts().of(partition).position());
        var found = shared.oversized().among(next);
        if (found != null) return "out of memory (" + failure.getMessage() + ") while reading " + tooLarge(found);
        var places = next.entrySet().stream()
                .map(one -> one.getKey() + "@" + one.getValue())
                .limit(NAMED_AT_MOST)
                .toList();
        return "out of memory (" + failure.getMessage() + ") while reading " + String.join(", ", places)
                + (next.size() > NAMED_AT_MOST ? " and others" : "") + ": " + LESS_MEMORY;
    }

    private static String tooLarge(Oversized.Found found) {
        if (found.last() == null)
            return "at or soon after " + found.from()
                    + ": a record there is larger than the memory left; give the process more (-Xmx)";
        var one = found.last() == found.from().offset();
        return found + (one ? ": that record" : ": a record there, without which the others can't be read,")
                + " is larger than the memory left; give the process more (-Xmx), or leave "
                + (one ? "the record" : "them")
                + " out for good with source.kafka.skip: [" + found + "]";
    }

    private static boolean refusal(Throwable failure) {
        return switch (failure) {
            case AuthenticationException _,
                    AuthorizationException _,
                    FencedInstanceIdException _,
                    UnreleasedInstanceIdException _,
                    GroupMaxSizeReachedException _,
                    InconsistentGroupProtocolException _,
                    UnsupportedVersionException _ -> true;
            default -> false;
        };
    }

    private void subscribe(Consumer<ByteBuffer, ByteBuffer> mine) {
        switch (shared.settings().topics()) {
            case Subscription.Named(var topics) -> mine.subscribe(topics, new Callbacks());
            // By the client under either protocol: a broker's pattern is another language, and may take internal
            // topics.
            case Subscription.Matching(var pattern) -> mine.subscribe(pattern, new Callbacks());
        }
    }

    // A commit was refused because of the membership, and no callback tells what that means: what is owned is not
    // sure, so nothing is cut. Whoever joins anew knows (EO-4).
    private Gear sureOf(Gear mine) {
        if (!machine.unexplained() || stopping) {
            unexplainedNanos = null;
            return mine;
        }
        var now = clock.nanoTime();
        var since = unexplainedNanos;
        if (since == null) unexplainedNanos = now;
        if (since == null || now - since < shared.settings().sessionTimeoutNanos()) return mine;
        unexplainedNanos = null;
        LOG.atWarn()
                .addKeyValue("event", "joins_anew")
                .log("member={} note=\"its commits are refused, and nothing tells why\"", index);
        closing = true;
        now(new SourceEvent.Lost(release(List.copyOf(owned.keySet()))));
        close();
        mine.commits().giveUp();
        closing = false;
        unassigned();
        gear(shared.consumers().apply(index));
        var fresh = gear;
        if (fresh == null) throw new IllegalStateException("not opened");
        subscribe(fresh.consumer());
        return fresh;
    }

    // A broker, or a proxy before it, may keep offsets and no text beside them: then there are no plans (EO-8).
    private void lookWhetherPlansAreKept(Gear mine) {
        // One question for each acknowledgement at the most: where nobody answers, the poll must not wait again and
        // again.
        var kept = mine.commits().takePlanKept();
        if (kept == null || !owned.containsKey(kept)) return;
        try {
            var read = mine.consumer().committed(Set.of(kept), LOG_END).get(kept);
            plansLookedAt = true;
            var text = read == null ? null : read.metadata();
            if (text == null || text.isEmpty()) shared.outcomes().plansNotKept();
        } catch (RetriableException | StaleMemberEpochException | UnknownMemberIdException later) {
            LOG.atDebug().addKeyValue("event", "plan_not_read").log("why=\"{}\"", later.getMessage());
        }
    }

    private void turn(Gear mine) throws Throwable {
        turnNanos = clock.nanoTime();
        var until = encodeUntilNanos;
        if (until != null && !stopping) {
            stopping = true;
            now(new SourceEvent.StopTaking(until));
            // Before the next poll: nothing may come after the input was called finished.
            carryOut(mine);
        }
        arrive(mine);
        stepOver(mine);
        var records = poll(mine);
        takeInbox();
        if (records == null) now(new SourceEvent.Tick());
        else now(new SourceEvent.Polled(batches(records)));
        carryOut(mine);
        if (trouble.lasts() && machine.nothingToCommit()) trouble.nothingLeft();
        readLags(mine.consumer());
        if (!plansLookedAt) lookWhetherPlansAreKept(mine);
        checkAssignment();
    }

    // The ids of partitions that wait are read beside the loop; an answer that got lost is asked for again.
    private void arrive(Gear mine) {
        var waiting = mine.arrivals();
        for (var ids = identified.poll(); ids != null; ids = identified.poll()) {
            waiting.identified(ids);
            mine.bounds().identified(ids);
        }
        // What is on its way may still change what would be read.
        if (!machine.commitOut()) waiting.locate();
        for (var one : waiting.take()) arrived(one);
        if (waiting.isEmpty()) {
            arriving = false;
            return;
        }
        // What is assigned and cannot be read is as good as not assigned.
        if (!arriving) {
            arriving = true;
            if (assigned) unassignedNanos = clock.nanoTime();
        }
        if (clock.nanoTime() - askedNanos >= ASK_AGAIN_NANOS) ask(waiting.topics());
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
        var note = committed == null ? new CommitNote.Nothing() : CommitNote.read(committed);
        var was = note.topic();
        var logEnd = note instanceof CommitNote.Unreadable ? logEnd(partition) : -1;
        now(new SourceEvent.Assigned(partition, one.start(), committed, logEnd));
        if (was != null && !was.equals(partition.topicId()))
            now(new SourceEvent.TopicChanged(partition.topic(), was, partition.topicId()));
    }

    // Whatever was open ends below it.
    private long logEnd(SourcePartition partition) {
        var mine = gear;
        if (mine == null) return -1;
        var at = CommitCall.kafka(partition);
        try {
            return mine.consumer().endOffsets(List.of(at), LOG_END).getOrDefault(at, -1L);
        } catch (RetriableException late) {
            LOG.atWarn()
                    .addKeyValue("event", "log_end_unknown")
                    .log("partition={} why=\"{}\"", partition, late.getMessage());
            return -1;
        }
    }

    // Before the client unpacks what stands there. A paused one is looked at when it goes on.
    private void stepOver(Gear mine) {
        if (leftOut.isEmpty() || stopping) return;
        var paused = mine.consumer().paused();
        owned.forEach((at, partition) -> {
            if (paused.contains(at)) return;
            var position = shared.accounts().of(partition).position();
            var next = leftOut.past(at, position);
            if (next > position) now(new SourceEvent.Skipped(partition, next));
        });
        carryOut(mine);
    }

    private @Nullable ConsumerRecords<ByteBuffer, ByteBuffer> poll(Gear mine) throws Throwable {
        try {
            var records = mine.consumer().poll(Duration.ofNanos(pollNanos(mine)));
            var since = clock.nanoTime();
            while (records.nextOffsets().isEmpty() && rests(mine) && clock.nanoTime() - since < RESTING_NANOS)
                records = mine.consumer().poll(Duration.ofNanos(IDLE_POLL_NANOS));
            rethrow(mine);
            troubled = false;
            return records;
        } catch (LogTruncationException cut) {
            mine.bounds().truncated(cut);
        } catch (OffsetOutOfRangeException lost) {
            mine.bounds().outOfRange(lost);
        } catch (NoOffsetForPartitionException fresh) {
            // Its start could not be read in the callback; `arrive` reads it.
            if (!troubled) LOG.atWarn().addKeyValue("event", "no_offset_yet").log("partitions={}", fresh.partitions());
            troubled = true;
        } catch (RetriableException | StaleMemberEpochException | UnknownMemberIdException passing) {
            // Of the latter two: the group is without this member, which the client tells next, and joins it anew.
            if (!troubled)
                LOG.atWarn().addKeyValue("event", "poll_failed").log("member={} why=\"{}\"", index, passing.toString());
            troubled = true;
        }
        rethrow(mine);
        inbox.await(HELD_POLL_NANOS);
        return null;
    }

    private void rethrow(Gear mine) throws Throwable {
        var failure = callbackFailure;
        if (failure != null) throw failure;
        var refused = mine.commits().fatal();
        if (refused != null) throw refused;
    }

    // Whatever is told ends the rest behind the poll that runs.
    private boolean rests(Gear mine) {
        if (encodeUntilNanos != null || finishNanos != null || callbackFailure != null) return false;
        return assigned && mine.arrivals().isEmpty() && inbox.isEmpty() && machine.atRest();
    }

    private long pollNanos(Gear mine) {
        var longest = machine.held() || !mine.arrivals().isEmpty() ? HELD_POLL_NANOS : IDLE_POLL_NANOS;
        // The answer is told inside a poll, and writes wait for it; so does the end of a drain.
        if (machine.planOut() || stopping) longest = Math.min(longest, PLAN_POLL_NANOS);
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
            var position = shared.accounts().of(partition).position();
            leftOut.take(partition, position, records.records(entry.getKey()), entry.getValue(), batches);
        }
        return batches;
    }

    @Override
    public void now(SourceEvent event) {
        if (isAnswer(event)) heard();
        machine.on(event, clock.nanoTime(), commands::add);
    }

    // What was fetched is a broker's answer, and so is what it says of a commit.
    private static boolean isAnswer(SourceEvent event) {
        return switch (event) {
            case SourceEvent.Polled(var batches) -> !batches.isEmpty();
            case SourceEvent.CommitAnswered(var _, var answer) -> !(answer instanceof CommitFlight.Answer.Unknown);
            default -> false;
        };
    }

    private void heard() {
        var told = watch;
        if (told != null) told.heard();
    }

    @Override
    public void later(SourceEvent event) {
        inbox.tell(event);
    }

    @Override
    public void takeInbox() {
        for (var event = inbox.poll(); event != null; event = inbox.poll()) now(event);
    }

    private void carryOut(Gear mine) {
        // A command may bring the next one: a commit that is waited for tells its answer at once.
        for (var i = 0; i < commands.size(); i++) carryOut(commands.get(i), mine);
        commands.clear();
    }

    private void carryOut(SourceCommand command, Gear mine) {
        switch (command) {
            case SourceCommand.Pause(var which, var reason) -> {
                LOG.atDebug().addKeyValue("event", "paused").log("reason={} partitions={}", reason, which);
                mine.consumer().pause(kafka(which));
            }
            case SourceCommand.Resume(var which) -> mine.consumer().resume(kafka(which));
            // Those that are waited for are asked for, and sent, by MemberCommits.
            case SourceCommand.Commit(var send, var _) -> mine.commits().send(send);
            case SourceCommand.SeekTo(var partition, var offset) -> {
                mine.consumer().seek(CommitCall.kafka(partition), offset);
                mine.consumer().resume(List.of(CommitCall.kafka(partition)));
            }
            case SourceCommand.ReadAgain(var partition, var from) -> {
                LOG.atInfo().addKeyValue("event", "read_again").log("partition={} from={}", partition, from.offset());
                mine.consumer().seek(CommitCall.kafka(partition), CommitCall.offset(from));
            }
            case SourceCommand.AskFor(var partition, var tokens) ->
                shared.outcomes().newestTokens(partition, tokens);
            case SourceCommand.Tell(var event, var text) ->
                LOG.atWarn().addKeyValue("event", event).log("{}", text);
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

    // The client knows the end of what it fetches; the watch reads the ends of what is paused.
    private void readLags(Consumer<ByteBuffer, ByteBuffer> mine) {
        var now = clock.nanoTime();
        if (now - lagNanos < LAG_NANOS) return;
        lagNanos = now;
        var paused = mine.paused();
        owned.forEach((at, partition) -> {
            if (paused.contains(at)) return;
            // Not the client's own position: asking for it may wait for a broker that is not there.
            var lag = mine.currentLag(at);
            if (lag.isPresent()) shared.accounts().of(partition).endsAfterPosition(lag.getAsLong(), now);
        });
    }

    private void checkAssignment() {
        if ((assigned && !arriving) || stopping) return;
        var waited = clock.nanoTime() - unassignedNanos;
        if (waited < shared.settings().membership().endAfterNanos()) return;
        unassignedNanos = clock.nanoTime();
        shared.outcomes()
                .failed(
                        index,
                        FATAL,
                        "group member " + index + " got no assignment within " + waited / 1_000_000_000L + " s");
    }

    // A rebalance just now refuses the commit until a poll has gone through it; nothing is taken meanwhile.
    private void lastCommit(Gear mine) throws Throwable {
        var deadline = finishNanos;
        if (deadline == null) return;
        takeInbox();
        var until = Math.min(deadline - clock.nanoTime(), commitNanos()) + clock.nanoTime();
        while (!mine.commits().commitNow(null, until) && clock.nanoTime() - until < 0) turn(mine);
        readBacklog();
    }

    // By the admin client: on the consumer's own connection the question would stand behind a fetch that waits.
    private void readBacklog() {
        if (owned.isEmpty()) return;
        for (var partition : owned.values()) shared.accounts().of(partition).endUnknown();
        var ends = shared.outcomes().ends(Set.copyOf(owned.keySet()));
        var now = clock.nanoTime();
        owned.forEach((at, partition) -> {
            var end = ends.get(at);
            if (end != null) shared.accounts().of(partition).end(end, now);
        });
    }

    private void close() {
        var mine = gear;
        if (mine == null) return;
        try {
            mine.consumer()
                    .close(CloseOptions.timeout(finishNanos == null ? CLOSE : LAST_CLOSE)
                            .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
        } catch (RuntimeException | OutOfMemoryError refused) {
            LOG.atWarn()
                    .addKeyValue("event", "consumer_close_failed")
                    .log("member={} why=\"{}\"", index, refused.toString());
        }
    }

    MemberView view(long nowNanos) {
        var without = (assigned && !arriving) || ended ? 0 : Math.max(0, nowNanos - unassignedNanos);
        return new MemberView(
                index,
                phase(without),
                partitions,
                ended ? 0 : Math.max(0, nowNanos - turnNanos),
                without,
                ended ? 0 : trouble.forNanos(nowNanos));
    }

    private MemberView.Phase phase(long unassigned) {
        if (failed) return MemberView.Phase.FAILED;
        if (ended) return MemberView.Phase.ENDED;
        if (encodeUntilNanos != null) return MemberView.Phase.DRAINING;
        if (assigned && (!arriving || unassigned < ARRIVAL_NANOS)) return MemberView.Phase.ASSIGNED;
        return unassigned >= shared.settings().membership().unreadyAfterNanos()
                ? MemberView.Phase.UNREADY
                : MemberView.Phase.JOINING;
    }

    /// What Kafka says inside a poll. What goes wrong here is thrown by the turn, since the client
    /// would wrap it.
    private final class Callbacks implements org.apache.kafka.clients.consumer.ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> added) {
            guarded(() -> {
                shared.counters().rebalanced();
                LOG.atInfo().addKeyValue("event", "assigned").log("member={} partitions={}", index, added);
                // An empty assignment is one: this member is in the group and has nothing to do.
                assigned = true;
                var mine = gear;
                if (mine == null || added.isEmpty()) return;
                mine.arrivals().assigned(added);
                if (!machine.commitOut()) mine.arrivals().locate();
                ask(mine.arrivals().topics());
            });
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> taken) {
            if (closing) return;
            guarded(() -> {
                shared.counters().rebalanced();
                LOG.atInfo().addKeyValue("event", "revoked").log("member={} partitions={}", index, taken);
                revoked(taken);
                if (owned.isEmpty()) unassigned();
            });
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> taken) {
            if (closing) return;
            guarded(() -> {
                shared.counters().rebalanced();
                LOG.atWarn().addKeyValue("event", "lost").log("member={} partitions={}", index, taken);
                now(new SourceEvent.Lost(release(taken)));
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
        var mine = gear;
        var which = which(taken);
        if (mine != null && !which.isEmpty()) {
            var until = by(shared.settings().membership().drainTimeoutNanos());
            takeInbox();
            now(new SourceEvent.Revoking(which));
            while (!machine.idle(which) && clock.nanoTime() - until < 0) {
                inbox.await(Math.min(HELD_POLL_NANOS, until - clock.nanoTime()));
                takeInbox();
                now(new SourceEvent.Tick());
            }
            var _ = mine.commits().commitNow(which, by(commitNanos()));
            now(new SourceEvent.Revoked(which));
        }
        release(taken);
    }

    /// So long from now, or the end if that comes first.
    private long by(long nanos) {
        var by = clock.nanoTime() + nanos;
        var deadline = finishNanos;
        return deadline == null ? by : NanoClock.earlier(by, deadline);
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
        for (var partition : taken) owned.remove(partition);
        var mine = gear;
        if (mine != null) {
            mine.arrivals().gone(taken);
            mine.bounds().gone(taken);
        }
        for (var partition : which) shared.accounts().of(partition).released(index);
        partitions = owned.size();
        return which;
    }
}
