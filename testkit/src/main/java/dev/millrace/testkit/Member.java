package dev.millrace.testkit;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitFlight;
import dev.millrace.checkpoint.CommitFlight.Answer;
import dev.millrace.checkpoint.CommitNote;
import dev.millrace.checkpoint.Range;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.Resolved;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.kafka.KafkaSourceSettings;
import dev.millrace.kafka.SourceCommand;
import dev.millrace.kafka.SourceCounters;
import dev.millrace.kafka.SourceEvent;
import dev.millrace.kafka.SourceMachine;
import dev.millrace.sinkpool.NanoClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One group member: does in virtual time, step by step, what production's `SourceMember` does on its
/// thread, around the same machine.
///
/// What waits there is here a step that goes on later: the poll, a question to the broker, the wait for
/// what is in flight in a revoke, the answer of a commit. A poll that would return empty-handed
/// again and again is one long nap, from which records, the group, the machine's own wake time and
/// what is told wake it.
///
/// Thread ownership: the run.
final class Member {
    /// The one sink that it feeds.
    static final String SINK = "warehouse";

    private static final long SHORTEST_NAP_NANOS = 1_000_000L;
    private static final long HELD_POLL_NANOS = 5_000_000L;
    private static final long ASK_AGAIN_NANOS = 1_000_000_000L;
    private static final long LONGEST_NAP_NANOS = 30_000_000_000L;

    /// Turns while everything is down, where nothing is to be found in haste.
    private static final long OUTAGE_TURN_NANOS = 2_000_000_000L;

    private final PipelineProcess process;
    private final Naps naps;
    private final World world;
    private final KafkaSourceSettings settings;
    private final SourceMachine machine;
    private final SourceCounters counters = new SourceCounters();
    private final SourceOracle oracle;
    private final SendOracle sends;
    private final SkipOracle skips;
    private final @Nullable FakePosition[] positions = new FakePosition[FakeLog.MOST_SLOTS];
    private final ArrayDeque<SourceEvent> inbox = new ArrayDeque<>();
    private final ArrayList<SourceCommand> commands = new ArrayList<>();
    private @Nullable List<TopicId> identified;
    private long seat = -1;
    private boolean arriving;
    private boolean failedRanges;
    private boolean stopping;
    private boolean inputDone;
    private boolean left;
    private int turns;

    private long turnAt;
    private boolean fatal;

    /// There may be records at once.
    private boolean resumed;
    private long askedAt = Long.MIN_VALUE / 2;

    Member(PipelineProcess process) {
        this.process = process;
        this.naps = new Naps(process);
        this.world = process.world;
        this.settings = process.settings;
        this.sends = new SendOracle(world);
        this.skips = new SkipOracle(world, settings.values());
        world.sink.repeats().counts(counters);
        this.oracle = new SourceOracle(settings, skips);
        this.machine = SourceMachine.alone(
                new SourceMachine.Parts(
                        settings,
                        process.sinks(skips),
                        process.intake,
                        new Told(),
                        process.handles,
                        world::nextEpoch,
                        counters,
                        process.letters()),
                now());
    }

    private long now() {
        return process.now();
    }

    private long elapsed() {
        return world.agenda.elapsed();
    }

    long seat() {
        return seat;
    }

    /// What it has and is not done with, in words.
    String stuck() {
        var out = new StringBuilder();
        for (var partition : machine.owned()) {
            var view = machine.view(partition, now());
            if (view.blockedBy() != null || view.pending() > 0)
                out.append("\n  ").append(view).append(machine.segments(partition));
        }
        return out.toString();
    }

    boolean inputDone() {
        return inputDone;
    }

    boolean hasLeft() {
        return left;
    }

    void begin() {
        seat = world.group.members.join(naps::news);
        turn();
    }

    /// O2: what its machine says of its rows is the truth.
    void checkAtRest() {
        oracle.atRest(machine, now(), process.hasFailed());
    }

    // --- time

