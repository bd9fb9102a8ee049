package dev.millrace.breaker;

/// Which replicas an attempt may go to.
public sealed interface Preference {
    /// The next in rotation.
    record Any() implements Preference {}

    /// Another than the one that just failed, if another is usable (WRT-2).
    record Rather(int notReplica) implements Preference {
        public Rather {
            if (notReplica < 0) throw new IllegalArgumentException("replica " + notReplica + " < 0");
        }
    }

    /// This one only: an ambiguous attempt where replicas share no deduplication log.
    record Only(int replica) implements Preference {
        public Only {
            if (replica < 0) throw new IllegalArgumentException("replica " + replica + " < 0");
        }
    }
}
