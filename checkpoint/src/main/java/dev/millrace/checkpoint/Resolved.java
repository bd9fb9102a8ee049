package dev.millrace.checkpoint;

/// Where a resolved range is told.
///
/// Called once for each range, from whichever thread resolved its last part. Must not block, throw
/// or call back: production posts to the source's inbox, the simulation to its event queue.
@FunctionalInterface
public interface Resolved {
    void resolved(Range range, Resolution resolution);

    /// A batch with rows of this range is to be taken apart, and waits until the plan says so (EO-7).
    default void splitting(Range range) {
        throw new IllegalStateException(range + " is of no plan");
    }
}
