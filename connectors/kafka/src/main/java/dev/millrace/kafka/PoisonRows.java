package dev.millrace.kafka;

import dev.millrace.checkpoint.Ack;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.KafkaSourceSettings.OnPoison;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.PoisonLog;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder.Encoded.Poison;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/// What one group member does with rows that cannot be decoded or encoded: they are poison at once (POI-7).
///
/// Thread ownership: the source thread; dead letters are acknowledged from any.
final class PoisonRows {
    /// Letters of one member on their way; at this many its partitions wait.
    static final int MOST_OUT = 1000;

    private final OnPoison action;
    private final DeadLetters letters;
    private final PoisonLog log = new PoisonLog();
    private final AtomicInteger out = new AtomicInteger();

    PoisonRows(OnPoison action, DeadLetters letters) {
        this.action = action;
        this.letters = letters;
    }

    PoisonLog log() {
        return log;
    }

    boolean stops() {
        return action == OnPoison.STOP;
    }

    /// Too many dead letters wait: nothing more is encoded until some are acknowledged.
    boolean full() {
        return out.get() >= MOST_OUT;
    }

    /// Sets a record aside for these sinks.
    void setAside(
            SourcePartition partition,
            RecordView record,
            Poison poison,
            List<PartitionAccount.SinkAccount> sinks,
            Ack range) {
        log.poison(partition + "@" + record.offset(), poison.reason(), poison.detail());
        if (action == OnPoison.SKIP) {
            for (var sink : sinks) sink.skip(poison.reason());
            return;
        }
        out.incrementAndGet();
        for (var sink : sinks) sink.letterSent();
        var letter = new DeadLetters.Letter(
                partition,
                record.offset(),
                sinks.stream().map(sink -> sink.sink).collect(Collectors.joining(",")),
                null,
                null,
                value(record),
                new Failure(poison.reason(), poison.detail(), false),
                1);
        letters.send(letter, new Told(List.copyOf(sinks), range.part()));
    }

    private static ByteBuffer value(RecordView record) {
        var length = Math.max(0, record.valueLength());
        var copy = new byte[length];
        System.arraycopy(record.valueArray(), record.valueFrom(), copy, 0, length);
        return ByteBuffer.wrap(copy).asReadOnlyBuffer();
    }

    private final class Told implements DeadLetters.Done {
        private final List<PartitionAccount.SinkAccount> sinks;
        private final Ack.Part part;

        Told(List<PartitionAccount.SinkAccount> sinks, Ack.Part part) {
            this.sinks = sinks;
            this.part = part;
        }

        @Override
        public void acknowledged() {
            out.decrementAndGet();
            for (var sink : sinks) sink.letterAcknowledged();
            part.resolve(Resolution.DONE);
        }

        @Override
        public void failed(Failure why) {}

        @Override
        public void abandoned() {
            out.decrementAndGet();
            for (var sink : sinks) sink.letterAbandoned();
            part.resolve(Resolution.FAILED);
        }
    }
}
