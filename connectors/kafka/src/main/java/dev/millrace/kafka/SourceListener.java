package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Whom the source tells what concerns the whole pipeline. Called on source threads; must not block.
public interface SourceListener {
    /// After a stop was asked for: every member has handed over what it took and could encode.
    /// Told once.
    void inputFinished();

    /// The topics are known, with how many partitions each has, before anybody joins. Why that
    /// can't be, in one line; null where it can.
    default @Nullable String starts(Map<String, Integer> partitions) {
        return null;
    }

    /// A plan was acknowledged, and what was read back has none: replays are not recognised.
    default void plansNotKept() {}

    /// A partition came whose plan says that these shards, by the hashes of their names,
    /// acknowledged these tokens.
    default void newestTokens(SourcePartition partition, Map<Integer, Long> tokens) {}

    /// The process has to end, with this code and this one line. The first that is told counts.
    /// The source goes on polling, and committing what becomes durable, until it is told to finish.
    void failed(int exitCode, String reason);
}
