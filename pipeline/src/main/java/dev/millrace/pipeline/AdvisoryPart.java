package dev.millrace.pipeline;

import dev.millrace.config.PipelineConfig;
import dev.millrace.kafka.AdvisoryAccount;
import dev.millrace.kafka.AdvisoryFeed;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PoolListener;
import dev.millrace.sinkpool.RowRef;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.SinkPool;
import dev.millrace.sinkpool.TokenMint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One advisory sink of a pipeline, with a pool and a budget of its own, so that nothing it does
/// reaches the others.
///
/// Life: made, [#start], [#feed] to the source, [#drainBy] when the pipeline stops, [#finishBy]
/// when nothing more comes,
/// [#awaitFinished], [#close]. It is asked for its table until it answers, for as long as the
/// pipeline runs; what it would see before is dropped and counted.
///
/// Thread ownership: shared; its life belongs to the thread that runs the pipeline.
final class AdvisoryPart {
    private static final Logger LOG = LoggerFactory.getLogger(AdvisoryPart.class);
    /// Of `admission`, and beside it.
    private static final int SHARE = 2;

    private static final Duration MOMENT = Duration.ofMillis(20);
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final Duration AGAIN = Duration.ofSeconds(1);
    private static final Duration AGAIN_IF_REFUSED = Duration.ofSeconds(10);

    /// Why it cannot see rows yet, and when to ask again.
    private record NotYet(String why, Duration again) {}

    private final SinkPart sink;
    private final SinkPool pool;
    private final NanoClock clock;
    private final AdvisoryAccount account = new AdvisoryAccount();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch stopping = new CountDownLatch(1);
    private volatile boolean reached;

    private AdvisoryPart(SinkPart sink, SinkPool pool, NanoClock clock) {
        this.sink = sink;
        this.pool = pool;
        this.clock = clock;
    }

    /// Connects nowhere.
    static AdvisoryPart open(SinkPart sink, PipelineConfig config, TokenMint mint, long seed, NanoClock clock) {
        var admission = config.admission();
        var budget = new AdmissionBudget(
                Math.max(1, admission.maxRows() / SHARE),
                Math.max(1, admission.maxBytes() / SHARE),
                admission.resumeBelowPercent() / 100);
        var specs = List.of(sink.specs(config));
        return new AdvisoryPart(
                sink, new SinkPool(specs, budget, mint, seed, clock, DeadLetters.none(), new Unheard()), clock);
    }

    String name() {
        return sink.name();
    }

    SinkPart sink() {
        return sink;
    }

    void start() {
        pool.start();
        Thread.ofPlatform().daemon().name("millrace-advisory-" + name()).start(this::reach);
    }

    /// So that the first rows reach a sink that is well; one that is not is not waited for.
    void awaitFirstAnswer(long untilNanos, BooleanSupplier stopped) {
        try {
            while (!asked.await(MOMENT.toNanos(), TimeUnit.NANOSECONDS) && !stopped.getAsBoolean()) {
                if (!NanoClock.reached(untilNanos, clock.nanoTime())) continue;
                notReached("no answer yet");
                return;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void reach() {
        try {
            var told = "";
            for (var asking = ask(); asking != null; asking = ask()) {
                if (!asking.why().equals(told)) notReached(asking.why());
                told = asking.why();
                if (stopping.await(asking.again().toNanos(), TimeUnit.NANOSECONDS)) return;
            }
            LOG.atInfo()
                    .addKeyValue("event", "advisory_reached")
                    .addKeyValue("sink", name())
                    .log("it sees rows from now on");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Null once it has said what it looks like.
    private @Nullable NotYet ask() {
        var answer = answer();
        reached = answer == null;
        asked.countDown();
        return answer;
    }

    private @Nullable NotYet answer() {
        try {
            var why = sink.notYet(clock.nanoTime() + ANSWER.toNanos());
            return why == null ? null : new NotYet(why, AGAIN);
        } catch (StartFailure refused) {
            return new NotYet(String.valueOf(refused.getMessage()), AGAIN_IF_REFUSED);
        } catch (RuntimeException fault) {
            // A fault of ours in asking it; the others go on without it too.
            return new NotYet(fault.toString(), AGAIN_IF_REFUSED);
        }
    }

    private void notReached(String why) {
        LOG.atWarn()
                .addKeyValue("event", "advisory_unreached")
                .addKeyValue("sink", name())
                .log("nothing waits for it; what it would see is dropped: {}", why);
    }

    AdvisoryFeed feed(PipelineConfig config) {
        return new AdvisoryFeed(sink.feed(config), pool, () -> reached, account);
    }

    /// From now on nothing lingers.
    void drainBy(long deadlineNanos) {
        stopping.countDown();
        pool.drainBy(deadlineNanos);
    }

    /// Nothing more comes; what it holds by then is dropped.
    void finishBy(long deadlineNanos) {
        pool.closeInput();
        drainBy(deadlineNanos);
    }

    boolean awaitFinished(long untilNanos) throws InterruptedException {
        return pool.awaitFinished(untilNanos);
    }

    AdvisoryView view() {
        return new AdvisoryView(name(), reached, account, pool.budget(), pool.status());
    }

    /// Takes at most about three seconds.
    void close() {
        stopping.countDown();
        pool.close();
        sink.sink().close();
    }

    /// Whatever happens to its shards is told in their log lines, and ends nothing.
    private static final class Unheard implements PoolListener {
        @Override
        public void note(ShardId shard, ShardNote note) {}

        @Override
        public void stopFor(ShardId shard, RowRef row, Failure failure) {}

        @Override
        public void died(ShardId shard, Throwable cause) {}
    }
}
