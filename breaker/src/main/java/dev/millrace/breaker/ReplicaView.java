package dev.millrace.breaker;

/// A replica as told to people, computed when asked.
///
/// `phaseBeganNanos` is when it entered its phase; `phaseEndsNanos` is when an open one may be probed, else
/// `Long.MAX_VALUE`: their difference is how long it stays open. `openings` counts openings in a row
/// without a probe's success between. `unfinished` says that attempts which were cancelled and have not
/// ended keep it out of use (WRT-10). While it is closed it takes one of its turns in `oneTurnIn`: 1 but
/// for a replica that closed again not long ago (BRK-13).
public record ReplicaView(
        int replica,
        Phase phase,
        long phaseBeganNanos,
        long phaseEndsNanos,
        long episode,
        int openings,
        int probesOut,
        boolean unfinished,
        int oneTurnIn) {
    public enum Phase {
        CLOSED,
        OPEN,
        HALF_OPEN,
        /// A person keeps it from being written to, and its breaker may be in any phase: `episode` and `openings` are
        /// the breaker's, `phaseBeganNanos` is the quarantine's.
        QUARANTINED
    }
}
