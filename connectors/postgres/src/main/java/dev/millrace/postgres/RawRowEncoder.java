package dev.millrace.postgres;

import dev.millrace.json.Reasons;
import dev.millrace.json.Utf8Text;
import dev.millrace.sinkpool.Layouts.Layout;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;

/// A record's value, as it is, into one column: bytes into `bytea`, text into all others.
///
/// Thread ownership: the source thread.
final class RawRowEncoder implements RowEncoder {
    private static final Encoded.Poison NULL_VALUE = new Encoded.Poison(Reasons.NULL_VALUE, "the record has no value");

    private final int layout;
    private final boolean bytes;
    private final boolean latin1;
    private final CopyText text = new CopyText();

    /// For the only column of the table that rows are sent for.
    RawRowEncoder(Layout<TableDescription> of) {
        var table = of.description();
        layout = of.number();
        var fit = table.columns().getFirst().fit();
        bytes = fit.kind() == Fit.Kind.BYTEA && !fit.array();
        latin1 = table.encoding() == Encoding.LATIN1;
    }

    @Override
    public int layout() {
        return layout;
    }

    @Override
    public Encoded encode(RecordView record, RowBuffer row) {
        var length = record.valueLength();
        if (length < 0) return NULL_VALUE;
        var source = record.valueArray();
        var from = record.valueFrom();
        if (bytes) {
            text.putBytes(source, from, from + length, row);
        } else {
            var bad = Utf8Text.firstBad(source, from, length);
            if (bad >= 0)
                return new Encoded.Poison(source[bad] == 0 ? Reasons.NUL : Reasons.BAD_UTF8, "at byte " + (bad - from));
            if (latin1 && Utf8Text.beyondLatin1(source, from, length))
                return new Encoded.Poison(Reasons.NOT_IN_ENCODING, "a character that the database's encoding lacks");
            CopyText.putText(source, from, from + length, row);
        }
        row.put(CopyText.END);
        return Encoded.WRITTEN;
    }
}
