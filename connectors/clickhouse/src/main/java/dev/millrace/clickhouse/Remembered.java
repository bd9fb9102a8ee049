package dev.millrace.clickhouse;

/// What a shard's table, and what views behind it fill, remember of tokens: the last `entries`,
/// for `seconds`, which is [#FOR_EVER] where time is no bound. `readable`: what is stored can be
/// read row by row. `forgets` says which table remembers nothing, and what to do; empty where all do.
record Remembered(long entries, long seconds, boolean readable, String forgets) {
    static final long FOR_EVER = Long.MAX_VALUE;

    /// What is believed of a table that does not tell: the least that any version has by default.
    static final Remembered UNTOLD = new Remembered(100, 3600, false, "");

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    long nanos() {
        return seconds >= FOR_EVER / NANOS_PER_SECOND ? FOR_EVER : seconds * NANOS_PER_SECOND;
    }

    /// With one more table that has to know the same.
    Remembered and(String view, TableFacts target) {
        if (target.engine().equals("Null")) return this;
        if (!target.remembers())
            return new Remembered(
                    0,
                    0,
                    readable,
                    "view " + view + " fills " + target + ", which remembers no tokens: "
                            + (target.mergeTree()
                                    ? target.alter(TokenWindow.AMPLE_TOKENS)
                                    : "fill a table of the MergeTree family"));
        return new Remembered(
                Math.min(entries, target.window()), Math.min(seconds, target.seconds()), readable, forgets);
    }

    String text() {
        return "the last " + entries + " tokens" + (seconds == FOR_EVER ? "" : " for " + seconds + " s");
    }
}
