package dev.millrace.sinkpool;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// When the one who empties lanes looks at them again: by itself while items come, so that lanes fill meanwhile, and
/// woken by the first item that comes when none did.
///
/// Thread ownership: `rest` the one who empties them; the others any thread.
final class LaneWatch {
    /// For so long lanes fill before they are emptied again.
    private static final long FILL_NANOS = 200_000;

    /// With so many in one turn it goes on at once.
    private static final long BUSY_ITEMS = 16_384;

    private final NanoClock clock;
    private volatile @Nullable Thread watcher;
    private volatile boolean asleep;

    LaneWatch(NanoClock clock) {
        this.clock = clock;
    }

    /// An item came to an empty lane.
    void wake() {
        if (asleep) wakeNow();
    }

    /// Something is wanted at once.
    void wakeNow() {
        asleep = false;
        LockSupport.unpark(watcher);
    }

    /// Between two turns, the last of which took so many items: a moment while they come, and else until something
    /// comes or `untilNanos`. `came` is asked once more behind the decision to sleep, and whoever brings something
    /// reads that decision behind it: one of the two sees the other.
    void rest(long took, BooleanSupplier came, long untilNanos) {
        // An encoder that was interrupted would keep every rest from being one.
        var _ = Thread.interrupted();
        if (took >= BUSY_ITEMS) return;
        if (took > 0) {
            LockSupport.parkNanos(this, FILL_NANOS);
            return;
        }
        watcher = Thread.currentThread();
        asleep = true;
        if (!came.getAsBoolean()) sleep(untilNanos);
        asleep = false;
    }

    private void sleep(long untilNanos) {
        if (untilNanos == NanoClock.NEVER) {
            LockSupport.park(this);
            return;
        }
        var left = untilNanos - clock.nanoTime();
        if (left > 0) LockSupport.parkNanos(this, left);
    }
}
