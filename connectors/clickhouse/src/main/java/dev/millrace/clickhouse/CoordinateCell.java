package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Coordinates.Part;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/// Puts one part of a record's coordinates as the RowBinary of its column, whose type takes it without
/// loss. Keys and values of headers are put byte for byte, whether they are UTF-8 or not.
///
/// Thread ownership: the source thread.
final class CoordinateCell {
    private static final byte HAS_VALUE = 0;
    private static final byte NULL = 1;

    private final Part part;
    private final boolean nullable;
    private final int bytes;
    private final Map<String, byte[]> topics = new HashMap<>();

    CoordinateCell(Part part, String type) {
        this.part = part;
        nullable = type.contains("Nullable(");
        bytes = type.endsWith("32") ? Integer.BYTES : Long.BYTES;
    }

    void put(RecordView record, RowBuffer row) {
        switch (part) {
            case TOPIC -> {
                var topic = topics.computeIfAbsent(record.topic(), name -> name.getBytes(StandardCharsets.UTF_8));
                if (nullable) row.put(HAS_VALUE);
                putBytes(topic, 0, topic.length, row);
            }
            case PARTITION -> LittleEndian.put(record.partition(), bytes, row);
            case OFFSET -> LittleEndian.put(record.offset(), bytes, row);
            case TIMESTAMP -> LittleEndian.put(record.timestampMillis(), bytes, row);
            case KEY -> {
                row.put(record.keyLength() < 0 ? NULL : HAS_VALUE);
                if (record.keyLength() >= 0) putBytes(record.keyArray(), record.keyFrom(), record.keyLength(), row);
            }
            case HEADERS -> putHeaders(record, row);
        }
    }

    private static void putHeaders(RecordView record, RowBuffer row) {
        LittleEndian.putLength(record.headerCount(), row);
        for (var i = 0; i < record.headerCount(); i++) {
            var name = record.headerName(i).getBytes(StandardCharsets.UTF_8);
            putBytes(name, 0, name.length, row);
            var value = record.headerValue(i);
            row.put(value == null ? NULL : HAS_VALUE);
            if (value != null) putBytes(value, 0, value.length, row);
        }
    }

    private static void putBytes(byte[] source, int from, int length, RowBuffer row) {
        LittleEndian.putLength(length, row);
        row.put(source, from, length);
    }
}
