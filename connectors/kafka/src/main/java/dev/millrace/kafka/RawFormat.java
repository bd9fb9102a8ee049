package dev.millrace.kafka;

import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder.Encoded;

/// Any bytes are a value; none at all is an empty row.
final class RawFormat implements ValueFormat {
    static final String TOMBSTONE = "tombstone";
    private static final Encoded SKIPPED = new Encoded.Skipped(TOMBSTONE);
    private static final Encoded POISON = new Encoded.Poison(TOMBSTONE, "the record has no value");

    private final OnTombstone onTombstone;

    RawFormat(OnTombstone onTombstone) {
        this.onTombstone = onTombstone;
    }

    @Override
    public Encoded check(RecordView record) {
        return record.valueLength() < 0 ? tombstone(onTombstone) : Encoded.WRITTEN;
    }

    static Encoded tombstone(OnTombstone onTombstone) {
        return switch (onTombstone) {
            case SKIP -> SKIPPED;
            case DEAD_LETTER -> POISON;
            case ROW -> Encoded.WRITTEN;
        };
    }
}
