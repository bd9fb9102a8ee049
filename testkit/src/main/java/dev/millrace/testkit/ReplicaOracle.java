package dev.millrace.testkit;

import dev.millrace.breaker.ReplicaView;
import dev.millrace.breaker.ReplicaView.Phase;
import dev.millrace.sinkpool.ShardCommand;
import dev.millrace.sinkpool.ShardEvent;
import dev.millrace.sinkpool.ShardSettings;
import dev.millrace.sinkpool.ShardView;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// O11: nothing is sent to an open replica, and the probes out of a half-open one are those it counts,
/// never more than allowed (BRK-3, BRK-4). BRK-5: a replica changes its phase only for an attempt
/// of the episode it was in. WRT-10: nothing is sent to a replica with too many unfinished attempts.
///
/// Thread ownership: the run.
final class ReplicaOracle {
    /// `batch` 0 is a ping.
    private record Out(int replica, long episode, long batch) {}

    private final World world;
    private final ShardSettings settings;
    private final RetryOracle retries;
    private final CountOracle numbers;
    private final Map<Long, Out> live = new HashMap<>();
    private final Map<Long, Out> cancelled = new HashMap<>();
    private final Map<Long, Integer> lastOf = new HashMap<>();
    private final int[] unfinished;
    private final int[] openings;
    private final long[] episodes;
    private final boolean[] halfOpen;

    ReplicaOracle(World world, ShardSettings settings, RetryOracle retries, CountOracle numbers) {
        this.retries = retries;
        this.numbers = numbers;
        this.world = world;
        this.settings = settings;
        unfinished = new int[settings.replicas()];
        openings = new int[settings.replicas()];
        episodes = new long[settings.replicas()];
        halfOpen = new boolean[settings.replicas()];
    }

    boolean isOut(long batch) {
        for (var out : live.values()) if (out.batch == batch) return true;
        return false;
    }

    /// Before the commands are carried out: every change of phase must have its cause in this event.
    void decided(ShardEvent event, List<ShardView.Replica> before, ShardView after, Collection<ShardCommand> commands) {
        List<Out> causes = new ArrayList<>(2);
        switch (event) {
            case ShardEvent.AttemptEnded(var id, var outcome) -> ended(id, outcome, causes);
            case ShardEvent.AttemptLost(var id, var _) -> lost(id, causes);
            case ShardEvent.ChunksArrived _,
                    ShardEvent.DeadLettered _,
                    ShardEvent.DeadLetterFailed _,
                    ShardEvent.Tick _,
                    ShardEvent.SlotGranted _,
                    ShardEvent.TokensKnown _,
                    ShardEvent.SplitMarked _,
                    ShardEvent.ClockLeapt _,
                    ShardEvent.Pressure _,
                    ShardEvent.SealUpTo _,
                    ShardEvent.Revoking _,
                    ShardEvent.EpochEnded _,
                    ShardEvent.DrainBy _,
                    ShardEvent.InputClosed _ -> {}
        }
        for (var command : commands) {
            if (!(command instanceof ShardCommand.CancelAttempt(var id))) continue;
            var out = live.get(id);
            if (out == null) continue;
            causes.add(out);
            retries.ended(out.batch, false);
        }
        for (var replica : after.replicas())
            changed(before.get(replica.state().replica()).state(), replica.state(), causes);
    }

    private void ended(long id, WriteOutcome outcome, List<Out> causes) {
        var out = live.remove(id);
        if (out == null) {
            late(id);
            return;
        }
        var ping = out.batch == 0;
        if (sleeps(outcome)) retries.ended(out.batch, overloaded(outcome));
        else lastOf.remove(out.batch);
        if (!ping) numbers.ended(outcome);
        if (!ping || !(outcome instanceof WriteOutcome.Written)) causes.add(out);
        if (ping && !(outcome instanceof WriteOutcome.Written)) world.reached(Sometimes.PING_FAILED);
        if (out.episode != episodes[out.replica]) world.reached(Sometimes.LATE_ANSWER_OF_EARLIER_EPISODE);
    }

    /// The next part follows a refusal at once, and one that was taken; what counts as an outage
    /// may be woken early.
    private static boolean sleeps(WriteOutcome outcome) {
        return switch (outcome) {
            case WriteOutcome.Refused(var failure, var _) -> failure.mayHaveStored();
            case WriteOutcome.TooLarge(var failure) -> failure.mayHaveStored();
            case WriteOutcome.Written _ -> false;
            case WriteOutcome.Unavailable _, WriteOutcome.Misconfigured _ -> true;
        };
    }

    private static boolean overloaded(WriteOutcome outcome) {
        return outcome instanceof WriteOutcome.Unavailable(var _, WriteOutcome.Blame.Overload _);
    }

    /// A ping that is lost may count against its replica; a write that is lost only gives its slot
    /// back (BRK-4).
    private void lost(long id, List<Out> causes) {
        var out = live.remove(id);
        if (out == null) late(id);
        else {
            retries.ended(out.batch, false);
            if (out.batch == 0) causes.add(out);
            else numbers.lost();
        }
    }

