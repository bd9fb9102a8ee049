package dev.millrace.sinkpool;

import org.jspecify.annotations.Nullable;

/// Turns one record into one row of one sink. Pure: the same record gives the same bytes, in every
/// process and for ever.
///
/// One instance for each source thread and sink, made by [Sink#encoder]. Must not throw for any value a
/// record can hold.
public interface RowEncoder {
    sealed interface Encoded {
        /// The one answer for a good row, so that nothing is allocated for it.
        Written WRITTEN = new Written();

        record Written() implements Encoded {}

        /// Left out by an explicit policy (tombstone, filter): done, and counted under `reason`.
        record Skipped(String reason) implements Encoded {}

        /// This row can never be written. `reason` is a stable word, `detail` says where in the value and
        /// holds no payload. The bytes put so far are taken back.
        record Poison(String reason, String detail) implements Encoded {}
    }

    Encoded encode(RecordView record, RowBuffer row);

    /// Why this record can't be made a row of the destination as it is now, though it could before: the
    /// destination's fault and not the row's, so nothing more of its partition is taken until the destination
    /// is described anew. In words without payload; null for any other record. Asked before [#encode].
    default @Nullable String waitsFor(RecordView record) {
        return null;
    }

    /// Which description of the destination its rows are made for, in the numbers of its sink. Rows of
    /// two layouts are never written together. One encoder keeps its layout.
    default int layout() {
        return 0;
    }
}
