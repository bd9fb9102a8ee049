package dev.millrace.testkit;

import dev.millrace.breaker.ReplicaView;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardView;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// WRT-2: between two attempts of a batch lies at least the shortest sleep; and once the longest is over,
/// a batch does not wait while a replica is free. SEAL-8: where order is kept, what sleeps for no overload has no
/// permit.
///
/// Thread ownership: the run.
final class RetryOracle {
    /// The longest that the fake sink asks a sender to wait, and by which timers are late.
    private static final long SLACK_NANOS = 1_200_000_000L;

    private final PipelineProcess process;
    private final ShardSettings.RetrySettings settings;
    private final boolean ordered;
    private final Map<Long, Long> ended = new HashMap<>();
    private final Set<Long> overloaded = new HashSet<>();

    RetryOracle(PipelineProcess process, ShardSettings settings) {
        this.process = process;
        this.settings = settings.retry();
        this.ordered = settings.ordered();
    }

    /// Its sink said that it is `busy`, or anything else.
    void ended(long batch, boolean busy) {
        ended.put(batch, process.now());
        if (busy) overloaded.add(batch);
        else overloaded.remove(batch);
    }

    void started(long batch) {
        var last = ended.remove(batch);
        if (last == null) return;
        var slept = process.now() - last;
        if (slept < shortest())
            throw new Violation("WRT-2", "batch " + batch + " is tried again after " + slept + " ns");
    }

    private long shortest() {
        return (long) (settings.initialNanos() * (1 - settings.jitter())) - 1;
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
                        && (!other.parked() || other.writing()));
    }

    private void leavesItsPermit(ShardView.Held batch, long slept) {
        if (slept >= shortest() || overloaded.contains(batch.batch()) || batch.pin() != null) return;
        if (batch.place() == ShardView.Place.PERMIT)
            throw new Violation("SEAL-8", "batch " + batch.batch() + " sleeps, and keeps its permit");
    }

    void carriedOut(ShardView view) {
        if (!view.usable() || view.waitsForSlot()) return;
        var writing = view.held().stream().filter(ShardView.Held::writing).count();
        var permits = view.held().stream()
                .filter(held -> !held.parked() && held.place() != ShardView.Place.RESTING)
                .count();
        for (var batch : view.held()) {
            var last = ended.get(batch.batch());
            if (last == null || batch.writing()) continue;
            if (ordered) leavesItsPermit(batch, process.now() - last);
            if (!mayGo(batch, view)) continue;
            if (writing >= view.limit()) continue;
            if (ordered && laneIsTaken(batch, view)) continue;
            // What was pinned and is no more gets a permit like any other.
            if (batch.place() != ShardView.Place.PERMIT && batch.pin() == null && permits >= view.limit()) continue;
            var waits = process.now() - last;
            if (waits > settings.maxNanos() * (1 + settings.jitter()) + SLACK_NANOS)
                throw new Violation("WRT-2", "batch " + batch.batch() + " waits for " + waits + " ns: " + view);
        }
    }
}
