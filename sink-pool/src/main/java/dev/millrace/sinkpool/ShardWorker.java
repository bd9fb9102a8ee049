package dev.millrace.sinkpool;

import java.net.URI;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The shell of one shard machine: one platform thread, one mailbox, one wait, and a virtual
/// thread for each attempt.
///
/// Its loop: take an event or the tick; step the machine; carry out the commands; publish the view. On
/// any `Throwable` of its own it settles every chunk it holds as failed, keeps its counters and
/// its view, and tells the listener.
///
/// Thread ownership: `offer`, `tell`, `hasRoom`, `quarantine`, `slots`, `view`, `counts`, `state` from any thread.
final class ShardWorker {
    /// The two clocks may differ by so much for no reason.
    private static final long LEAP_NANOS = 2_000_000_000L;

    /// How long a leap of the clocks may go unseen, where the age of a segment counts: what is cut
    /// meanwhile would be taken for as old as what was cut before it.
    private static final long LOOK_AT_CLOCKS_NANOS = 1_000_000_000L;

    private static final long PRESS_EVERY_NANOS = 100_000_000L;

    private final ShardSettings settings;
    private final Supplier<Recognition> recognition;
    private final List<SinkWriter> writers;
    private final WriteSlots.Place slots;
    private final ShardCounts counts;
    private final ShardMachine machine;
    private final Mailbox mailbox;
    private final NanoClock clock;
    private final InstantSource wall;
    private final PoolListener listener;
    private final DeadLetters deadLetters;
    private final ShardLog log;
    private final Thread thread;
    private final Map<Long, AttemptThread> attempts = new HashMap<>();
    private final AtomicLong heldRows = new AtomicLong();
    private final AtomicLong heldBytes = new AtomicLong();
    private final AtomicLong carried = new AtomicLong();
    private final AtomicLong pressedNanos;
    private final AdmissionBudget budget;
    private final AdmissionBudget share;
    private @Nullable ShardEvent current;
    private long aheadNanos;
    private Recognition told = Recognition.SHARED;
    private Set<Integer> quarantined = Set.of();
    private boolean finished;
    private volatile Set<Integer> quarantineAsked = Set.of();
    private volatile ShardView view;
    private volatile ShardStatus.Worker state = ShardStatus.Worker.RUNNING;

