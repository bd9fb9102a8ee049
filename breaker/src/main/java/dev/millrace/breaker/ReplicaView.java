package dev.millrace.breaker;

/// A replica as told to people, computed when asked. `phaseEndsNanos` is when an open one may be probed, else `Long.MAX_VALUE`.
/// `unfinished` says that attempts which were cancelled and have not ended keep it out of use (WRT-10).
public record ReplicaView(int replica, Phase phase, long phaseEndsNanos, long episode, int probesOut, boolean unfinished) {
    public enum Phase {
        CLOSED,
        OPEN,
        HALF_OPEN,
        QUARANTINED
    }
}
