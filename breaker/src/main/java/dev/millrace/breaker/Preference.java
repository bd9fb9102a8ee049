package dev.millrace.breaker;

/// Which replicas an attempt may go to.
public sealed interface Preference {
    /// The next in rotation.
    record Any() implements Preference {}

    /// Another than the one that just failed, if another is usable (WRT-2).
    record Rather(int notReplica) implements Preference {}

    /// This one only: an ambiguous attempt where replicas share no deduplication log.
    record Only(int replica) implements Preference {}
}
