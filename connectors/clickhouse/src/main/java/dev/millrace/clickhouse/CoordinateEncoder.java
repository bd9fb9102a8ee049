package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Coordinates.Part;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Puts a record's coordinates as the first members into the JSON object that another encoder writes, so
/// that one row stays one object on one line.
///
/// A key and a header's value stand there byte for byte, whether they are UTF-8 or not: the server takes
/// them as they are. A record that has a member of a coordinate's name itself is poison, `duplicate_key`.
///
/// Thread ownership: the source thread.
final class CoordinateEncoder implements RowEncoder {
    private static final class Member {
        final Part part;
        final byte[] name;

        Member(Part part, String column) {
            this.part = part;
            this.name = ('"' + column + "\":").getBytes(StandardCharsets.US_ASCII);
        }
    }

    private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final int LONGEST_NUMBER = 20;

    private final RowEncoder object;
    private final List<Member> coordinates = new ArrayList<>();
    private final ObjectMembers members;
    private final Rest rest = new Rest();
    private final byte[] digits = new byte[LONGEST_NUMBER];
    private final Map<String, byte[]> topics = new HashMap<>();

    /// `object` writes a value as it is.
    CoordinateEncoder(Coordinates columns, RowEncoder object) {
        this.object = object;
        columns.columns().forEach((part, column) -> coordinates.add(new Member(part, column)));
        members = new ObjectMembers(columns.columns().values());
    }

    @Override
    public Encoded encode(RecordView record, RowBuffer row) {
        if (!members.look(record.valueArray(), record.valueFrom(), record.valueLength()))
            return new Encoded.Poison("not_an_object", "the value is no JSON object");
        var twice = members.found();
        if (twice != null)
            return new Encoded.Poison(
                    "duplicate_key", "the value has a member " + twice + ", which is a column of coordinates");
        for (var i = 0; i < coordinates.size(); i++) {
            row.put((byte) (i == 0 ? '{' : ','));
            var coordinate = coordinates.get(i);
            row.put(coordinate.name, 0, coordinate.name.length);
            put(coordinate.part, record, row);
        }
        if (!members.empty()) row.put((byte) ',');
        return object.encode(rest.of(record, members.inside()), row);
    }

    private void put(Part part, RecordView record, RowBuffer row) {
        switch (part) {
            case TOPIC -> {
                var topic = topics.computeIfAbsent(record.topic(), name -> name.getBytes(StandardCharsets.UTF_8));
                putText(topic, 0, topic.length, row);
            }
            case PARTITION -> putNumber(record.partition(), row);
            case OFFSET -> putNumber(record.offset(), row);
            case TIMESTAMP -> putNumber(record.timestampMillis(), row);
            case KEY -> putText(record.keyArray(), record.keyFrom(), record.keyLength(), row);
            case HEADERS -> putHeaders(record, row);
        }
    }

    private void putHeaders(RecordView record, RowBuffer row) {
        row.put((byte) '[');
        for (var i = 0; i < record.headerCount(); i++) {
            if (i > 0) row.put((byte) ',');
            row.put((byte) '[');
            var name = record.headerName(i).getBytes(StandardCharsets.UTF_8);
            putText(name, 0, name.length, row);
            row.put((byte) ',');
            var value = record.headerValue(i);
            if (value == null) row.put(NULL, 0, NULL.length);
            else putText(value, 0, value.length, row);
            row.put((byte) ']');
        }
        row.put((byte) ']');
    }

    private void putNumber(long number, RowBuffer row) {
        // Of what is not positive, since the least has no positive counterpart.
        var left = number > 0 ? -number : number;
        var at = LONGEST_NUMBER;
        do {
            digits[--at] = (byte) ('0' - left % 10);
            left /= 10;
        } while (left != 0);
        if (number < 0) digits[--at] = '-';
        row.put(digits, at, LONGEST_NUMBER - at);
    }

    /// A length of −1 is null.
    private static void putText(byte[] bytes, int from, int length, RowBuffer row) {
        if (length < 0) {
            row.put(NULL, 0, NULL.length);
            return;
        }
        row.put((byte) '"');
        var begun = from;
        for (var at = from; at < from + length; at++) {
            var b = bytes[at];
            if (b != '"' && b != '\\' && (b < 0 || b >= ' ')) continue;
            if (at > begun) row.put(bytes, begun, at - begun);
            begun = at + 1;
            escape(b, row);
        }
        if (from + length > begun) row.put(bytes, begun, from + length - begun);
        row.put((byte) '"');
    }

    private static void escape(byte b, RowBuffer row) {
        row.put((byte) '\\');
        if (b == '"' || b == '\\') row.put(b);
        else {
            row.putAscii("u00");
            row.put(HEX[b >> 4]);
            row.put(HEX[b & 15]);
        }
    }

    /// A record whose value is what stands behind its opening brace.
    private static final class Rest implements RecordView {
        private RecordView record = this;
        private int from;

        Rest of(RecordView whole, int inside) {
            record = whole;
            from = inside;
            return this;
        }

        @Override
        public String topic() {
            return record.topic();
        }

        @Override
        public int partition() {
            return record.partition();
        }

        @Override
        public long offset() {
            return record.offset();
        }

        @Override
        public long timestampMillis() {
            return record.timestampMillis();
        }

        @Override
        public byte[] keyArray() {
            return record.keyArray();
        }

        @Override
        public int keyFrom() {
            return record.keyFrom();
        }

        @Override
        public int keyLength() {
            return record.keyLength();
        }

        @Override
        public byte[] valueArray() {
            return record.valueArray();
        }

        @Override
        public int valueFrom() {
            return from;
        }

        @Override
        public int valueLength() {
            return record.valueFrom() + record.valueLength() - from;
        }

        @Override
        public int headerCount() {
            return record.headerCount();
        }

        @Override
        public String headerName(int index) {
            return record.headerName(index);
        }

        @Override
        public byte @Nullable [] headerValue(int index) {
            return record.headerValue(index);
        }
    }
}
