package dev.millrace.intake;

import org.jspecify.annotations.Nullable;

/// Who may post, and whether anybody may at the moment.
///
/// Thread ownership: any.
public interface Gate {
    enum Claim {
        HOLDS,
        /// Another token, or none.
        DENIED,
        /// Nobody may: the file of the token can't be read.
        UNREADABLE
    }

    /// What a request shows of itself, which may be nothing.
    Claim check(@Nullable String authorization);

    /// A person paused it.
    boolean paused();
}
