package dev.millrace.cli;

import dev.millrace.pipeline.ReplicaChange;
import java.time.Duration;

/// Cuts one replica once, and watches its breaker open, half-open and close again.
///
/// First it hangs for one second, then it refuses for two, and on until its breaker was seen open.
///
/// Thread ownership: `step` belongs to the demo's loop; `saw` is called by shard workers.
final class DemoCut {
    private static final Duration HANGS = Duration.ofSeconds(1);
    private static final Duration REFUSES = Duration.ofSeconds(2);

    private enum Phase {
        BEFORE,
        HANGING,
        REFUSING,
        HEALED
    }

    private final DemoStore store;
    private final String endpoint;
    private Phase phase = Phase.BEFORE;
    private long phaseNanos;
    private volatile boolean opened;
    private volatile boolean halfOpened;
    private volatile boolean closedAgain;

    DemoCut(DemoStore store, String endpoint) {
        this.store = store;
        this.endpoint = endpoint;
    }

    void saw(ReplicaChange change) {
        if (!change.endpoint().equals(endpoint)) return;
        switch (change.phase()) {
            case OPEN -> {
                opened = true;
                closedAgain = false;
            }
            case HALF_OPEN -> halfOpened = true;
            case CLOSED -> closedAgain = true;
        }
    }

    /// Does what is due; returns a line to tell when it did something, else an empty one. `due`: the time
    /// for the cut has come.
    String step(boolean due, long nowNanos) {
        var lasted = Duration.ofNanos(nowNanos - phaseNanos);
        return switch (phase) {
            case BEFORE -> due ? hang(nowNanos) : "";
            case HANGING -> lasted.compareTo(HANGS) >= 0 ? refuse(nowNanos) : "";
            case REFUSING -> lasted.compareTo(REFUSES) >= 0 && opened ? heal(nowNanos) : "";
            case HEALED -> "";
        };
    }

    private String hang(long nowNanos) {
        store.hang();
        become(Phase.HANGING, nowNanos);
        return "hangs now: connections stay open, nothing comes back";
    }

    private String refuse(long nowNanos) {
        store.refuse();
        become(Phase.REFUSING, nowNanos);
        return "refuses connections now";
    }

    private String heal(long nowNanos) {
        store.heal();
        become(Phase.HEALED, nowNanos);
        return "is back";
    }

    private void become(Phase next, long nowNanos) {
        phase = next;
        phaseNanos = nowNanos;
    }

    /// Its breaker was seen open, half-open and closed again.
    boolean seenThrough() {
        return phase == Phase.HEALED && opened && halfOpened && closedAgain;
    }
}
