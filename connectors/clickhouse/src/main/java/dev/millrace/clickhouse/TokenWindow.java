package dev.millrace.clickhouse;

import java.time.Duration;

/// How many tokens a table has to remember, by how many entries everybody makes there: one for each insert and table
/// partition.
///
/// Thread ownership: none, it holds nothing.
public final class TokenWindow {
    /// Of tokens, for most tables.
    public static final long AMPLE_TOKENS = 10_000;

    /// A session that times out, and a process that starts again.
    public static final Duration REPLAY = Duration.ofSeconds(60);

    /// How long a replicated table remembers a token where nobody set it otherwise.
    public static final Duration USUAL_TIME = Duration.ofHours(1);

    /// The rest is kept back for what comes between two looks at the table.
    static final double SURE = 0.9;

    private TokenWindow() {}

    /// Tokens for an hour, in thousands.
    public static long enough(double entriesPerSecond) {
        return Math.max(AMPLE_TOKENS, (long) Math.ceil(entriesPerSecond * 3.6) * 1000);
    }

    /// For how many seconds a token is sure to be among the last `tokens`.
    public static double sureSeconds(long tokens, double entriesPerSecond) {
        return tokens * SURE / entriesPerSecond;
    }
}
