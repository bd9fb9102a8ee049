package dev.millrace.kafka;

import dev.millrace.sinkpool.RecordView;

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
}
