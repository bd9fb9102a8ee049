package dev.millrace.kafka;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;

/// One end of a stretch of offsets, as a person names it: the same words for every partition.
public sealed interface OffsetBound {
    /// Where the log begins now.
    record Beginning() implements OffsetBound {}

    /// What the group has committed: everything below is done.
    record Committed() implements OffsetBound {}

    /// Where the log ends now, for readers of what is committed.
    record End() implements OffsetBound {}

    record At(long offset) implements OffsetBound {
        public At {
            if (offset < 0) throw new IllegalArgumentException("offset " + offset + " < 0");
        }
    }

    /// The first record of this time or later, as the broker tells; the log's end where there is
    /// none.
    record Since(Instant time) implements OffsetBound {}

    /// Throws `IllegalArgumentException`, with what may stand there, for a text that names none.
    static OffsetBound parse(String text) {
        return switch (text) {
            case "beginning" -> new Beginning();
            case "committed" -> new Committed();
            case "end" -> new End();
            default -> text.matches("[0-9]{1,18}") ? new At(Long.parseLong(text)) : new Since(time(text));
        };
    }

    private static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException _) {
            throw new IllegalArgumentException(
                    text + " is no offset: write a number, beginning, committed, end, or a time with its zone, as in"
                            + " 2026-01-31T10:00:00Z");
        }
    }
}
