package dev.millrace.kafka;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/// What one record of a dead-letter topic is, as its headers tell.
sealed interface DeadLetterEntry {
    /// A number of replays that cannot be read counts as this, so that nothing forged or cut loops for ever.
    int UNREADABLE = Integer.MAX_VALUE;

    /// Where it stands in the dead-letter topic.
    RecordPlace at();

    /// The record that a letter tells of. The timestamp is -1 where the letter does not have it; it tells apart the
    /// records of a topic that was deleted and made again.
    record Origin(RecordPlace place, long timestamp) {}

    /// A poison row. `shard` is null where no shard has seen it; `gone` where key and headers are lost and the value is
    /// the row as it was encoded.
    record Letter(
            RecordPlace at,
            Origin origin,
            String pipeline,
            String sink,
            @Nullable String shard,
            String code,
            String reason,
            int attempts,
            int replays,
            boolean gone)
            implements DeadLetterEntry {}

    /// Says that the row of this origin was sent to its topic again.
    record Replayed(RecordPlace at, Origin origin) implements DeadLetterEntry {}

    /// No dead letter of Millrace's.
    record Foreign(RecordPlace at, long timestamp) implements DeadLetterEntry {}

    static DeadLetterEntry of(ConsumerRecord<byte[], byte[]> record) {
        var at = new RecordPlace(record.topic(), record.partition(), record.offset());
        var headers = record.headers();
        var origin = origin(headers);
        if (origin == null) return new Foreign(at, record.timestamp());
        if (headers.lastHeader(DeadLetterRecord.REPLAYED) != null) return new Replayed(at, origin);
        var sink = text(headers, DeadLetterRecord.SINK);
        var code = text(headers, DeadLetterRecord.CODE);
        if (sink == null || code == null) return new Foreign(at, record.timestamp());
        return new Letter(
                at,
                origin,
                orElse(text(headers, DeadLetterRecord.PIPELINE), ""),
                sink,
                text(headers, DeadLetterRecord.SHARD),
                code,
                orElse(text(headers, DeadLetterRecord.REASON), ""),
                (int) Math.min(Integer.MAX_VALUE, orElse(number(headers, DeadLetterRecord.ATTEMPTS), 1)),
                replays(headers),
                text(headers, DeadLetterRecord.ORIGINAL) != null);
    }

    private static @Nullable Origin origin(Headers headers) {
        var topic = text(headers, DeadLetterRecord.TOPIC);
        var partition = number(headers, DeadLetterRecord.PARTITION);
        var offset = number(headers, DeadLetterRecord.OFFSET);
        if (topic == null || topic.isEmpty() || partition == null || offset == null) return null;
        if (partition > Integer.MAX_VALUE) return null;
        return new Origin(
                new RecordPlace(topic, partition.intValue(), offset),
                orElse(number(headers, DeadLetterRecord.TIMESTAMP), -1));
    }

    private static int replays(Headers headers) {
        if (headers.lastHeader(DeadLetterRecord.REPLAYS) == null) return 0;
        return (int) Math.min(UNREADABLE, orElse(number(headers, DeadLetterRecord.REPLAYS), UNREADABLE));
    }

    private static @Nullable String text(Headers headers, String name) {
        var header = headers.lastHeader(name);
        if (header == null || header.value() == null) return null;
        return new String(header.value(), StandardCharsets.UTF_8);
    }

    /// Null for what is no whole number from 0 of at most 18 digits.
    private static @Nullable Long number(Headers headers, String name) {
        var text = text(headers, name);
        if (text == null || text.isEmpty() || text.length() > 18) return null;
        for (var i = 0; i < text.length(); i++) if (text.charAt(i) < '0' || text.charAt(i) > '9') return null;
        return Long.parseLong(text);
    }

    private static String orElse(@Nullable String value, String other) {
        return value == null ? other : value;
    }

    private static long orElse(@Nullable Long value, long other) {
        return value == null ? other : value;
    }
}
