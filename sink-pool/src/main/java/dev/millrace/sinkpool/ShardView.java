package dev.millrace.sinkpool;

import dev.millrace.breaker.ReplicaView;
import dev.millrace.checkpoint.SourcePartition;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A shard as told to people: for the endpoints, the gauges and the report. The last one outlives
/// its worker.
///
/// Times are points on the monotonic clock, [NanoClock#NEVER] where there is none; whoever shows them
/// computes the age. `usable`: a replica is closed and may be written to. `sleepEndsNanos` and
/// `sleepNanos` tell the longest backoff being slept now. `lastAnswerNanos` is when the sink last
/// answered anything, a refusal included. `limit` batches may be on their way, and open ones linger for
/// `lingerNanos`: as set, but while the sink is overloaded (BRK-12). `waitsForSlot`: a replica would take a batch, and
/// all write slots of the sink are taken, or one is on its way to the shard (WRT-8).
public record ShardView(
        ShardId shard,
        boolean usable,
        long openRows,
        int limit,
        long lingerNanos,
        boolean waitsForSlot,
        List<Held> held,
        long sleepNanos,
        long sleepEndsNanos,
        long lastAnswerNanos,
        int unfinished,
        List<Replica> replicas) {
    public ShardView {
        held = List.copyOf(held);
        replicas = List.copyOf(replicas);
    }

    /// A sealed batch that is not settled, or was given up at the end. `blocked`: it waits for a person.
    /// With a `pin` it goes to one replica only.
    public record Held(
            long batch,
            int lane,
            long rows,
            int attempts,
            boolean writing,
            boolean blocked,
            Place place,
            @Nullable Pin pin,
            long sealedNanos,
            @Nullable Failure failure,
            Set<SourcePartition> partitions) {
        /// It has begun, and holds no permit.
        public boolean parked() {
            return place == Place.PARKED;
        }
    }

    /// Where a batch waits, or is written from.
    public enum Place {
        /// It has not begun.
        QUEUE,
        PERMIT,
        /// It has begun, and waits without a permit for evidence, for its dead letters, for its plan or for one
        /// replica;
        /// or it has something to write again, and waits for a permit.
        PARKED,
        /// It sleeps between two attempts, or has slept and waits for a permit: other lanes have its own, and its lane
        /// is
        /// held.
        RESTING
    }

    /// It may be stored at this replica, since the first attempt of which that is not known, and no other
    /// would recognise it. `over`: `ambiguous.pin_for` has passed, and it waits on (WRT-11).
    public record Pin(int replica, long sinceNanos, boolean over) {}

    /// A replica, and what its last failed attempt said.
    public record Replica(ReplicaView state, @Nullable Failure lastFailure) {}

    /// Rows sealed and not settled.
    public long heldRows() {
        return held.stream().mapToLong(Held::rows).sum();
    }

    /// A batch waits for a person: refused, too large, or the sink is misconfigured.
    public boolean blocked() {
        return held.stream().anyMatch(Held::blocked);
    }
}
