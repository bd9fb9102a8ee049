package dev.millrace.example;

import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;

// [encoder]
/// A record's value as one line. A value that has a line feed would be two rows, so it is none.
final class LineEncoder implements RowEncoder {
    @Override
    public Encoded encode(RecordView record, RowBuffer row) {
        if (record.valueLength() < 0) return new Encoded.Poison("null_value", "the record has no value");
        var value = record.valueArray();
        var from = record.valueFrom();
        for (var at = from; at < from + record.valueLength(); at++)
            if (value[at] == '\n') return new Encoded.Poison("line_feed", "at byte " + (at - from));
        row.put(value, from, record.valueLength());
        row.put((byte) '\n');
        return Encoded.WRITTEN;
    }
}
// [/encoder]
