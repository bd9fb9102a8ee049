package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.KafkaSourceSettings.Skip;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// What a person leaves out by `source.kafka.skip`: offsets that are not read, and not taken where a poll gives them.
///
/// Places may overlap and stand in any order: together they are one set of offsets.
record LeftOut(List<Skip> skips) {
    boolean isEmpty() {
        return skips.isEmpty();
    }

    /// Where reading goes on that stands at `position`; `position` where it may go on there.
    long past(TopicPartition of, long position) {
        var next = position;
        for (var before = -1L; before != next; ) {
            before = next;
            for (var skip : skips) next = skip.from(of.topic(), of.partition(), next);
        }
        return next;
    }

    /// What a poll gave, from `position` on. A client that passes markers and holes gives what stands behind them at
    /// once, and that may be left out: it is taken apart from the rest there, as offsets without a record.
    void take(
            SourcePartition partition,
            long position,
            List<ConsumerRecord<ByteBuffer, ByteBuffer>> records,
            OffsetAndMetadata next,
            List<SourceEvent.Batch> into) {
        var at = CommitCall.kafka(partition);
        var left = records;
        var from = position;
        for (var out = first(at, from, next.offset()); out < next.offset(); out = first(at, from, next.offset())) {
            var end = out;
            var to = Math.min(past(at, out), next.offset());
            if (out > from)
                into.add(new SourceEvent.Batch(
                        partition,
                        seen(left.stream().filter(one -> one.offset() < end).toList()),
                        out,
                        -1));
            into.add(SourceEvent.Batch.leftOut(partition, to));
            left = left.stream().filter(one -> one.offset() >= to).toList();
            from = to;
        }
        if (from == next.offset() && from > position) return;
        into.add(new SourceEvent.Batch(
                partition, seen(left), next.offset(), next.leaderEpoch().orElse(-1)));
    }

    /// The first that is left out from `from` on; `next` where none is before it.
    private long first(TopicPartition of, long from, long next) {
        var first = next;
        for (var skip : skips) {
            if (!skip.isOf(of.topic(), of.partition()) || skip.last() < from) continue;
            first = Math.min(first, Math.max(from, skip.first()));
        }
        return first;
    }

    private static @Nullable PolledRecords seen(List<ConsumerRecord<ByteBuffer, ByteBuffer>> records) {
        return records.isEmpty() ? null : new KafkaRecords(records);
    }
}
