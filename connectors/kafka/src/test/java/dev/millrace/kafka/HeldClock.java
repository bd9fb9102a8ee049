package dev.millrace.kafka;

import dev.millrace.sinkpool.NanoClock;

/// The system's clock until it is held; from then on it stands, and goes only where a test puts it.
///
/// Thread ownership: shared.
final class HeldClock implements NanoClock {
    private long passed;
    private long heldAt;
    private boolean held;

    @Override
    public synchronized long nanoTime() {
        return passed + (held ? heldAt : NanoClock.SYSTEM.nanoTime());
    }

    synchronized void hold() {
        heldAt = NanoClock.SYSTEM.nanoTime();
        held = true;
    }

    synchronized void pass(long nanos) {
        passed += nanos;
    }

    /// Goes on from where it stands.
    synchronized void letGo() {
        passed += heldAt - NanoClock.SYSTEM.nanoTime();
        held = false;
    }
}
