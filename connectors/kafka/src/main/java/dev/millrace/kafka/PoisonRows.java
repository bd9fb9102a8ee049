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
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/// What one partition in one epoch does with rows that cannot be decoded or encoded: they are poison at once (POI-7).
///
/// A partition with `mostLetters` letters on their way, or [#MOST_OUT_BYTES] of them, takes nothing more until some are
/// acknowledged; so does each with any on its way while those of its member are [#MOST_OUT_BYTES_OF_MEMBER]. One
/// without any goes on, so that letters that are never taken hold up their own partition alone.
///
/// Thread ownership: the source thread; dead letters are acknowledged from any.
final class PoisonRows {
    static final long MOST_OUT_BYTES = 4L << 20;
    static final long MOST_OUT_BYTES_OF_MEMBER = 64L << 20;

    /// What a letter takes besides its value.
    private static final long LETTER_BYTES = 512;

    /// What the partitions of one group member share.
    static final class Shared {
        private final OnPoison action;
        private final int mostOut;
        private final DeadLetters letters;
        private final PoisonLog log = new PoisonLog();
        private final AtomicLong outBytes = new AtomicLong();

        Shared(KafkaSourceSettings.Values values, DeadLetters letters) {
            this.action = values.onPoison();
            this.mostOut = values.mostLetters();
            this.letters = letters;
        }

        PoisonLog log() {
            return log;
        }
    }

    private final SourcePartition partition;
    private final Shared shared;
    private final AtomicInteger out = new AtomicInteger();
    private final AtomicLong outBytes = new AtomicLong();

    PoisonRows(SourcePartition partition, Shared shared) {
        this.partition = partition;
        this.shared = shared;
    }

    boolean stops() {
        return shared.action == OnPoison.STOP;
    }

    /// Too many dead letters wait: nothing more is encoded until some are acknowledged.
    boolean full() {
        var mine = out.get();
        return mine > 0
                && (mine >= shared.mostOut
                        || outBytes.get() >= MOST_OUT_BYTES
                        || shared.outBytes.get() >= MOST_OUT_BYTES_OF_MEMBER);
    }

    /// Sets a record aside for these sinks.
    void setAside(RecordView record, Poison poison, List<PartitionAccount.SinkAccount> sinks, Ack range) {
        shared.log.poison(partition + "@" + record.offset(), poison.reason(), poison.detail());
        if (shared.action == OnPoison.SKIP) {
            for (var sink : sinks) sink.skip(poison.reason());
            return;
        }
        for (var sink : sinks) sink.letterSent();
        var value = value(record);
        var letter = new DeadLetters.Letter(
                partition,
                record.offset(),
                sinks.stream().map(sink -> sink.sink).collect(Collectors.joining(",")),
                null,
                null,
                value,
                new Failure(poison.reason(), poison.detail(), false),
                1);
        shared.letters.send(letter, new Told(List.copyOf(sinks), range.part(), value.remaining() + LETTER_BYTES));
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
        private final long bytes;

        Told(List<PartitionAccount.SinkAccount> sinks, Ack.Part part, long bytes) {
            this.sinks = sinks;
            this.part = part;
            this.bytes = bytes;
            out.incrementAndGet();
            outBytes.addAndGet(bytes);
            shared.outBytes.addAndGet(bytes);
        }

        private void ended() {
            out.decrementAndGet();
            outBytes.addAndGet(-bytes);
            shared.outBytes.addAndGet(-bytes);
        }

        @Override
        public void acknowledged() {
            ended();
            for (var sink : sinks) sink.letterAcknowledged();
            part.resolve(Resolution.DONE);
        }

        // It is told by who sends it.
        @Override
        public void failed(Failure why) {}

        @Override
        public void abandoned() {
            ended();
            for (var sink : sinks) sink.letterAbandoned();
            part.resolve(Resolution.FAILED);
        }
    }
}
