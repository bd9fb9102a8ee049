package dev.millrace.kafka;

import dev.millrace.sinkpool.MemberPlaces;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder;
import org.jspecify.annotations.Nullable;

/// What a record's value has to be before any sink's encoder sees it.
///
/// `check` answers [Encoded#WRITTEN] for a value that goes on to the encoders. Answers for good records are
/// constants.
///
/// Thread ownership: one for each source thread.
public interface ValueFormat {
    RowEncoder.Encoded check(RecordView record);

    /// The members of the value that was checked last, if it is an object and was looked at.
    default @Nullable MemberPlaces members() {
        return null;
    }

    /// What a record without a value (a tombstone) becomes.
    enum OnTombstone {
        /// Left out, counted under `tombstone`.
        SKIP,
        /// Poison, under `tombstone`.
        DEAD_LETTER,
        /// A row: the encoder gets the value as null.
        ROW
    }

    /// Which format, for settings.
    enum Kind {
        RAW,
        JSON
    }

    static ValueFormat of(Kind kind, OnTombstone onTombstone) {
        return switch (kind) {
            case RAW -> new RawFormat(onTombstone);
            case JSON -> new JsonFormat(onTombstone);
        };
    }
}