    /// Its thread stands still for so long. A frozen process sends no heartbeats either.
    void stall(long nanos, boolean frozen) {
        naps.stall(nanos);
        var session = process.source.sessionNanos();
        if (!frozen || nanos <= session) return;
        var of = seat;
        process.later(session, () -> {
            if (world.group.members.has(of)) world.reached(Sometimes.SESSION_TIMED_OUT);
            world.group.remove(of);
        });
    }

    void dataAt(int slot) {
        var position = positions[slot];
        if (position != null && !position.paused) naps.news();
    }

    /// The machine wakes by the process's clock.
    private long untilWake(long most) {
        var wake = machine.wakeAtNanos();
        if (wake == NanoClock.NEVER) return most;
        return process.trulyIn(Math.clamp(wake - now(), Math.min(most, SHORTEST_NAP_NANOS), most));
    }

    /// Who waits for an instant looks again.
    void clockJumped() {
        naps.news();
    }

    // --- what others tell it

    private final class Told implements Resolved {
        @Override
        public void resolved(Range range, Resolution resolution) {
            if (resolution == Resolution.FAILED) failedRanges = true;
            tell(new SourceEvent.RangeResolved(range, resolution));
        }

        @Override
        public void splitting(Range range) {
            world.reached(Sometimes.SPLIT_ASKED);
            tell(new SourceEvent.SplitAsked(range));
        }
    }

    private void tell(SourceEvent event) {
        inbox.add(event);
        naps.news();
    }

    void changed(String topic, TopicId was, TopicId is) {
        tell(new SourceEvent.TopicChanged(topic, was, is));
    }

    void layoutChanged() {
        tell(new SourceEvent.LayoutChanged(SINK));
    }

    void identified(List<TopicId> topics) {
        identified = topics;
        if (arriving) naps.news();
    }

    /// Gives back a consumer that never joins.
    void discard() {
        end();
        inputDone = true;
    }

    /// When its thread goes on, if it stands still.
    long stalledUntil() {
        return naps.stalledUntil();
    }

    void stopAsked() {
        naps.news();
    }

    // --- the machine

    private void now(SourceEvent event) {
        if (event instanceof SourceEvent.CommitAnswered(var attempt, var answer)) {
            answered(attempt, answer, event);
            return;
        }
        machine.on(event, now(), commands::add);
        process.checkBudget();
        if (event instanceof SourceEvent.TopicChanged(var topic, var _, var _)) sends.topicChanged(topic);
    }

    private void answered(long attempt, Answer answer, SourceEvent event) {
        world.note("commit answered " + answer.getClass().getSimpleName(), seat, attempt);
        var send = sends.out();
        sends.answered(attempt);
        if (answer instanceof Answer.Fenced)
            for (var position : positions) if (position != null) sends.forgotten(position.as);
        if (!(answer instanceof Answer.Acknowledged) || send == null) {
            machine.on(event, now(), commands::add);
            return;
        }
        var before = new HashMap<SourcePartition, Long>();
        for (var partition : send.entries().keySet()) before.put(partition, committed(partition));
        machine.on(event, now(), commands::add);
        before.forEach((partition, known) -> sends.known(partition, known, committed(partition)));
    }

    private @Nullable Long committed(SourcePartition partition) {
        return machine.view(partition, now()).committed();
    }

    private void takeInbox() {
        for (var event = inbox.poll(); event != null; event = inbox.poll()) now(event);
    }

    private void carryOut() {
        for (var i = 0; i < commands.size(); i++) carryOut(commands.get(i));
        commands.clear();
    }

