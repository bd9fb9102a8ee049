package dev.millrace.clickhouse;

/// A table as one server has it, as far as it matters to what is written there.
///
/// `window` is how many tokens it remembers, counted by table partition, 0 for none;
/// `windowSeconds` for how long, 0 where time is no bound. `fsync`: an insert is acknowledged when
/// it is on the disk.
record TableFacts(
        String database,
        String name,
        String engine,
        String partitionKey,
        long window,
        long windowSeconds,
        boolean fsync) {
    boolean mergeTree() {
        return engine.endsWith("MergeTree");
    }

    /// Its replicas share what they remember.
    boolean replicated() {
        return mergeTree() && (engine.startsWith("Replicated") || engine.startsWith("Shared"));
    }

    boolean remembers() {
        return mergeTree() && window > 0;
    }

    boolean view() {
        return engine.equals("View") || engine.equals("LiveView") || engine.equals("WindowView");
    }

    /// Of the setting that says how many tokens it remembers.
    String windowSetting() {
        return (replicated() ? "" : "non_") + "replicated_deduplication_window";
    }

    /// How many seconds it remembers a token: [Remembered#FOR_EVER] where time is no bound.
    long seconds() {
        return replicated() ? windowSeconds : Remembered.FOR_EVER;
    }

    /// What it remembers, if rows can be read or not.
    Remembered remembered(boolean readable) {
        return remembers()
                ? new Remembered(window, seconds(), readable, "")
                : new Remembered(0, 0, readable, this + " remembers no tokens: " + alter(TokenWindow.AMPLE_TOKENS));
    }

    /// The statement that lets it remember so many tokens.
    String alter(long tokens) {
        return "ALTER TABLE " + quoted() + " MODIFY SETTING " + windowSetting() + " = " + tokens;
    }

    /// As in a statement.
    String quoted() {
        return InsertSettings.quoted(database) + '.' + InsertSettings.quoted(name);
    }

    @Override
    public String toString() {
        return database + '.' + name;
    }
}
