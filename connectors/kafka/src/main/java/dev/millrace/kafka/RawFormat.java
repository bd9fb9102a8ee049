package dev.millrace.kafka;

import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder.Encoded;

/// Any bytes are a value; none at all is an empty row.
final class RawFormat implements ValueFormat {
    static final Encoded TOMBSTONE = new Encoded.Skipped("tombstone");

    private final OnTombstone onTombstone;

    RawFormat(OnTombstone onTombstone) {
        this.onTombstone = onTombstone;
    }

    @Override
    public Encoded check(RecordView record) {
        return record.valueLength() < 0 && onTombstone == OnTombstone.SKIP ? TOMBSTONE : Encoded.WRITTEN;
    }
}