    /// It may hold half of the budget, so that a dead shard leaves the others running. Where it
    /// gets planned segments they count from when they are encoded: a source collects several, and
    /// what is planned can't be refused.
    ShardWorker(
            ShardSettings settings,
            ShardMachine machine,
            ShardCounts counts,
            Supplier<Recognition> recognition,
            List<SinkWriter> writers,
            List<URI> endpoints,
            WriteSlots.Place slots,
            AdmissionBudget budget,
            NanoClock clock,
            InstantSource wall,
            DeadLetters deadLetters,
            PoolListener listener) {
        this.settings = settings;
        this.machine = machine;
        this.counts = counts;
        this.recognition = recognition;
        this.writers = List.copyOf(writers);
        this.slots = slots;
        this.clock = clock;
        this.wall = wall;
        this.deadLetters = deadLetters;
        this.listener = listener;
        this.log = new ShardLog(settings.shard(), settings.advisory(), List.copyOf(endpoints), clock);
        var batch = settings.batch();
        var batches = settings.maxInFlight() + 1L;
        this.mailbox = new Mailbox(
                new Mailbox.Bounds(
                        batches * batch.maxRows(), batches * batch.maxBytes(), batch.maxRows(), batch.maxBytes()),
                clock);
        this.pressedNanos = new AtomicLong(clock.nanoTime() - PRESS_EVERY_NANOS);
        this.budget = budget;
        this.share = budget.half();
        this.view = machine.view();
        this.aheadNanos = TimeUnit.MILLISECONDS.toNanos(wall.millis()) - clock.nanoTime();
        this.thread =
                Thread.ofPlatform().name("millrace-shard-" + settings.shard()).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /// A chunk that is larger than the share passes alone; several of that size have to come in pieces.
    boolean offer(List<EncodedChunk> chunks) {
        var rows = 0L;
        var bytes = 0L;
        for (var chunk : chunks) {
            rows += chunk.rows();
            bytes += chunk.byteCount();
        }
        // Taken before it is looked at: of two that offer at once, not both pass.
        var rowsBefore = heldRows.getAndAdd(rows);
        var bytesBefore = heldBytes.getAndAdd(bytes);
        var alone = chunks.size() == 1 && rowsBefore == 0;
        var fits = settings.planned()
                || alone
                || (rowsBefore + rows <= share.maxRows() && bytesBefore + bytes <= share.maxBytes());
        if (fits && mailbox.offer(chunks)) return true;
        heldRows.addAndGet(-rows);
        heldBytes.addAndGet(-bytes);
        if (!fits) press();
        return false;
    }

    /// What is encoded for it counts in this.
    AdmissionBudget budget() {
        return settings.planned() ? share : budget;
    }

    boolean hasRoom() {
        return underItsShare() && mailbox.hasRoom();
    }

    /// It holds all that it may of the budget, so nothing more comes until something is settled:
    /// what is open is sealed as far as that is worth it, or only linger would.
    private void press() {
        var now = clock.nanoTime();
        var last = pressedNanos.get();
        if (now - last >= PRESS_EVERY_NANOS && pressedNanos.compareAndSet(last, now))
            mailbox.tell(new ShardEvent.Pressure());
    }

    private boolean underItsShare() {
        return settings.planned()
                ? !share.full()
                : heldRows.get() < share.maxRows() && heldBytes.get() < share.maxBytes();
    }

    void tell(ShardEvent event) {
        mailbox.tell(event);
    }

    void closeInput() {
        mailbox.closeInput();
    }

    ShardSettings settings() {
        return settings;
    }

    ShardCounts counts() {
        return counts;
    }

    /// From its next step on, which comes at once.
    synchronized void quarantine(int replica, boolean on) {
        var asked = new TreeSet<>(quarantineAsked);
        if (on) asked.add(replica);
        else asked.remove(replica);
        quarantineAsked = Set.copyOf(asked);
        mailbox.tell(new ShardEvent.Tick());
    }

    /// Of the whole sink; null where writes are not limited.
    @Nullable
    SlotUse slots() {
        return slots.use();
    }

    ShardView view() {
        return view;
    }

    ShardStatus.Worker state() {
        return state;
    }

    /// Rows that it held when it died, as far as is known.
    long carried() {
        return carried.get();
    }

    /// Waits until its thread has ended or `untilNanos`. Returns whether it has.
    boolean join(long untilNanos) throws InterruptedException {
        var left = untilNanos - clock.nanoTime();
        if (left > 0) TimeUnit.NANOSECONDS.timedJoin(thread, left);
        return !thread.isAlive();
    }

    private void run() {
        try {
            while (state == ShardStatus.Worker.RUNNING) {
                var event = mailbox.take(machine.wantsChunks(), wakeAtNanos());
                current = event;
                step(event);
                current = null;
            }
        } catch (Throwable cause) {
            die(cause);
        }
    }

    private long wakeAtNanos() {
        var wake = machine.wakeAtNanos();
        return settings.planned() ? NanoClock.earlier(wake, clock.nanoTime() + LOOK_AT_CLOCKS_NANOS) : wake;
    }

    /// One turn of the loop.
    void step(ShardEvent event) {
        switch (event) {
            case ShardEvent.AttemptEnded(var attempt, var _) -> attempts.remove(attempt);
            case ShardEvent.AttemptLost(var attempt, var _) -> attempts.remove(attempt);
            default -> {}
        }
        tellOfTokens();
        tellOfLeap();
        tellOfQuarantine();
        machine.on(event, clock.nanoTime(), this::carryOut);
        if (event instanceof ShardEvent.EpochEnded(var partition, var epoch)) {
            var waiting = mailbox.withdraw(
                    chunk -> chunk.epoch() <= epoch && chunk.partition().equals(partition));
            give(waiting);
        }
        if (finished) {
            give(mailbox.close());
            slots.leave();
        }
        view = machine.view();
        if (finished) state = ShardStatus.Worker.FINISHED; // after the view, so that who sees the one sees the other
    }

    /// The sink may learn of a server only when that first answers.
    private void tellOfTokens() {
        var now = recognition.get();
        if (now.equals(told)) return;
        told = now;
        machine.on(new ShardEvent.TokensKnown(now), clock.nanoTime(), this::carryOut);
    }

    private void tellOfQuarantine() {
        var asked = quarantineAsked;
        if (asked.equals(quarantined)) return;
        for (var replica = 0; replica < writers.size(); replica++) {
            var on = asked.contains(replica);
            if (on != quarantined.contains(replica)) machine.quarantine(replica, on, clock.nanoTime());
        }
        quarantined = asked;
    }

    /// The monotonic clock may stand still while the machine sleeps; the wall clock does not.
    private void tellOfLeap() {
        var ahead = TimeUnit.MILLISECONDS.toNanos(wall.millis()) - clock.nanoTime();
        var leapt = ahead - aheadNanos;
        // A wall clock that was set back hides no leap that comes after.
        if (leapt < 0) aheadNanos = ahead;
        if (leapt < LEAP_NANOS) return;
        aheadNanos = ahead;
        machine.on(new ShardEvent.ClockLeapt(leapt), clock.nanoTime(), this::carryOut);
    }

    /// Chunks that nobody waits for any more: the machine settles and counts them.
    private void give(List<EncodedChunk> unwanted) {
        if (unwanted.isEmpty()) return;
        var event = new ShardEvent.ChunksArrived(unwanted);
        current = event;
        machine.on(event, clock.nanoTime(), this::carryOut);
    }

    private void carryOut(ShardCommand command) {
        switch (command) {
            case ShardCommand.StartAttempt start -> write(start);
            case ShardCommand.StartPing(var attempt, var replica, var deadline) -> ping(attempt, replica, deadline);
            case ShardCommand.AskSlot(var tenants) -> slots.ask(tenants);
            case ShardCommand.GiveSlotBack(var slot) -> slots.giveBack(slot);
            case ShardCommand.CancelAttempt(var attempt) -> cancel(attempt);
            case ShardCommand.Settle(var chunk, var ended) -> settle(chunk, ended);
            case ShardCommand.DeadLetter letter -> deadLetters.send(letter(letter), new Told(letter));
            case ShardCommand.StopFor(var row, var failure) -> listener.stopFor(settings.shard(), row, failure);
            case ShardCommand.MarkSplit(var batch) ->
                batch.rows().slices().getFirst().chunk().splitting();
            case ShardCommand.StopForExpired(var batch, var age, var window) ->
                listener.stopForExpired(settings.shard(), batch, age, window);
            case ShardCommand.Tell(var note) -> {
                log.tell(note);
                listener.note(settings.shard(), note);
            }
            case ShardCommand.Finished() -> finished = true;
        }
    }

    /// Returns whether this call ended it.
    private boolean settle(EncodedChunk chunk, RowCounts ended) {
        if (!chunk.settle(ended)) return false;
        heldRows.addAndGet(-chunk.rows());
        heldBytes.addAndGet(-chunk.byteCount());
        return true;
    }

    private boolean settleOfTheDead(EncodedChunk chunk, RowCounts ended) {
        if (!settle(chunk, ended)) return false;
        carried.addAndGet(ended.abandoned() + ended.inDoubt());
        return true;
    }

    private DeadLetters.Letter letter(ShardCommand.DeadLetter letter) {
        var row = letter.row();
        return new DeadLetters.Letter(
                row.chunk().partition(),
                row.offset(),
                settings.shard().sink(),
                settings.shard().shard(),
                letter.batch().token().text(),
                row.encoded(),
                letter.failure(),
                letter.attempts());
    }

    /// Tells the machine what became of a dead letter.
    private final class Told implements DeadLetters.Done {
        private final ShardCommand.DeadLetter letter;

        Told(ShardCommand.DeadLetter letter) {
            this.letter = letter;
        }

        @Override
        public void acknowledged() {
            mailbox.tell(new ShardEvent.DeadLettered(letter.batch().id(), letter.row()));
        }

        @Override
        public void failed(Failure why) {
            mailbox.tell(new ShardEvent.DeadLetterFailed(letter.batch().id(), letter.row(), why));
        }

        // The drain that comes with it gives the row up.
        @Override
        public void abandoned() {}
    }

    private void write(ShardCommand.StartAttempt start) {
        start.rows().reading();
        begin(start.attempt(), new WriteThread(start, writers.get(start.replica()), mailbox::tell));
    }

    private void ping(long attempt, int replica, long deadlineNanos) {
        begin(attempt, new PingThread(attempt, deadlineNanos, writers.get(replica), mailbox::tell));
    }

    private void begin(long id, AttemptThread attempt) {
        attempts.put(id, attempt);
        attempt.begin("millrace-attempt-" + settings.shard() + "-" + id);
    }

    private void cancel(long id) {
        var attempt = attempts.get(id);
        if (attempt != null) attempt.cancel();
    }

    /// Fails what it holds, so that nothing waits for it, and tells. What an attempt was out for
    /// is in doubt.
    private void die(Throwable cause) {
        state = ShardStatus.Worker.DIED;
        try {
            machine.failed(current, mailbox.close(), this::settleOfTheDead);
            attempts.values().forEach(AttemptThread::cancel);
        } finally {
            tellOfDeath(cause);
        }
    }

    /// The listener is told even if the cause cannot be described in a log line.
    private void tellOfDeath(Throwable cause) {
        try {
            slots.leave();
            log.died(cause);
        } finally {
            listener.died(settings.shard(), cause);
        }
    }

    /// Its thread was never started: what it was offered is abandoned on the caller's.
    void abandonUnstarted() {
        if (thread.getState() == Thread.State.NEW) machine.failed(null, mailbox.close(), this::settle);
    }

    /// One write, as its writer sees it.
    private static final class WriteThread extends AttemptThread implements WriteCall {
        private final ShardCommand.StartAttempt start;
        private final SinkWriter writer;

        WriteThread(ShardCommand.StartAttempt start, SinkWriter writer, Consumer<ShardEvent> tell) {
            super(start.attempt(), start.deadlineNanos(), tell);
            this.start = start;
            this.writer = writer;
        }

        @Override
        WriteOutcome call() throws Exception {
            try {
                return writer.write(this);
            } finally {
                start.rows().readNoMore();
            }
        }

        @Override
        public SealedBatch batch() {
            return start.batch();
        }

        @Override
        public BatchRows rows() {
            return start.rows();
        }

        @Override
        public Token token() {
            return start.token();
        }

        @Override
        public boolean mayBeStored() {
            return start.mayBeStored();
        }

        @Override
        public boolean expired() {
            return start.expired();
        }
    }

    /// One ping, as its writer sees it.
    private static final class PingThread extends AttemptThread implements PingCall {
        private final SinkWriter writer;

        PingThread(long id, long deadlineNanos, SinkWriter writer, Consumer<ShardEvent> tell) {
            super(id, deadlineNanos, tell);
            this.writer = writer;
        }

        @Override
        WriteOutcome call() throws Exception {
            return writer.ping(this);
        }
    }
}
