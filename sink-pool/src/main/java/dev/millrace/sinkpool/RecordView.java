package dev.millrace.sinkpool;

import org.jspecify.annotations.Nullable;

/// One record as the source hands it to an encoder: a cursor over Kafka's own buffers, moved on
/// for each record.
///
/// Valid during one call; an encoder copies what it keeps. A length of −1 is null. Keys and values are
/// slices of arrays that hold other records too: never look beyond the length.
///
/// Thread ownership: the source thread.
public interface RecordView {
    String topic();

    int partition();

    long offset();

    long timestampMillis();

    byte[] keyArray();

    int keyFrom();

    int keyLength();

    byte[] valueArray();

    int valueFrom();

    int valueLength();

    /// The members of the value, where it has been found to be one JSON object; null where nobody has looked.
    default @Nullable MemberPlaces members() {
        return null;
    }

    /// How many headers it has. A name may stand there several times. A source whose records can have
    /// none leaves this alone.
    default int headerCount() {
        return 0;
    }

    default String headerName(int index) {
        throw new IndexOutOfBoundsException(index);
    }

    /// May be a copy. Null for a header without a value.
    default byte @Nullable [] headerValue(int index) {
        throw new IndexOutOfBoundsException(index);
    }
}
