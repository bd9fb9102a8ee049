package dev.millrace.clickhouse;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Whom an error with this code blames, by the pipeline's file; with a `text`, only where the
/// server's holds it.
///
/// Invariant: it says nothing of whether rows are stored. An error that may come after rows were stored
/// stays one, so that a batch is never taken apart for it; and what a view threw is nobody's to judge
/// anew (CH-5), nor is a header of typed rows that the table does not fit any more (CH-8).
public record VerdictOverride(int code, @Nullable String text, Blames blames) {
    /// Whom.
    public enum Blames {
        /// The rows.
        ROWS(Codes.Says.ROWS),
        /// Their number or size.
        SIZE(Codes.Says.SIZE),
        /// This replica.
        REPLICA(Codes.Says.REPLICA),
        /// The shard, which has not enough of something.
        OVERLOAD(Codes.Says.OVERLOAD),
        /// Nobody.
        WAIT(Codes.Says.NOBODY),
        /// Table, right or setting.
        SETTINGS(Codes.Says.SETTINGS);

        final Codes.Says says;

        Blames(Codes.Says says) {
            this.says = says;
        }
    }

    public VerdictOverride {
        if (code < 1) throw new IllegalArgumentException("the code " + code + " is below 1");
    }

    /// As it stands in a file.
    @Override
    public String toString() {
        return code + (text == null ? "" : " " + text) + ": " + blames.name().toLowerCase(Locale.ROOT);
    }
}
