package dev.millrace.sinkpool;

/// How often a row may come to stand in a sink, as the sink is set up now, and why it is no better.
public record Guarantee(Level level, String why) {
    /// What holds. Every level holds what those before it hold.
    public enum Level {
        /// Every row is stored. A write of which nobody knows what became is sent again, and may
        /// be stored twice.
        L0,
        /// What is sent again within a run is recognised, and stored once; what replays after a
        /// crash may not be.
        L1,
        /// What replays after a crash, a restart or a rebalance is recognised too, within the window in
        /// which the sink knows its tokens.
        L2,
        /// What is older than that window is read back before it is sent again.
        L3,
        /// Tokens never expire: each commits in the transaction of its rows.
        L4
    }
}