    private void carryOut(SourceCommand command) {
        switch (command) {
            case SourceCommand.Pause(var which, var reason) -> {
                pause(which, true);
                world.reached(
                        switch (reason) {
                            case BUDGET -> Sometimes.BUDGET_FULL;
                            case TARGET -> Sometimes.MAILBOX_FULL;
                            case DEAD_LETTERS, DRIFT -> Sometimes.LETTERS_FULL;
                            case PLAN -> Sometimes.PLAN_FULL;
                            case PENDING -> Sometimes.PENDING_FULL;
                            case LAYOUT -> Sometimes.PAUSED_FOR_LAYOUT;
                            case DRAIN -> Sometimes.PAUSED_FOR_DRAIN;
                            case HALTED -> Sometimes.PARTITION_HALTED;
                        });
            }
            case SourceCommand.Resume(var which) -> {
                pause(which, false);
                resumed = true;
            }
            case SourceCommand.Commit(var send, var _) ->
                commit(send, null, answer -> {
                    tell(new SourceEvent.CommitAnswered(send.attempt(), answer));
                });
            case SourceCommand.SeekTo(var partition, var offset) -> {
                var position = of(partition);
                if (position == null) break;
                position.seek(offset, -1);
                position.paused = false;
                resumed = true;
            }
            case SourceCommand.ReadAgain(var partition, var from) -> readAgain(partition, from);
            case SourceCommand.AskFor _ -> {}
            case SourceCommand.Tell _ -> {}
            case SourceCommand.InputFinished() -> {
                inputDone = true;
                oracle.inputFinished(machine, now(), process.deadlinePassed());
                process.inputDone();
            }
            case SourceCommand.Stop(var exitCode, var reason) -> process.failed(exitCode, reason);
        }
    }

    private void readAgain(SourcePartition partition, CommitEntry from) {
        var position = of(partition);
        if (position == null) return;
        world.note("read again", position.slot, from.offset());
        world.reached(Sometimes.READ_AGAIN);
        position.seek(from.offset(), from.leaderEpoch());
        resumed = true;
    }

    private void pause(Set<SourcePartition> which, boolean paused) {
        for (var position : positions)
            if (position != null && position.arrived && which.contains(position.as)) position.paused = paused;
    }

    private @Nullable FakePosition of(SourcePartition partition) {
        for (var position : positions)
            if (position != null && position.arrived && position.as.equals(partition)) return position;
        return null;
    }

    // --- one turn

    private void turn() {
        process.effect();
        turnAt = elapsed();
        if (process.mayFinish()) {
            finish();
            return;
        }
        if (process.draining() && !stopping) {
            stopping = true;
            now(new SourceEvent.StopTaking(process.drainDeadline()));
            carryOut();
        }
        locate(() -> {
            arrive();
            pollGroup(this::fetch);
        });
    }

    /// Reads where those begin that do not know it yet. The thread waits for the answer.
    private void locate(Runnable then) {
        var unknown = false;
        for (var position : positions) unknown |= position != null && !position.located;
        // What is on its way may still change what would be read.
        if (!unknown || machine.commitOut()) {
            then.run();
            return;
        }
        var late = world.group.moving();
        if (late) world.reached(Sometimes.START_READ_LATE);
        var asked = late ? SourceOracle.ASK_NANOS : world.chance.millis(0, 20);
        naps.nap(asked, false, () -> {
            if (!late) for (var position : positions) if (position != null && !position.located) place(position);
            then.run();
        });
    }

    private void place(FakePosition position) {
        var committed = world.group.committed(position.slot);
        var part = world.log.at(position.slot);
        position.located = true;
        position.committed = committed;
        if (committed == null) {
            // New in a group that has offsets, or expired: what retention took before nobody counts.
            part.takenBefore(part.logStart);
            position.start = new CommitEntry(part.logStart, -1, "");
        } else position.start = committed;
        position.seek(position.start.offset(), position.start.leaderEpoch());
    }

    private void arrive() {
        var ids = identified;
        identified = null;
        var cut = false;
        var waits = false;
        for (var position : positions) {
            if (position == null) continue;
            if (ids != null && !position.arrived) position.topicId = ids.get(topic(position));
            if (ids != null && position.cutAt >= 0) cut = true;
            var start = position.start;
            var id = position.topicId;
            if (position.arrived) continue;
            if (start == null || id == null) {
                waits = true;
                continue;
            }
            arrived(position, start, id);
        }
        if (cut) cutsIdentified();
        arriving = waits;
        if (waits && elapsed() - askedAt >= ASK_AGAIN_NANOS) ask();
    }

