package dev.millrace.checkpoint;

import java.util.Objects;

/// What is committed for one partition: the watermark, and the plan's text (empty under at-least-once).
///
/// `leaderEpoch` is −1 where unknown; it is what lets the broker tell a truncated log.
public record CommitEntry(long offset, int leaderEpoch, String metadata) {
    public CommitEntry {
        if (offset < 0) throw new IllegalArgumentException("offset " + offset + " < 0");
        if (leaderEpoch < -1) throw new IllegalArgumentException("leader epoch " + leaderEpoch + " < -1");
        Objects.requireNonNull(metadata, "metadata");
    }

    /// Without the metadata, which may be thousands of characters.
    @Override
    public String toString() {
        return "offset " + offset + ", leader epoch " + leaderEpoch + ", " + metadata.length()
                + " characters of metadata";
    }
}
