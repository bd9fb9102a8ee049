package dev.millrace.testkit;

import dev.millrace.sinkpool.TokenLog;
import java.util.List;

/// What a store does with a batch that it is sent again.
enum SinkKind {
    /// Remembers every token, for ever.
    HONOURING,
    /// Forgets tokens, by their number and by time.
    WINDOWED,
    /// Each replica remembers only what it was sent itself.
    UNSHARED,
    /// Applies a batch block by block, and remembers each block: an error may leave some stored
    /// and others not.
    MULTI_BLOCK,
    /// Rows and token, or neither.
    TRANSACTIONAL,
    /// Remembers nothing.
    AT_LEAST_ONCE,
    /// Remembers every token, but replicates later than it answers: what it acknowledged last is gone,
    /// and forgotten, when a replica is lost. That loss is the store's own and outside of what is
    /// claimed; it is reported apart.
    LAGGING;

    static final List<SinkKind> ALL = List.of(values());

    /// What a sink would tell of it.
    TokenLog tokenLog() {
        return switch (this) {
            case HONOURING, WINDOWED, MULTI_BLOCK, TRANSACTIONAL, LAGGING -> TokenLog.SHARED;
            case UNSHARED -> TokenLog.UNSHARED;
            case AT_LEAST_ONCE -> TokenLog.NONE;
        };
    }

    /// Never stores a batch twice, whatever happens.
    boolean neverRepeats() {
        return switch (this) {
            case HONOURING, MULTI_BLOCK, TRANSACTIONAL -> true;
            case WINDOWED, UNSHARED, AT_LEAST_ONCE, LAGGING -> false;
        };
    }
}
