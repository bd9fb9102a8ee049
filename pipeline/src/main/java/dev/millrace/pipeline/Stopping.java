package dev.millrace.pipeline;

import dev.millrace.kafka.PartitionView;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How a pipeline stops: by the first word for it, then a drain within its time, and a report of what it came to.
///
/// Thread ownership: `awaitEnd` belongs to the thread that started it; everything else may be called from any.
final class Stopping {
    private static final Logger LOG = LoggerFactory.getLogger(Pipeline.class);
    private static final Duration WORKERS_GRACE = Duration.ofMillis(300);

    /// What advisory sinks get once the others are done.
    private static final Duration ADVISORY_LAST = Duration.ofSeconds(1);

    private static final double NANOS_PER_SECOND = 1e9;

    /// Why it stops, and since when.
    private record Word(String reason, long nanos, Map<ShardId, Long> givenUpBefore) {}

    /// What is to be stopped besides the parts. Null and false before it runs.
    interface Running {
        @Nullable
        Source source();

        /// The source's members run: they will say when their input is finished.
        boolean readsOn();
    }

    private final Parts parts;
    private final Running running;
    private final AtomicReference<@Nullable Word> word = new AtomicReference<>();
    /// The code at the best. A fault while it drains counts like one that stopped it (DRN-8).
    private final AtomicReference<ExitCode> worst = new AtomicReference<>(ExitCode.DRAINED);
    private final CompletableFuture<Void> heard = new CompletableFuture<>();
    private final List<Runnable> whenStopping = new CopyOnWriteArrayList<>();
    private volatile boolean byHand;

    Stopping(Parts parts, Running running) {
        this.parts = parts;
        this.running = running;
    }

    /// Runs `action` once, when it begins to stop, on the thread that stops it.
    void whenStopping(Runnable action) {
        whenStopping.add(action);
    }

    /// Asks for a drain. Returns at once; the first call counts.
    void stop(String reason) {
        if (!word.compareAndSet(null, new Word(reason, parts.clock.nanoTime(), givenUp()))) return;
        heard.complete(null);
        parts.pause.endForGood();
        parts.events.tell("draining", "", reason, Instant.now());
        var from = running.source();
        if (from != null) from.stop(deadlineNanos());
        whenStopping.forEach(Runnable::run);
    }

    /// A person asks for the end, which counts as such also where it was stopping already.
    void drainByHand() {
        byHand = true;
        stop("POST /drain");
    }

    boolean byHand() {
        return byHand;
    }

    /// A part of it failed: it ends with this code at the best, also where it was stopping already.
    void fault(String reason, ExitCode exitCode) {
        worst.accumulateAndGet(exitCode, ExitCode::or);
        stop(reason);
    }

    private Map<ShardId, Long> givenUp() {
        return parts.shards.status().stream().collect(Collectors.toMap(ShardStatus::shard, RunEnd::givenUp));
    }

    /// A stop was asked for, by whomever.
    boolean asked() {
        return word.get() != null;
    }

    /// Done once a stop was asked for.
    CompletableFuture<Void> heard() {
        return heard;
    }

