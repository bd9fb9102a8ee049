package dev.millrace.kafka;

import dev.millrace.json.JsonCheck;
import dev.millrace.sinkpool.MemberPlaces;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder.Encoded;

/// A value is exactly one JSON object, checked without building it; see [JsonCheck] for what that means.
///
/// Thread ownership: the source thread.
final class JsonFormat implements ValueFormat {
    private final OnTombstone onTombstone;
    private final JsonCheck check = new JsonCheck();

    JsonFormat(OnTombstone onTombstone) {
        this.onTombstone = onTombstone;
    }

    @Override
    public MemberPlaces members() {
        return check.members();
    }

    @Override
    public Encoded check(RecordView record) {
        var length = record.valueLength();
        if (length < 0) return RawFormat.tombstone(onTombstone);
        var fault = check.object(record.valueArray(), record.valueFrom(), length);
        if (fault == null) return Encoded.WRITTEN;
        return new Encoded.Poison(fault.reason(), "at byte " + (check.at() - record.valueFrom()) + " of " + length);
    }
}
