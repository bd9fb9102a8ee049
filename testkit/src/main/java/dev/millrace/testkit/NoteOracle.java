package dev.millrace.testkit;

import dev.millrace.breaker.ReplicaView.Phase;
import dev.millrace.sinkpool.ShardNote;
import dev.millrace.sinkpool.ShardView;
import java.util.HashMap;
import java.util.Map;

/// BRK-8, BRK-10 and BRK-12: each change of a replica is told once; outages begin and end in turn,
/// and so do overloads.
///
/// Thread ownership: the run.
final class NoteOracle {
    private final Map<Integer, Phase> told = new HashMap<>();
    private boolean outage;
    private boolean overload;

    void told(ShardNote note) {
        switch (note) {
            case ShardNote.OutageBegan _ -> outage(true);
            case ShardNote.OutageEnded(var attempts, var lasted) -> {
                outage(false);
                if (attempts < 0 || lasted < 0) throw new Violation("BRK-10", "an outage told as " + note);
            }
            case ShardNote.OverloadBegan _ -> overload(true);
            case ShardNote.OverloadEnded(var answers, var lasted) -> {
                overload(false);
                if (answers < 1 || lasted < 0) throw new Violation("BRK-12", "an overload told as " + note);
            }
            case ShardNote.ReplicaOpened(var replica, var _, var openNanos) -> {
                phase(replica, Phase.OPEN);
                if (openNanos < 0) throw new Violation("BRK-8", "open for " + openNanos);
            }
            case ShardNote.ReplicaHalfOpened(var replica) -> phase(replica, Phase.HALF_OPEN);
            case ShardNote.ReplicaClosed(var replica) -> phase(replica, Phase.CLOSED);
            case ShardNote.Blocked _,
                    ShardNote.TakenApart _,
                    ShardNote.Poison _,
                    ShardNote.Drift _,
                    ShardNote.Pinned _,
                    ShardNote.PinOver _,
                    ShardNote.GaveUp _,
                    ShardNote.Sealed _,
                    ShardNote.TokenAges _,
                    ShardNote.TokenExpired _,
                    ShardNote.Wrote _,
                    ShardNote.Abandoned _ -> {}
        }
    }

    private void overload(boolean begins) {
        if (overload == begins)
            throw new Violation("BRK-12", begins ? "an overload begins in an overload" : "no overload ends");
        overload = begins;
    }

    private void outage(boolean begins) {
        if (outage == begins)
            throw new Violation("BRK-10", begins ? "an outage begins in an outage" : "no outage ends");
        outage = begins;
    }

    private void phase(int replica, Phase phase) {
        var before = told.put(replica, phase);
        if (before == phase && phase == Phase.CLOSED)
            throw new Violation("BRK-8", "replica " + replica + " closes twice");
    }

    /// All commands are carried out: what was told is how it is.
    void carriedOut(ShardView view) {
        var down = true;
        for (var replica : view.replicas()) {
            var state = replica.state();
            down &= state.phase() != Phase.CLOSED;
            var last = told.getOrDefault(state.replica(), Phase.CLOSED);
            if (last != state.phase())
                throw new Violation("BRK-8", "replica " + state.replica() + " is " + state.phase() + ", told " + last);
        }
        if (down && !outage) throw new Violation("BRK-10", "no replica is closed, and no outage is told");
    }
}
