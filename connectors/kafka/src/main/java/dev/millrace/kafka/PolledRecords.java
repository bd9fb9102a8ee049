package dev.millrace.kafka;

import dev.millrace.sinkpool.MemberPlaces;
import dev.millrace.sinkpool.RecordView;
import org.jspecify.annotations.Nullable;

/// The records that one poll gave of one partition, in offset order.
///
/// Thread ownership: the source thread.
public interface PolledRecords {
    int size();

    long offset(int index);

    /// Under which leader the record was written, −1 where unknown. Never falls with the index.
    int leaderEpoch(int index);

    /// The record as a view that the next call moves on.
    RecordView at(int index);

    /// What the check of the record that [#at] gave last has found, for the view to tell.
    default void checked(@Nullable MemberPlaces members) {}
}
