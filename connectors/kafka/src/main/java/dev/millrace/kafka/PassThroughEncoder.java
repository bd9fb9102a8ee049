package dev.millrace.kafka;

import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;

/// A row is the record's value and a newline, for sinks that take bytes. A null value is an empty line.
///
/// [#exact] keeps every byte, so a value that holds a newline is several lines. [#singleLine] is for JSON that was
/// checked: there a raw newline or carriage return can only be white space between tokens, and is written as a space,
/// so that one row is one line.
///
/// Thread ownership: immutable.
public final class PassThroughEncoder implements RowEncoder {
    private final boolean singleLine;

    private PassThroughEncoder(boolean singleLine) {
        this.singleLine = singleLine;
    }

    public static PassThroughEncoder exact() {
        return new PassThroughEncoder(false);
    }

    public static PassThroughEncoder singleLine() {
        return new PassThroughEncoder(true);
    }

    @Override
    public Encoded encode(RecordView record, RowBuffer row) {
        var length = Math.max(0, record.valueLength());
        var from = record.valueFrom();
        if (singleLine && !onOneLine(record)) putJoined(record.valueArray(), from, from + length, row);
        else row.putLine(record.valueArray(), from, length);
        return Encoded.WRITTEN;
    }

    private static boolean onOneLine(RecordView record) {
        var members = record.members();
        return members != null && members.onOneLine();
    }

    private static void putJoined(byte[] bytes, int from, int to, RowBuffer row) {
        var begun = from;
        for (var i = LineBreaks.next(bytes, from, to); i < to; i = LineBreaks.next(bytes, i + 1, to)) {
            if (i > begun) row.put(bytes, begun, i - begun);
            row.put((byte) ' ');
            begun = i + 1;
        }
        row.putLine(bytes, begun, to - begun);
    }
}