    private void late(long id) {
        var out = cancelled.remove(id);
        if (out == null) throw new IllegalStateException("attempt " + id + " ended twice");
        unfinished[out.replica]--;
        numbers.late();
        world.reached(Sometimes.TIMEOUT_THEN_LATE_ANSWER);
    }

    private void changed(ReplicaView before, ReplicaView after, List<Out> causes) {
        var replica = after.replica();
        episodes[replica] = after.episode();
        halfOpen[replica] = after.phase() == Phase.HALF_OPEN;
        if (before.episode() == after.episode()) return;
        var byTime = before.phase() == Phase.OPEN && after.phase() == Phase.HALF_OPEN;
        if (!byTime && causes.stream().noneMatch(out -> out.replica == replica && out.episode == before.episode()))
            throw new Violation(
                    "BRK-5",
                    "replica " + replica + " goes from " + before.phase() + " to " + after.phase()
                            + " for no attempt of episode " + before.episode());
        if (before.phase() == Phase.HALF_OPEN)
            world.reached(after.phase() == Phase.CLOSED ? Sometimes.PROBE_SUCCEEDED : Sometimes.PROBE_FAILED);
        switch (after.phase()) {
            case CLOSED -> openings[replica] = 0;
            case OPEN -> {
                openings[replica]++;
                opened(after);
            }
            case HALF_OPEN, QUARANTINED -> {}
        }
    }

    /// BRK-3: the n-th opening in a row lasts open_for × 2^(n−1), up to its bound.
    private void opened(ReplicaView after) {
        var breaker = settings.breaker();
        var want = breaker.openNanos();
        for (var i = 1; i < openings[after.replica()] && want < breaker.openMaxNanos(); i++) want *= 2;
        want = Math.min(want, breaker.openMaxNanos());
        if (after.phaseEndsNanos() - after.phaseBeganNanos() != want)
            throw new Violation("BRK-3", "opening " + openings[after.replica()] + " in a row lasts " + after);
    }

    void started(long id, int replica, long batch) {
        live.put(id, new Out(replica, episodes[replica], batch));
        if (unfinished[replica] >= 2 * settings.maxInFlight())
            throw new Violation(
                    "WRT-10", "replica " + replica + " has " + unfinished[replica] + " unfinished attempts");
    }

    /// WRT-2: a batch that failed at a replica and is not pinned there prefers another that is well; a
    /// half-open one may be given any batch to probe it.
    void prefersAnother(long batch, int replica, ShardView after) {
        var before = lastOf.put(batch, replica);
        if (before == null || before != replica || halfOpen[replica] || pinned(batch, after)) return;
        for (var other : after.replicas()) {
            var state = other.state();
            if (state.replica() != replica && state.phase() == Phase.CLOSED && !state.unfinished())
                throw new Violation(
                        "WRT-2",
                        "batch " + batch + " goes to replica " + replica + " again, not to " + state.replica());
        }
    }

    private static boolean pinned(long batch, ShardView view) {
        return view.held().stream().anyMatch(held -> held.batch() == batch && held.pin() != null);
    }

    /// Who has finished waits for no attempt, pings among them.
    void finished() {
        if (!live.isEmpty()) throw new Violation("WRT-1", "finished, and attempts are out: " + live);
    }

    int writing() {
        return (int) live.values().stream().filter(out -> out.batch != 0).count();
    }

    /// The attempt is neither ended nor cancelled.
    boolean isLive(long id) {
        return live.containsKey(id);
    }

    /// Its shard dies of this event, so nothing is decided about what ends with it; what it still begins is beside
    /// what is out after it.
    void diesIn(ShardEvent event) {
        switch (event) {
            case ShardEvent.AttemptEnded(var id, var _) -> endsWith(id);
            case ShardEvent.AttemptLost(var id, var _) -> endsWith(id);
            default -> {}
        }
    }

    private void endsWith(long id) {
        var out = live.remove(id);
        if (out != null) {
            lastOf.remove(out.batch);
            return;
        }
        var late = cancelled.remove(id);
        if (late != null) unfinished[late.replica]--;
    }

    void cancelled(long id) {
        var out = live.remove(id);
        if (out == null) throw new Violation("WRT-1", "attempt " + id + " is cancelled, and is not out");
        cancelled.put(id, out);
        if (out.batch != 0) numbers.cancelled();
        if (++unfinished[out.replica] >= 2 * settings.maxInFlight()) world.reached(Sometimes.UNFINISHED_AT_BOUND);
    }

    void carriedOut(ShardView after) {
        for (var replica : after.replicas()) {
            var state = replica.state();
            if (state.phase() == Phase.CLOSED) continue;
            var now = 0;
            for (var out : live.values()) if (out.replica == state.replica() && out.episode == state.episode()) now++;
            if (state.phase() == Phase.OPEN && now > 0)
                throw new Violation(
                        "O11", now + " attempts are sent to replica " + state.replica() + ", which is open");
            if (state.phase() != Phase.HALF_OPEN) continue;
            if (now != state.probesOut())
                throw new Violation(
                        "BRK-4",
                        "replica " + state.replica() + " counts " + state.probesOut() + " probes out, there are "
                                + now);
            if (now > settings.breaker().halfOpenProbes())
                throw new Violation("O11", now + " probes of replica " + state.replica());
        }
    }
}
