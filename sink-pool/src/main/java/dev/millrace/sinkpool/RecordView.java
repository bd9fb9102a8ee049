package dev.millrace.sinkpool;

/// One record as the source hands it to an encoder: a cursor over Kafka's own buffers, moved on for each record.
///
/// Valid during one call; an encoder copies what it keeps. A length of −1 is null. Keys and values are slices
/// of arrays that hold other records too: never look beyond the length.
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
}