    /// Whether a stop is asked for within this time.
    boolean within(Duration time) {
        try {
            heard.get(time.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException _) {
            return false;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        } catch (InterruptedException _) {
            stop("the starting thread was interrupted");
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private Word word() {
        var said = word.get();
        if (said == null) throw new IllegalStateException("nobody asked for a stop");
        return said;
    }

    /// By when the drain ends. Throws before a stop was asked for.
    long deadlineNanos() {
        return word().nanos() + parts.config.drain().timeout().toNanos();
    }

    /// The same, null before a stop was asked for.
    @Nullable
    Long endsNanos() {
        return asked() ? (Long) deadlineNanos() : null;
    }

    /// Waits for a stop, drains within `drain.timeout`, leaves the group, and reports.
    DrainReport awaitEnd() {
        heard.join();
        var deadline = deadlineNanos();
        parts.shards.drainBy(deadline);
        for (var sink : parts.advisory) sink.drainBy(deadline);
        var from = running.source();
        if (from != null) from.stop(deadline);
        if (!running.readsOn()) parts.shards.closeInput();
        try {
            // A stop in the middle of a start can come here later than its deadline: nobody had told the workers.
            parts.shards.awaitFinished(Math.max(deadline, parts.clock.nanoTime()) + WORKERS_GRACE.toNanos());
            var letters = parts.deadLetters;
            if (letters != null) letters.awaitAcknowledged(deadline);
            var advisoryUntil = NanoClock.earlier(deadline, parts.clock.nanoTime() + ADVISORY_LAST.toNanos());
            var membersEnded = from == null || from.leave(deadline);
            finishAdvisory(advisoryUntil);
            var report = end(membersEnded, RunEnd.Waited.TO_THE_DEADLINE).report(worst.get());
            tell(report);
            return report;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return overran();
        }
    }

    /// All that the acknowledged sinks have was handed on by now. What the advisory ones hold gets what
    /// is left of the time, and is dropped then.
    private void finishAdvisory(long untilNanos) throws InterruptedException {
        for (var sink : parts.advisory) sink.finishBy(untilNanos);
        var finished = true;
        for (var sink : parts.advisory) finished &= sink.awaitFinished(untilNanos + WORKERS_GRACE.toNanos());
        if (!finished) LOG.atWarn().addKeyValue("event", "advisory_overran").log("the pipeline ends without them");
    }

    /// The report of a process that a second signal ends now.
    DrainReport cutShort(String reason, int exitCode) {
        stop(reason);
        return end(false, RunEnd.Waited.CUT_SHORT).report(exitCode);
    }

    /// The report of a process whose drain itself did not end in its bound.
    DrainReport overran() {
        stop("overran");
        var exitCode = ExitCode.UNKNOWN_STATE.or(worst.get());
        return end(false, RunEnd.Waited.TO_THE_DEADLINE).report(exitCode);
    }

    private RunEnd end(boolean membersEnded, RunEnd.Waited waited) {
        var said = word();
        var budgetSeconds = parts.config.drain().timeout().toNanos() / NANOS_PER_SECOND;
        var noTime = waited == RunEnd.Waited.TO_THE_DEADLINE && budgetSeconds == 0;
        var from = running.source();
        var account = from == null ? Account.NONE : from.account();
        var log = account.log();
        return new RunEnd(
                new RunEnd.Run(
                        parts.config.name(),
                        parts.version,
                        parts.startedAt,
                        Instant.now(),
                        said.reason(),
                        (parts.clock.nanoTime() - said.nanos()) / NANOS_PER_SECOND,
                        budgetSeconds),
                log == null ? List.<PartitionView>of() : log.partitions(),
                parts.shards.status(),
                said.givenUpBefore(),
                membersEnded,
                noTime ? RunEnd.Waited.NOT : waited,
                parts.advisoryViews(),
                parts.promises.all(),
                log == null ? 0 : log.counters().possibleDuplicates(),
                log == null ? 0 : log.counters().offsetsSkipped(),
                account.posted());
    }

    private static void tell(DrainReport report) {
        var rows = report.rows();
        LOG.atInfo()
                .addKeyValue("event", "drained")
                .addKeyValue("reason", report.reason())
                .addKeyValue("exit_code", report.exitCode())
                .addKeyValue("drained", report.drained())
                .addKeyValue("polled", rows.polled())
                .addKeyValue("delivered", rows.delivered())
                .addKeyValue("duplicate", rows.duplicate())
                .addKeyValue("skipped", rows.skipped())
                .addKeyValue("dead_lettered", rows.deadLettered())
                .addKeyValue("abandoned", rows.abandoned())
                .addKeyValue("in_doubt", rows.inDoubt())
                .log("the pipeline ended");
    }
}
