package dev.millrace.postgres;

import dev.millrace.postgres.TableDescription.Column;
import dev.millrace.postgres.TableDescription.Kind;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;

/// A record's value, as it is, into one column: bytes into `bytea`, text into all others.
///
/// Thread ownership: the source thread.
final class RawRowEncoder implements RowEncoder {
    private static final Encoded.Poison NULL_VALUE = new Encoded.Poison("null_value", "the record has no value");

    private final Kind kind;
    private final CopyText text = new CopyText();

    RawRowEncoder(Column column) {
        kind = column.kind();
    }

    @Override
    public Encoded encode(RecordView record, RowBuffer row) {
        var length = record.valueLength();
        if (length < 0) return NULL_VALUE;
        var source = record.valueArray();
        var from = record.valueFrom();
        if (kind == Kind.BYTEA) {
            text.putBytes(source, from, from + length, row);
        } else {
            var bad = Utf8Text.firstBad(source, from, length);
            if (bad >= 0)
                return new Encoded.Poison(source[bad] == 0 ? JsonString.NUL : "bad_utf8", "at byte " + (bad - from));
            CopyText.putText(source, from, from + length, row);
        }
        row.put(CopyText.END);
        return Encoded.WRITTEN;
    }
}
