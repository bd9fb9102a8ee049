package dev.millrace.breaker;

/// Leave to write once to one replica in one episode of its breaker. One shot: reported once, with a verdict.
///
/// `id` is unique within its [ReplicaSet], so that a second report of it changes nothing. `grantedNanos` is
/// when it was granted: what a slow call is measured from.
public record Permit(long id, int replica, long episode, boolean probe, long grantedNanos) {}
