package dev.millrace.sinkpool;

import dev.millrace.breaker.ReplicaSet;
import dev.millrace.breaker.ReplicaView;
import dev.millrace.breaker.ReplicaView.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Tells each change of a shard's replicas once, and its outages as durations (BRK-8, BRK-10).
///
/// Thread ownership: the shard machine that created it.
final class ReplicaWatch {
    private static final Failure UNKNOWN = new Failure("unknown", "no attempt has failed", false);

    private static final Failure QUARANTINED =
            new Failure("quarantined", "every replica is in quarantine; release one", false);

    private static final Failure SLOW =
            new Failure("slow_call", "writes succeed, but more slowly than breaker.slow_call allows", false);

    private final ReplicaSet replicas;
    private final @Nullable Failure[] lastFailure;
    private final List<ReplicaView> told;
    private boolean outage;
    private long outageNanos;
    private long outageAttempts;

    ReplicaWatch(ReplicaSet replicas) {
        this.replicas = replicas;
        this.told = new ArrayList<>(replicas.view());
        this.lastFailure = new @Nullable Failure[told.size()];
    }

    void failed(int replica, Failure failure) {
        lastFailure[replica] = failure;
        if (outage) outageAttempts++;
    }

    /// A write that succeeded opened its replica, if it is open now: it was one slow call too many (BRK-9).
    void openedBySlowness(int replica) {
        if (replicas.view().get(replica).phase() == Phase.OPEN) lastFailure[replica] = SLOW;
    }

    /// A write succeeded: an outage is over, unless this was a straggler and every replica is still open.
    void succeeded(long nowNanos, Consumer<ShardNote> tell) {
        if (!outage || noneClosed(replicas.view())) return;
        outage = false;
        tell.accept(new ShardNote.OutageEnded(outageAttempts, nowNanos - outageNanos));
    }

    /// Looks for changes of phase since the last look. Call after whatever may have changed one. Those of a replica
    /// in quarantine are told when it is released.
    void look(long nowNanos, Consumer<ShardNote> tell) {
        var view = replicas.view();
        for (var state : view) {
            if (state.phase() == Phase.QUARANTINED) continue;
            var before = told.set(state.replica(), state);
            if (before.episode() != state.episode()) tell.accept(note(state));
        }
        if (outage || !noneClosed(view)) return;
        outage = true;
        outageNanos = nowNanos;
        outageAttempts = 0;
        var byHand = view.stream().allMatch(state -> state.phase() == Phase.QUARANTINED);
        tell.accept(new ShardNote.OutageBegan(byHand ? QUARANTINED : anyFailure()));
    }

    private static boolean noneClosed(List<ReplicaView> view) {
        return view.stream().noneMatch(state -> state.phase() == Phase.CLOSED);
    }

    private ShardNote note(ReplicaView state) {
        var last = lastFailure[state.replica()];
        return switch (state.phase()) {
            case OPEN ->
                new ShardNote.ReplicaOpened(
                        state.replica(),
                        last == null ? UNKNOWN : last,
                        state.phaseEndsNanos() - state.phaseBeganNanos());
            case HALF_OPEN -> new ShardNote.ReplicaHalfOpened(state.replica());
            case CLOSED, QUARANTINED -> new ShardNote.ReplicaClosed(state.replica());
        };
    }

    private Failure anyFailure() {
        for (var failure : lastFailure) if (failure != null) return failure;
        return UNKNOWN;
    }

    List<ShardView.Replica> view() {
        var out = new ArrayList<ShardView.Replica>(lastFailure.length);
        for (var state : replicas.view()) out.add(new ShardView.Replica(state, lastFailure[state.replica()]));
        return out;
    }
}
