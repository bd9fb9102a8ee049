package dev.millrace.breaker;

/// Whether a replica may be written to now.
public sealed interface Leave {
    record Granted(Permit permit) implements Leave {}

    /// Every eligible replica is open, or none is eligible: ask again at `untilNanos` (`Long.MAX_VALUE` if only
    /// an event can help), or when [ReplicaSet#report] returned true.
    record Wait(long untilNanos) implements Leave {}

    /// Every eligible replica that is not open is being probed: an outcome, or the probe's deadline at `untilNanos`,
    /// will tell.
    record WaitForProbe(long untilNanos) implements Leave {}
}
