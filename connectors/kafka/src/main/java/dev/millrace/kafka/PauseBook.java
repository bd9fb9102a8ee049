package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Which partitions are paused, since when and why.
///
/// A pause lasts at least [#SHORTEST_NANOS], since every pause costs a fetch; one shorter than [#FLAPPING_NANOS] is
/// counted as flapping.
///
/// Thread ownership: the source thread.
final class PauseBook {
    static final long SHORTEST_NANOS = 100_000_000L;
    static final long FLAPPING_NANOS = 1_000_000_000L;

    /// `reason` is null for a partition that has just arrived, paused by the shell.
    private record Paused(@Nullable PauseReason reason, long sinceNanos) {}

    private final SourceCounters counters;
    private final Map<SourcePartition, Paused> paused = new HashMap<>();
    private final Map<PauseReason, Set<SourcePartition>> toPause = new EnumMap<>(PauseReason.class);
    private final Set<SourcePartition> toResume = new HashSet<>();

    PauseBook(SourceCounters counters) {
        this.counters = counters;
    }

    /// The shell paused it when it was assigned.
    void arrived(SourcePartition partition, long nowNanos) {
        paused.put(partition, new Paused(null, nowNanos));
    }

    void forget(SourcePartition partition) {
        paused.remove(partition);
    }

    /// Pauses it for this reason, or, with null, lets it go on as soon as it may.
    void want(SourcePartition partition, @Nullable PauseReason reason, long nowNanos) {
        var now = paused.get(partition);
        if (reason != null) {
            if (now != null && now.reason != null) return;
            paused.put(partition, new Paused(reason, nowNanos));
            counters.paused(reason);
            if (now == null)
                toPause.computeIfAbsent(reason, _ -> new HashSet<>()).add(partition);
            return;
        }
        if (now == null) return;
        var lasted = nowNanos - now.sinceNanos;
        if (now.reason != null && lasted < SHORTEST_NANOS) return;
        if (now.reason != null && lasted < FLAPPING_NANOS) counters.flapped();
        paused.remove(partition);
        toResume.add(partition);
    }

    /// Says what changed since this was last asked.
    void tell(Consumer<SourceCommand> out) {
        if (!toPause.isEmpty()) {
            toPause.forEach(
                    (reason, partitions) -> out.accept(new SourceCommand.Pause(Set.copyOf(partitions), reason)));
            toPause.clear();
        }
        if (!toResume.isEmpty()) {
            out.accept(new SourceCommand.Resume(Set.copyOf(toResume)));
            toResume.clear();
        }
    }

    @Nullable
    PauseReason reason(SourcePartition partition) {
        var now = paused.get(partition);
        return now == null ? null : now.reason;
    }

    /// Anything is paused that may soon go on.
    boolean anyTransient() {
        for (var now : paused.values())
            if (now.reason != PauseReason.HALTED && now.reason != PauseReason.DRIFT) return true;
        return false;
    }
}
