package dev.millrace.kafka;

import dev.millrace.sinkpool.DeadLetters.Letter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/// How a poison row looks in the dead-letter topic: the record as it was, and headers that say what happened (POI-5,
/// POI-14).
///
/// Key, value, timestamp and every header that is not one of ours are kept byte for byte, in order. Ours, and no
/// others that merely begin with [#PREFIX], are replaced when a row fails again, so that they never grow.
public final class DeadLetterRecord {
    public static final String PREFIX = "millrace-";
    public static final String PIPELINE = PREFIX + "pipeline";
    public static final String TOPIC = PREFIX + "topic";
    public static final String PARTITION = PREFIX + "partition";
    public static final String OFFSET = PREFIX + "offset";
    public static final String TIMESTAMP = PREFIX + "timestamp";
    public static final String SINK = PREFIX + "sink";
    public static final String SHARD = PREFIX + "shard";
    public static final String TOKEN = PREFIX + "token";
    public static final String CODE = PREFIX + "code";
    public static final String REASON = PREFIX + "reason";
    public static final String ATTEMPTS = PREFIX + "attempts";
    /// `gone` where the record could not be read again: key and headers are lost, and the value is the row as it was
    /// encoded.
    public static final String ORIGINAL = PREFIX + "original";
    /// How often the row was replayed before it came here.
    public static final String REPLAYS = PREFIX + "replays";
    /// A line for each time it was replayed, bounded: where it was, and why it was set aside.
    public static final String HISTORY = PREFIX + "history";
    /// Makes a record of the topic a mark that its row was replayed, and says where to.
    public static final String REPLAYED = PREFIX + "replayed";

    private static final Set<String> OURS = Set.of(
            PIPELINE, TOPIC, PARTITION, OFFSET, TIMESTAMP, SINK, SHARD, TOKEN, CODE, REASON, ATTEMPTS, ORIGINAL,
            REPLAYS, HISTORY, REPLAYED);

    private static final byte[] GONE = "gone".getBytes(StandardCharsets.UTF_8);
    private static final int LONGEST_COUNT = 20;

    private DeadLetterRecord() {}

    /// Whether a header of this name is written by Millrace alone.
    static boolean isOurs(String header) {
        return OURS.contains(header);
    }

    /// `original` is null where it is gone. `withoutTimestamp` is for a topic that does not take the record's own: then
    /// the header alone has it.
    static ProducerRecord<byte[], byte[]> of(
            String topic,
            String pipeline,
            Letter letter,
            @Nullable ConsumerRecord<byte[], byte[]> original,
            boolean withoutTimestamp) {
        var headers = new ArrayList<Header>();
        if (original != null) {
            for (var header : original.headers()) if (!isOurs(header.key())) headers.add(header);
        }
        add(headers, PIPELINE, pipeline);
        add(headers, TOPIC, letter.partition().topic());
        add(headers, PARTITION, Integer.toString(letter.partition().partition()));
        add(headers, OFFSET, Long.toString(letter.offset()));
        var timestamp = original == null || original.timestamp() < 0 ? null : (Long) original.timestamp();
        if (timestamp != null) add(headers, TIMESTAMP, timestamp.toString());
        add(headers, SINK, letter.sink());
        if (letter.shard() != null) add(headers, SHARD, letter.shard());
        if (letter.token() != null) add(headers, TOKEN, letter.token());
        add(headers, CODE, letter.failure().code());
        add(headers, REASON, letter.failure().message());
        add(headers, ATTEMPTS, Integer.toString(letter.attempts()));
        var replays = value(original, REPLAYS);
        if (replays != null && replays.length <= LONGEST_COUNT) headers.add(new RecordHeader(REPLAYS, replays));
        var history = value(original, HISTORY);
        if (history != null && history.length <= ReplayRecord.HISTORY_BYTES)
            headers.add(new RecordHeader(HISTORY, history));
        // A replay of an encoded row is still no original.
        if (original == null || Arrays.equals(value(original, ORIGINAL), GONE))
            headers.add(new RecordHeader(ORIGINAL, GONE));
        return new ProducerRecord<>(
                topic,
                null,
                withoutTimestamp ? null : timestamp,
                original == null ? null : original.key(),
                original == null ? bytes(letter.encoded()) : original.value(),
                headers);
    }

    private static byte @Nullable [] value(@Nullable ConsumerRecord<byte[], byte[]> of, String name) {
        var header = of == null ? null : of.headers().lastHeader(name);
        return header == null ? null : header.value();
    }

    private static void add(List<Header> to, String name, String value) {
        to.add(new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8)));
    }

    private static byte[] bytes(ByteBuffer of) {
        var out = new byte[of.remaining()];
        of.duplicate().get(out);
        return out;
    }
}
