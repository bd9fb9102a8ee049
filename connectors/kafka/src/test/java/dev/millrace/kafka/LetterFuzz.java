package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.fuzz.Draw;
import dev.millrace.fuzz.FuzzTarget;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Failure;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/// What a letter says is read back from it, and its record with it, letter after letter and replay after replay; what
/// anybody else wrote into the topic is read, or told as foreign.
final class LetterFuzz implements FuzzTarget {
    private static final String DEAD = "shop.dead";
    private static final long NOW = 1_764_000_000_000L;
    private static final List<String> OURS = List.of(
            DeadLetterRecord.PIPELINE,
            DeadLetterRecord.TOPIC,
            DeadLetterRecord.PARTITION,
            DeadLetterRecord.OFFSET,
            DeadLetterRecord.TIMESTAMP,
            DeadLetterRecord.SINK,
            DeadLetterRecord.SHARD,
            DeadLetterRecord.TOKEN,
            DeadLetterRecord.CODE,
            DeadLetterRecord.REASON,
            DeadLetterRecord.ATTEMPTS,
            DeadLetterRecord.ORIGINAL,
            DeadLetterRecord.REPLAYS,
            DeadLetterRecord.HISTORY,
            DeadLetterRecord.REPLAYED);

    @Override
    public List<String> words() {
        return List.of("millrace-", "millrace-topic", "gone", "0", "999999999999999999", "2147483648", "-1", "\n", "é");
    }

    @Override
    public void take(byte[] input) {
        var draw = new Draw(input);
        if (draw.yes()) anybodys(draw);
        else ours(draw);
    }

    /// A record with headers of any kind, ours among them.
    private static ConsumerRecord<byte[], byte[]> record(Draw draw, String topic, int partition, long offset) {
        var headers = new RecordHeaders();
        for (var left = draw.below(20); left > 0; left--) {
            var name = draw.yes() ? OURS.get(draw.below(OURS.size())) : draw.text(20);
            headers.add(name, draw.yes() ? Long.toString(draw.number()).getBytes(StandardCharsets.UTF_8) : value(draw));
        }
        var timestamp = draw.yes() ? draw.natural() : -1;
        var key = value(draw);
        return read(topic, partition, offset, timestamp, key, value(draw), headers);
    }

    private static byte @Nullable [] value(Draw draw) {
        return draw.yes() ? draw.bytes(40) : null;
    }

    private static ConsumerRecord<byte[], byte[]> read(
            String topic,
            int partition,
            long offset,
            long timestamp,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers) {
        return new ConsumerRecord<>(
                topic,
                partition,
                offset,
                timestamp,
                TimestampType.CREATE_TIME,
                key == null ? -1 : key.length,
                value == null ? -1 : value.length,
                key,
                value,
                headers,
                Optional.empty());
    }

    /// As the topic gives back what was sent to it.
    private static ConsumerRecord<byte[], byte[]> through(ProducerRecord<byte[], byte[]> sent, long offset) {
        var time = sent.timestamp();
        return read(sent.topic(), 0, offset, time == null ? NOW : time, sent.key(), sent.value(), sent.headers());
    }

    private static void anybodys(Draw draw) {
        var rows = new DeadRows(2);
        var at = 0L;
        do {
            var record = record(draw, DEAD, 1, at++);
            var entry = DeadLetterEntry.of(record);
            assertThat(entry.at()).isEqualTo(new RecordPlace(DEAD, 1, record.offset()));
            var fits = rows.add(entry);
            for (var row : rows.where(new DeadLetterWhere(List.of()))) {
                assertThat(row.reason().length()).isLessThanOrEqualTo(DeadRow.REASON_LIMIT);
                assertThat(row.attempts()).isNotNegative();
                assertThat(row.replays()).isNotNegative();
            }
            if (entry instanceof DeadLetterEntry.Letter letter) replayed(record, letter, draw);
            if (!fits) return;
        } while (!draw.ended());
    }

