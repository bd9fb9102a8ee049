package dev.millrace.kafka;

import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RecordView;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/// Reads again what a source has read, as it reads it, by a consumer that is in no group and
/// commits nothing.
///
/// Life: [#stretches], then for each stretch [#begin] and [#readTo] as often as it takes.
///
/// Thread ownership: one thread.
public final class SourceLog implements AutoCloseable {
    /// What is shown of a log.
    public interface Reader {
        /// In the order of offsets. Offsets without a record are passed over.
        void record(RecordView record);

        /// Offsets `[from, to)` that the log has no more.
        void gone(long from, long to);
    }

    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration ANSWER = Duration.ofSeconds(30);
    private static final int CONFIGURATION = 2;
    private static final int UNREACHED = 5;

    private final KafkaSourceSettings settings;
    private final KafkaClients clients;
    private final NanoClock clock;

    private @Nullable Consumer<ByteBuffer, ByteBuffer> consumer;
    private TopicPartition partition = new TopicPartition("", 0);

    /// What the last poll gave, and the next of it that is not shown.
    private @Nullable KafkaRecords polled;

    private int index;

    /// The next offset to be shown.
    private long at;

    /// Connects nowhere.
    public SourceLog(KafkaSourceSettings settings, NanoClock clock) {
        this.settings = settings;
        this.clients = new KafkaClients(settings);
        this.clock = clock;
    }

    /// What was asked about, by partition. `told` hears of each partition that is left out. Throws,
    /// within `startup_timeout`, with a line for a person and an exit code: 2 for what has to be
    /// mended, 5 where nobody answers.
    public List<LogStretch> stretches(StretchesAsked asked, Collection<String> told) throws StartRefused {
        var until = clock.nanoTime() + settings.startupTimeoutNanos();
        try (var calls = new AdminCalls(clients.admin(), clock, () -> false)) {
            return new StretchBounds(settings, calls, until).of(asked, told);
        } catch (Failed failed) {
            throw refusal(failed.getMessage() + " at " + settings.bootstrapServers(), failed.why());
        } catch (AdminCalls.Stopped stopped) {
            throw new StartRefused(UNREACHED, "stopped");
        } catch (KafkaException wrong) {
            throw KafkaClients.refused(wrong);
        }
    }

    /// Goes to the beginning of a stretch.
    public void begin(LogStretch stretch) throws StartRefused {
        partition = new TopicPartition(stretch.topic(), stretch.partition());
        try {
            var reader = consumer();
            reader.assign(Set.of(partition));
            seek(reader, stretch.from());
        } catch (KafkaException failed) {
            throw refusal("read " + partition + " at " + settings.bootstrapServers(), failed);
        }
    }

    private Consumer<ByteBuffer, ByteBuffer> consumer() {
        var made = consumer;
        if (made == null) {
            var properties = clients.consumerProperties(0, 1);
            properties.remove("group.id");
            properties.remove("group.instance.id");
            // The newer protocol's settings belong to a group.
            properties.put("group.protocol", "classic");
            properties.put("client.id", settings.groupId() + "-verify");
            consumer = made = new KafkaConsumer<>(properties, new FetchedBytes(), new FetchedBytes());
        }
        return made;
    }

    private void seek(Consumer<ByteBuffer, ByteBuffer> reader, long offset) {
        reader.seek(partition, offset);
        polled = null;
        at = offset;
    }

    /// Shows what the log has from where the last call ended up to the offset `to`, or to its end
    /// of now.
    public void readTo(long to, Reader reader) throws StartRefused {
        try {
            read(consumer(), to, reader);
        } catch (KafkaException failed) {
            throw refusal("read " + partition + " at " + settings.bootstrapServers(), failed);
        }
    }

    private void read(Consumer<ByteBuffer, ByteBuffer> from, long to, Reader reader) throws StartRefused {
        var start = from.beginningOffsets(Set.of(partition), ANSWER).getOrDefault(partition, 0L);
        if (at < start) passOver(from, start, to, reader);
        var end = Math.min(to, from.endOffsets(Set.of(partition), ANSWER).getOrDefault(partition, 0L));
        var movedNanos = clock.nanoTime();
        while (at < end) {
            if (showNext(end, reader)) continue;
            var before = at;
            poll(from, to, reader);
            var now = clock.nanoTime();
            if (at > before || polled != null) movedNanos = now;
            else if (NanoClock.reached(NanoClock.due(movedNanos, ANSWER.toNanos()), now))
                throw new StartRefused(
                        UNREACHED, "nothing came from " + partition + "@" + at + " for " + ANSWER.toSeconds() + " s");
        }
        // Behind the end there is nothing, whatever comes later.
        at = Math.max(at, to);
    }

    /// Returns whether there was something left of what was polled.
    private boolean showNext(long end, Reader reader) {
        var records = polled;
        if (records == null) return false;
        if (index == records.size()) {
            polled = null;
            return false;
        }
        var offset = records.offset(index);
        if (offset >= end) {
            at = end;
            return true;
        }
        if (offset >= at) {
            reader.record(records.at(index));
            at = offset + 1;
        }
        index++;
        return true;
    }

    private void poll(Consumer<ByteBuffer, ByteBuffer> from, long to, Reader reader) throws StartRefused {
        try {
            var records = from.poll(POLL).records(partition);
            index = 0;
            polled = records.isEmpty() ? null : new KafkaRecords(records);
            // A position passes over what holds no record: markers, aborted records, what compaction took.
            if (records.isEmpty()) at = Math.max(at, from.position(partition, ANSWER));
        } catch (OffsetOutOfRangeException gone) {
            var start = from.beginningOffsets(Set.of(partition), ANSWER).getOrDefault(partition, 0L);
            if (start <= at)
                throw new StartRefused(UNREACHED, partition + ": its log was truncated below " + at + " meanwhile");
            passOver(from, start, to, reader);
        }
    }

    private void passOver(Consumer<ByteBuffer, ByteBuffer> from, long start, long to, Reader reader) {
        var first = at;
        seek(from, start);
        at = Math.min(start, to);
        if (first < at) reader.gone(first, at);
    }

    static StartRefused refusal(String what, Throwable why) {
        var line = "could not " + what + ": " + why.getMessage();
        if (why instanceof AuthenticationException) return new StartRefused(CONFIGURATION, line);
        if (why instanceof AuthorizationException)
            return new StartRefused(CONFIGURATION, line + "; allow READ and DESCRIBE on it");
        if (why instanceof UnsupportedVersionException) return new StartRefused(CONFIGURATION, line);
        return new StartRefused(UNREACHED, line);
    }

    @Override
    public void close() {
        var made = consumer;
        if (made != null) made.close(CloseOptions.timeout(Duration.ofMillis(500)));
    }
}
