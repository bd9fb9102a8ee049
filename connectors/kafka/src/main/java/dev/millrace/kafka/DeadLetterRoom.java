package dev.millrace.kafka;

/// What dead letters may hold of the heap, at the most and one record more.
public final class DeadLetterRoom {
    /// Values of rows that were never encoded, of one partition.
    public static final long OF_PARTITION = PoisonRows.MOST_OUT_BYTES;

    /// The same, of one group member.
    public static final long OF_MEMBER = PoisonRows.MOST_OUT_BYTES_OF_MEMBER;

    /// Originals between reading and acknowledgement, of the process.
    public static final long OF_ORIGINALS = LetterThread.MOST_SENT_BYTES;

    private DeadLetterRoom() {}
}
