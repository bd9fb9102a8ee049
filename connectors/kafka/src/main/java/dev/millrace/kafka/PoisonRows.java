package dev.millrace.kafka;

import dev.millrace.checkpoint.Ack;
import dev.millrace.checkpoint.Resolution;
import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.KafkaSourceSettings.OnPoison;
import dev.millrace.sinkpool.DeadLetters;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.PoisonLog;
import dev.millrace.sinkpool.PoisonShare;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder.Encoded.Poison;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What one partition in one epoch does with rows that cannot be decoded or encoded: they are poison at once (POI-7).
///
/// A partition with `mostLetters` letters on their way, or [#MOST_OUT_BYTES] of them, takes nothing more until some are
/// acknowledged; so does each with any on its way while those of its member are [#MOST_OUT_BYTES_OF_MEMBER]. One
/// without any goes on, so that letters that are never taken hold up their own partition alone.
///
/// A partition of whose rows too many are poison takes nothing more either, until their share falls or somebody
/// changes the table, the settings or the records: so a schema that changed costs 100 rows, and not the backlog
/// (POI-13).
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
        private final double maxRate;
        /// A rebalance forgets nothing.
        private final Map<SourcePartition, PoisonShare> shares = new HashMap<>();
        private long nowNanos;

        Shared(KafkaSourceSettings.Values values, DeadLetters letters) {
            this.action = values.onPoison();
            this.maxRate = values.maxRate();
            this.mostOut = values.mostLetters();
            this.letters = letters;
        }

        PoisonLog log() {
            return log;
        }

        /// What its lines are called, as the shards call theirs.
        String event() {
            return action == OnPoison.SKIP ? "row_skipped" : "row_poison";
        }

        /// Its tables are others now: what of it was poison says nothing of what comes.
        void forget(SourcePartition partition) {
            shares.remove(partition);
        }

        void now(long nanos) {
            nowNanos = nanos;
            log.now(nanos);
        }
    }

    private final SourcePartition partition;
    private final Shared shared;
    private final AtomicInteger out = new AtomicInteger();
    private final AtomicLong outBytes = new AtomicLong();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile @Nullable String lastRefusal;

    private final PoisonShare share;
    private int rows;
    private int poisonRows;
    private boolean thisOne;
    /// Until it is looked at: what an earlier epoch saw counts.
    private boolean drifting = true;

    PoisonRows(SourcePartition partition, Shared shared) {
        this.partition = partition;
        this.shared = shared;
        this.share = shared.shares.computeIfAbsent(partition, _ -> new PoisonShare(shared.maxRate));
    }

    /// A record was decided: it became rows of its sinks, or was left out, or set aside.
    void decided() {
        rows++;
        if (thisOne) poisonRows++;
        thisOne = false;
    }

    /// Remembers when it was.
    void tally() {
        if (rows > 0) share.decided(rows, poisonRows, shared.nowNanos);
        rows = 0;
        poisonRows = 0;
    }

    /// Too much of it is poison: nothing more is encoded for now.
    boolean drifts() {
        if (poisonRows == 0 && !drifting) return false;
        tally();
        drifting = share.tooMany(0, shared.nowNanos);
        return drifting;
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

    /// Which of its letters is not taken for now and why, the last that was told; null while all are taken.
    @Nullable
    String notTaken() {
        return refused.get() == 0 ? null : lastRefusal;
    }

    /// Sets a record aside for these sinks.
    void setAside(RecordView record, Poison poison, List<PartitionAccount.SinkAccount> sinks, Ack range) {
        var skips = shared.action == OnPoison.SKIP;
        var end = skips ? ", skipped" : ", set aside";
        shared.log.poison(partition + "@" + record.offset(), poison.reason(), poison.detail() + end);
        for (var sink : sinks) sink.poison(poison.reason());
        // Where the file sets tombstones aside, many are no sign of anything.
        thisOne = !poison.reason().equals(RawFormat.TOMBSTONE);
        if (skips) {
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
        shared.letters.send(letter, new Told(letter, List.copyOf(sinks), range.part()));
    }

    private static ByteBuffer value(RecordView record) {
        var length = Math.max(0, record.valueLength());
        var copy = new byte[length];
        System.arraycopy(record.valueArray(), record.valueFrom(), copy, 0, length);
        return ByteBuffer.wrap(copy).asReadOnlyBuffer();
    }

    /// Of one letter, so nothing of it is told twice at once.
    private final class Told implements DeadLetters.Done {
        private final long offset;
        private final List<PartitionAccount.SinkAccount> sinks;
        private final Ack.Part part;
        private final long bytes;
        private boolean failed;

        Told(DeadLetters.Letter letter, List<PartitionAccount.SinkAccount> sinks, Ack.Part part) {
            this.offset = letter.offset();
            this.sinks = sinks;
            this.part = part;
            this.bytes = letter.encoded().remaining() + LETTER_BYTES;
            out.incrementAndGet();
            outBytes.addAndGet(bytes);
            shared.outBytes.addAndGet(bytes);
        }

        private void ended() {
            if (failed) refused.decrementAndGet();
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

        // The log hears of it from who sends it.
        @Override
        public void failed(Failure why) {
            lastRefusal = "the dead letter of offset " + offset + ": " + why;
            if (!failed) refused.incrementAndGet();
            failed = true;
        }

        @Override
        public void abandoned() {
            ended();
            for (var sink : sinks) sink.letterAbandoned();
            part.resolve(Resolution.FAILED);
        }
    }
}