    private static int topic(FakePosition position) {
        return position.as.topic().charAt(1) - '0';
    }

    private void ask() {
        askedAt = elapsed();
        process.watch.ask();
    }

    private void arrived(FakePosition position, CommitEntry start, TopicId id) {
        var as = new SourcePartition(position.as.topic(), id, position.as.partition());
        position.as = as;
        position.arrived = true;
        var committed = position.committed;
        world.note("owned", position.slot, start.offset());
        if (oracle.owned(as))
            process.counts(as, machine.view(as, now()).sinks().getFirst().tally());
        else world.reached(Sometimes.REASSIGNED_TO_SAME_MEMBER);
        sends.owned(as, committed);
        var note = committed == null ? new CommitNote.Nothing() : CommitNote.read(committed);
        if (note instanceof CommitNote.Planned(var plan) && !plan.segments().isEmpty())
            world.reached(Sometimes.SEGMENTS_REPLAYED);
        var logEnd = -1L;
        if (note instanceof CommitNote.Unreadable) {
            world.reached(Sometimes.PLAN_UNREADABLE);
            logEnd = world.log.at(position.slot).logEnd();
        }
        var planning = settings.planning();
        if (planning != null
                && note instanceof CommitNote.Planned(var planned)
                && !planned.segments().isEmpty()
                && planned.fingerprint() != planning.fingerprint()) world.reached(Sometimes.PLAN_OF_OTHER_SETTINGS);
        now(new SourceEvent.Assigned(as, start, committed, logEnd));
        var was = note.topic();
        if (was != null && !was.equals(id)) now(new SourceEvent.TopicChanged(as.topic(), was, id));
    }

    private void pollGroup(Runnable then) {
        process.effect();
        naps.heardAll();
        switch (world.group.members.poll(seat)) {
            case Membership.Told.Nothing() -> then.run();
            case Membership.Told.Assigned(var slots) -> assigned(slots, then);
            case Membership.Told.Revoke(var slots) ->
                revoke(slots, () -> {
                    process.effect();
                    world.group.members.revoked(seat);
                    then.run();
                });
            case Membership.Told.Lost() -> {
                lost();
                seat = world.group.members.join(naps::news);
                then.run();
            }
        }
    }

    private void assigned(long slots, Runnable then) {
        world.note("assigned", seat, slots);
        for (var slot = 0; slot < positions.length; slot++) {
            if ((slots >> slot & 1) == 0) continue;
            if (positions[slot] != null) throw new IllegalStateException("slot " + slot + " is assigned twice");
            positions[slot] = new FakePosition(slot, world.log.at(slot).id);
        }
        if (slots != 0) {
            arriving = true;
            ask();
        }
        locate(then);
    }

    // --- records

    private void fetch() {
        var most = world.chance.between(1, process.source.polled());
        var batches = new ArrayList<SourceEvent.Batch>();
        var more = false;
        var tick = false;
        var from = turns++;
        for (var i = 0; i < positions.length; i++) {
            var position = positions[(from + i) % positions.length];
            if (position == null || position.paused || !position.arrived) continue;
            if (most == 0) {
                more = true;
                continue;
            }
            switch (world.log.fetch(position.slot, position, most, skips)) {
                case FakeLog.Fetched.Some(var records, var next, var leaderEpoch) -> {
                    position.seek(next, leaderEpoch);
                    more = true;
                    if (records != null) {
                        if (world.log.at(position.slot).grownLater) world.reached(Sometimes.PARTITION_GREW);
                        most -= records.size();
                        oracle.polled(position.as, records.size());
                    }
                    batches.add(new SourceEvent.Batch(position.as, records, next, leaderEpoch));
                }
                case FakeLog.Fetched.Nothing() -> {}
                case FakeLog.Fetched.OutOfRange() -> {
                    tick = true;
                    outOfRange(position);
                }
                case FakeLog.Fetched.Differs(var at) -> {
                    tick = true;
                    cut(position, at);
                }
            }
        }
        if (fatal) {
            die();
            process.left();
            return;
        }
        takeInbox();
        // An exception of the client comes without records; those are given at the next poll.
        if (tick && batches.isEmpty()) now(new SourceEvent.Tick());
        else now(new SourceEvent.Polled(batches));
        resumed = false;
        carryOut();
        sleep(more || tick || resumed);
    }

