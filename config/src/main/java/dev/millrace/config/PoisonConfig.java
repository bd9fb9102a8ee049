package dev.millrace.config;

import java.time.Duration;

/// What happens to a row that cannot become a row of the sink, and when a row that a sink refuses is one.
///
/// `topic` is where dead letters go; `maxRatePercent` the share of poison above which a shard holds; `evidence` how
/// long a shard's taking of other rows speaks against a refused one; `attempts` how often a row is refused alone
/// before it is judged.
public record PoisonConfig(
        Action action, String topic, SingleRow singleRow, double maxRatePercent, Duration evidence, int attempts) {

    /// Where dead letters go unless the file says so.
    static String defaultTopic(String pipeline) {
        return pipeline + ".dead";
    }

    /// DEAD_LETTER ends a row when the topic has it; SKIP acknowledges and counts it; STOP fails its range and ends the
    /// process.
    public enum Action {
        DEAD_LETTER,
        SKIP,
        STOP
    }

    /// What a refused batch of one row does, which has no sibling to judge by.
    public enum SingleRow {
        WAIT,
        DEAD_LETTER
    }
}
