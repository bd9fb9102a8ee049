package dev.millrace.sinkpool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The two words of a [Lane], apart from those of any other.
///
/// Thread ownership: as [Lane].
class LaneState<T> extends LanePadding {
    static final VarHandle CREDIT;
    static final VarHandle TOP;

    static {
        try {
            var lookup = MethodHandles.lookup();
            CREDIT = lookup.findVarHandle(LaneState.class, "credit", long.class);
            TOP = lookup.findVarHandle(LaneState.class, "top", Link.class);
        } catch (ReflectiveOperationException missing) {
            throw new ExceptionInInitializerError(missing);
        }
    }

    /// See [Lane#credit(long, long)].
    volatile long credit;

    volatile @Nullable Link<T> top;
}