    private void outOfRange(FakePosition position) {
        var part = world.log.at(position.slot);
        if (position.offset < part.logStart) {
            position.paused = true;
            var before = commands.size();
            now(new SourceEvent.OffsetsLost(position.as, position.offset, part.logStart));
            passedOver(position, part, before);
        } else if (position.offset > part.logEnd()) cut(position, part.logEnd());
    }

    private void passedOver(FakePosition position, FakePartition part, int before) {
        for (var command : commands.subList(before, commands.size())) {
            if (!(command instanceof SourceCommand.SeekTo(var _, var to))) continue;
            world.reached(Sometimes.OFFSETS_LOST_CONTINUE);
            if (to != part.logStart) throw new Violation("SRC-6", "reads on at " + to + ", not at the log's start");
            oracle.lost(part.logStart - position.offset, counters);
            part.takenBefore(part.logStart);
        }
    }

    private void cut(FakePosition position, long logEnd) {
        position.paused = true;
        position.cutAt = logEnd;
        ask();
    }

    /// The topics were looked at, and what changed of them stands in the inbox.
    private void cutsIdentified() {
        takeInbox();
        for (var position : positions) {
            if (position == null || position.cutAt < 0) continue;
            var at = position.cutAt;
            position.cutAt = -1;
            now(new SourceEvent.LogTruncated(position.as, position.offset, at));
        }
    }

    private void sleep(boolean more) {
        if (turnAt >= Math.max(naps.stalledUntil(), process.thawedAt())) oracle.turned(elapsed() - turnAt);
        var turn = process.source.turnNanos();
        if (more) naps.nap(world.chance.between(turn / 4, turn), false, this::turn);
        else if (machine.held() && !process.draining()) {
            var again = world.outageNanos() > 0 ? OUTAGE_TURN_NANOS : 4 * turn;
            naps.nap(untilWake(world.chance.between(HELD_POLL_NANOS, again)), true, this::turn);
        } else {
            var most = process.draining() ? turn : failedRanges || arriving ? ASK_AGAIN_NANOS : LONGEST_NAP_NANOS;
            naps.nap(untilWake(most), true, this::turn);
        }
        if (!inbox.isEmpty()) naps.news();
    }

    // --- the group takes partitions away

    private void lost() {
        var which = arrivedOf(-1L);
        world.note("lost", seat, which.size());
        if (!which.isEmpty()) world.reached(Sometimes.PARTITIONS_LOST);
        release(-1L);
        now(new SourceEvent.Lost(which));
    }

    private Set<SourcePartition> arrivedOf(long slots) {
        var which = new HashSet<SourcePartition>();
        for (var position : positions)
            if (position != null && position.arrived && (slots >> position.slot & 1) != 0) which.add(position.as);
        return which;
    }

    private void release(long slots) {
        for (var slot = 0; slot < positions.length; slot++) {
            var position = positions[slot];
            if (position == null || (slots >> slot & 1) == 0) continue;
            sends.forgotten(position.as);
            positions[slot] = null;
        }
    }

    private void revoke(long slots, Runnable then) {
        var which = arrivedOf(slots);
        world.note("revoke", seat, which.size());
        if (which.isEmpty()) {
            release(slots);
            then.run();
            return;
        }
        takeInbox();
        now(new SourceEvent.Revoking(which));
        if (!machine.idle(which)) world.reached(Sometimes.REVOKE_WITH_CHUNKS_IN_FLIGHT);
        var until = elapsed() + settings.membership().drainTimeoutNanos();
        awaitIdle(
                which,
                until,
                () -> commitNow(which, elapsed() + commitNanos(), () -> {
                    release(slots);
                    now(new SourceEvent.Revoked(which));
                    then.run();
                }));
    }

