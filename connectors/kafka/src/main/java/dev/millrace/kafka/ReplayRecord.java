package dev.millrace.kafka;

import dev.millrace.kafka.DeadLetterEntry.Letter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/// How a dead letter looks when it goes back to its topic, and the mark that says it did (POI-10).
///
/// Key, value and every header that is not ours are as they were. Of ours it has two: how often it was replayed, and
/// its history, a line for each time it was set aside, bounded in lines and bytes; the oldest go first.
///
/// Nothing else is needed for it to be no repeat to a sink: it is a new record at a new offset, so the batch that it
/// comes to lie in has a token that no batch had before.
final class ReplayRecord {
    static final int HISTORY_LINES = 8;
    static final int HISTORY_BYTES = 4096;
    private static final int REASON_LIMIT = 200;

    private ReplayRecord() {}

    /// Goes to its partition of before, where that still exists, and else to the one that its key names. Keeps its
    /// timestamp, unless retention would take a record as old as that.
    static ProducerRecord<byte[], byte[]> of(
            ConsumerRecord<byte[], byte[]> record, Letter letter, ReplayTarget target, long nowMillis) {
        var headers = new ArrayList<Header>();
        for (var header : record.headers()) if (!DeadLetterRecord.isOurs(header.key())) headers.add(header);
        var replays = Math.min(letter.replays(), Integer.MAX_VALUE - 1) + 1;
        headers.add(new RecordHeader(DeadLetterRecord.REPLAYS, bytes(Integer.toString(replays))));
        headers.add(new RecordHeader(DeadLetterRecord.HISTORY, history(record, letter, nowMillis)));
        // A replay of an encoded row is still no original.
        if (letter.gone()) headers.add(new RecordHeader(DeadLetterRecord.ORIGINAL, bytes("gone")));
        var place = letter.origin().place();
        var timestamp = letter.origin().timestamp();
        return new ProducerRecord<>(
                place.topic(),
                place.partition() < target.partitions() ? place.partition() : null,
                target.keeps(timestamp, nowMillis) ? (Long) timestamp : null,
                record.key(),
                record.value(),
                headers);
    }

    /// Lies behind the letter, in its partition, under its key.
    static ProducerRecord<byte[], byte[]> mark(byte @Nullable [] key, Letter letter, RecordPlace sentTo) {
        var origin = letter.origin();
        var headers = new ArrayList<Header>();
        headers.add(
                new RecordHeader(DeadLetterRecord.TOPIC, bytes(origin.place().topic())));
        headers.add(new RecordHeader(
                DeadLetterRecord.PARTITION,
                bytes(Integer.toString(origin.place().partition()))));
        headers.add(new RecordHeader(
                DeadLetterRecord.OFFSET, bytes(Long.toString(origin.place().offset()))));
        if (origin.timestamp() >= 0)
            headers.add(new RecordHeader(DeadLetterRecord.TIMESTAMP, bytes(Long.toString(origin.timestamp()))));
        headers.add(new RecordHeader(DeadLetterRecord.REPLAYED, bytes(sentTo.toString())));
        // A value, though an empty one: without it compaction would take the mark.
        return new ProducerRecord<>(letter.at().topic(), letter.at().partition(), null, key, new byte[0], headers);
    }

    private static byte[] history(ConsumerRecord<byte[], byte[]> record, Letter letter, long nowMillis) {
        var lines = new ArrayDeque<String>();
        var before = record.headers().lastHeader(DeadLetterRecord.HISTORY);
        if (before != null && before.value() != null)
            lines.addAll(List.of(new String(before.value(), StandardCharsets.UTF_8).split("\n", -1)));
        lines.add(line(letter, nowMillis));
        while (lines.size() > HISTORY_LINES) lines.removeFirst();
        var all = bytes(String.join("\n", lines));
        while (all.length > HISTORY_BYTES) {
            lines.removeFirst();
            all = bytes(String.join("\n", lines));
        }
        return all;
    }

    /// One line, whatever stands in the headers of a letter that somebody else wrote.
    private static String line(Letter letter, long nowMillis) {
        var reason = letter.reason();
        var line = letter.origin().place() + " " + letter.sink() + (letter.shard() == null ? "" : "/" + letter.shard())
                + " " + letter.code() + ", replayed "
                + Instant.ofEpochMilli(nowMillis) + ": "
                + (reason.length() <= REASON_LIMIT ? reason : reason.substring(0, REASON_LIMIT - 1) + "…");
        return line.replace('\n', ' ');
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
