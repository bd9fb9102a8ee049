package dev.millrace.testkit;

import dev.millrace.breaker.ReplicaView;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardView;
import java.util.HashMap;
import java.util.Map;

/// WRT-2: between two attempts of a batch lies at least the shortest sleep; and once the longest is over,
/// a batch does not wait while a replica is free.
///
/// Thread ownership: the run.
final class RetryOracle {
    /// The longest that the fake sink asks a sender to wait, and by which timers are late.
    private static final long SLACK_NANOS = 1_200_000_000L;

    private final PipelineProcess process;
    private final ShardSettings.RetrySettings settings;
    private final boolean ordered;
    private final Map<Long, Long> ended = new HashMap<>();

    RetryOracle(PipelineProcess process, ShardSettings settings) {
        this.process = process;
        this.settings = settings.retry();
        this.ordered = settings.ordered();
    }

    void ended(long batch) {
        ended.put(batch, process.now());
    }

    void started(long batch) {
        var last = ended.remove(batch);
        if (last == null) return;
        var slept = process.now() - last;
        if (slept < (long) (settings.initialNanos() * (1 - settings.jitter())) - 1)
            throw new Violation("WRT-2", "batch " + batch + " is tried again after " + slept + " ns");
    }

    /// What is pinned has one replica only.
    private static boolean mayGo(ShardView.Held batch, ShardView view) {
        var pin = batch.pin();
        if (pin == null) return true;
        var replica = view.replicas().get(pin.replica()).state();
        return replica.phase() == ReplicaView.Phase.CLOSED && !replica.unfinished();
    }

    /// One that was parked may have let another of its lane go past.
    private static boolean laneIsTaken(ShardView.Held batch, ShardView view) {
        return view.held().stream()
                .anyMatch(other -> other.batch() != batch.batch()
                        && other.lane() == batch.lane()
                        && other.attempts() > 0
                        && !other.parked());
    }

    void carriedOut(ShardView view) {
        if (!view.usable() || view.waitsForSlot()) return;
        var writing = view.held().stream().filter(ShardView.Held::writing).count();
        var permits = view.held().stream().filter(held -> !held.parked()).count();
        for (var batch : view.held()) {
            var last = ended.get(batch.batch());
            if (last == null || batch.writing() || !mayGo(batch, view)) continue;
            if (writing >= view.limit()) continue;
            if (ordered && laneIsTaken(batch, view)) continue;
            // What was pinned and is no more gets a permit like any other.
            if (batch.parked() && batch.pin() == null && permits >= view.limit()) continue;
            var waits = process.now() - last;
            if (waits > settings.maxNanos() * (1 + settings.jitter()) + SLACK_NANOS)
                throw new Violation("WRT-2", "batch " + batch.batch() + " waits for " + waits + " ns: " + view);
        }
    }
}