    private static void ours(Draw draw) {
        var offset = draw.natural() % 1_000_000_000_000_000_000L;
        var partition = (int) (draw.natural() & Integer.MAX_VALUE);
        var original = record(draw, "orders", partition, offset);
        var gone = draw.yes();
        var letter = new DeadLetters.Letter(
                new SourcePartition("orders", new TopicId("t"), partition),
                offset,
                "warehouse",
                draw.yes() ? "s0" : null,
                draw.yes() ? "token" : null,
                ByteBuffer.wrap(draw.bytes(20)),
                new Failure(draw.text(80), draw.text(255), draw.yes()),
                1 + draw.below(1000));
        var sent = DeadLetterRecord.of(DEAD, "shop", letter, gone ? null : original, draw.yes());
        var read = through(sent, 7);
        var told = letterOf(read);
        assertThat(told.origin().place()).isEqualTo(new RecordPlace("orders", partition, offset));
        assertThat(told.pipeline()).isEqualTo("shop");
        assertThat(told.sink()).isEqualTo("warehouse");
        assertThat(told.shard()).isEqualTo(letter.shard());
        assertThat(told.code()).isEqualTo(asUtf8(letter.failure().code()));
        assertThat(told.reason()).isEqualTo(asUtf8(letter.failure().message()));
        assertThat(told.attempts()).isEqualTo(letter.attempts());
        if (gone) {
            assertThat(told.gone()).isTrue();
            assertThat(told.origin().timestamp()).isEqualTo(-1);
            assertThat(ByteBuffer.wrap(read.value())).isEqualTo(letter.encoded());
        } else {
            var timestamp = original.timestamp();
            assertThat(told.origin().timestamp()).isEqualTo(timestamp < 1_000_000_000_000_000_000L ? timestamp : -1);
            same(original, read);
        }
        var again = replayed(read, told, draw);
        // A row that fails again: its letter tells of the replays, and does not grow.
        var second = DeadLetterRecord.of(DEAD, "shop", letter, again, false);
        var third = DeadLetterRecord.of(DEAD, "shop", letter, through(second, 8), false);
        same(again, through(second, 9));
        assertThat(letterOf(through(second, 9)).replays())
                .isEqualTo(told.replays() + (told.replays() == Integer.MAX_VALUE ? 0 : 1));
        assertThat(third.headers().toArray()).hasSameSizeAs(second.headers().toArray());
    }

    private static DeadLetterEntry.Letter letterOf(ConsumerRecord<byte[], byte[]> record) {
        if (DeadLetterEntry.of(record) instanceof DeadLetterEntry.Letter letter) return letter;
        throw new AssertionError("a letter was read as " + DeadLetterEntry.of(record));
    }

    private static String asUtf8(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /// The record as it goes back to its topic, and the mark that says so.
    private static ConsumerRecord<byte[], byte[]> replayed(
            ConsumerRecord<byte[], byte[]> record, DeadLetterEntry.Letter letter, Draw draw) {
        var target = new ReplayTarget(1 + draw.below(4), draw.yes() ? Long.MAX_VALUE : draw.natural());
        var back = ReplayRecord.of(record, letter, target, NOW);
        assertThat(back.topic()).isEqualTo(letter.origin().place().topic());
        var read = through(back, letter.origin().place().offset());
        same(record, read);
        var history = read.headers().lastHeader(DeadLetterRecord.HISTORY).value();
        assertThat(history.length).isLessThanOrEqualTo(ReplayRecord.HISTORY_BYTES);
        assertThat(new String(history, StandardCharsets.UTF_8).split("\n", -1))
                .hasSizeLessThanOrEqualTo(ReplayRecord.HISTORY_LINES);
        var mark = through(ReplayRecord.mark(record.key(), letter, new RecordPlace("orders", 0, 1)), 2);
        assertThat(DeadLetterEntry.of(mark))
                .isEqualTo(new DeadLetterEntry.Replayed(new RecordPlace(mark.topic(), 0, 2), letter.origin()));
        return read;
    }

    /// Key, value and every header that is not ours are byte for byte the same, in order.
    private static void same(ConsumerRecord<byte[], byte[]> before, ConsumerRecord<byte[], byte[]> now) {
        assertThat(now.key()).isEqualTo(before.key());
        assertThat(now.value()).isEqualTo(before.value());
        assertThat(theirs(now)).isEqualTo(theirs(before));
    }

    private static List<Map.Entry<String, Optional<ByteBuffer>>> theirs(ConsumerRecord<byte[], byte[]> of) {
        var theirs = new ArrayList<Map.Entry<String, Optional<ByteBuffer>>>();
        for (Header header : of.headers())
            if (!OURS.contains(header.key()))
                theirs.add(Map.entry(
                        header.key(), Optional.ofNullable(header.value()).map(ByteBuffer::wrap)));
        return theirs;
    }
}