    private void awaitIdle(Set<SourcePartition> which, long until, Runnable then) {
        if (machine.idle(which) || elapsed() >= until) {
            if (!machine.idle(which)) world.reached(Sometimes.REVOKE_CUT_BY_ITS_TIMEOUT);
            then.run();
            return;
        }
        var most = machine.held() ? process.source.turnNanos() : until - elapsed();
        naps.nap(Math.min(until - elapsed(), untilWake(most)), true, () -> {
            takeInbox();
            now(new SourceEvent.Tick());
            awaitIdle(which, until, then);
        });
        if (!inbox.isEmpty()) naps.news();
    }

    // --- commits

    private long commitNanos() {
        return settings.checkpoint().commitTimeoutNanos();
    }

    private void commit(CommitFlight.Send send, @Nullable Set<SourcePartition> only, Consumer<Answer> answer) {
        sends.sent(send, only);
        process.effect();
        world.note("commit", seat, send.attempt());
        world.group.commit(
                seat,
                send,
                said -> process.doNow(() -> {
                    fatal |= said instanceof Answer.Fenced;
                    answer.accept(said);
                }));
    }

    /// Commits what is contiguous of these, or with null of all, until nothing is left to commit
    /// or the time is up.
    private void commitNow(@Nullable Set<SourcePartition> only, long until, Runnable then) {
        takeInbox();
        if (!machine.commitOut()) {
            commitOn(only, until, then);
            return;
        }
        var out = sends.out();
        if (elapsed() < until) {
            naps.nap(until - elapsed(), true, () -> commitNow(only, until, then));
            return;
        }
        if (out != null) now(new SourceEvent.CommitAnswered(out.attempt(), new Answer.Unknown()));
        then.run();
    }

    private void commitOn(@Nullable Set<SourcePartition> only, long until, Runnable then) {
        if (elapsed() >= until) {
            then.run();
            return;
        }
        var found = new ArrayList<SourceCommand>();
        machine.on(new SourceEvent.CommitNow(only), now(), found::add);
        for (var command : found) {
            if (!(command instanceof SourceCommand.Commit(var send, var _))) continue;
            sendAndWait(send, only, until, then);
            return;
        }
        then.run();
    }

    private void sendAndWait(CommitFlight.Send send, @Nullable Set<SourcePartition> only, long until, Runnable then) {
        var answer = new @Nullable Answer[1];
        commit(send, only, said -> {
            answer[0] = said;
            naps.news();
        });
        awaitAnswer(answer, until, () -> {
            var said = answer[0] == null ? new Answer.Unknown() : answer[0];
            answer[0] = said;
            now(new SourceEvent.CommitAnswered(send.attempt(), said));
            // The group moved on: only a poll could tell where to, and what is not committed replays.
            if (said instanceof Answer.Later) then.run();
            else commitOn(only, until, then);
        });
    }

    private void awaitAnswer(@Nullable Answer[] answer, long until, Runnable then) {
        if (answer[0] != null || elapsed() >= until) then.run();
        else naps.nap(until - elapsed(), true, () -> awaitAnswer(answer, until, then));
    }

    // --- the end

    /// It is fenced: its thread ends.
    private void die() {
        process.failed(5, "Kafka refuses this member: it was fenced");
        world.group.remove(seat);
        end();
        if (inputDone) return;
        inputDone = true;
        process.inputDone();
    }

    private void end() {
        machine.close();
        left = true;
    }

    private void finish() {
        takeInbox();
        commitNow(null, elapsed() + Math.min(commitNanos(), process.finishIn()), () -> {
            end();
            process.effect();
            world.group.remove(seat);
            process.left();
        });
    }
}
