package dev.millrace.kafka;

import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RecordView;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.common.KafkaException;

/// Which records of some stretches a pipeline has set aside, and for which sinks, as its
/// dead-letter topic tells.
///
/// A letter is of the record at its offset whose timestamp it names: of a topic that was deleted
/// and made again, the old letters count for nothing.
///
/// Thread ownership: the thread that asks.
public final class SetAside {
    private record Of(String sink, String topic, int partition) {}

    private final Map<Of, Map<Long, Long>> timestamps = new HashMap<>();
    private int letters;

    private SetAside() {}

    /// Reads the whole topic, to its end of now. There are no letters where there is no topic.
    ///
    /// Throws a line for a person and an exit code. More than 500,000 letters of these stretches
    /// are too many.
    public static SetAside read(
            String letterTopic,
            String pipeline,
            KafkaSourceSettings settings,
            Collection<LogStretch> stretches,
            NanoClock clock)
            throws StartRefused {
        var found = new SetAside();
        var clients = new KafkaClients(settings);
        var what = "read the dead letters of " + letterTopic;
        try (var calls = new AdminCalls(clients.admin(), clock, () -> false)) {
            var until = clock.nanoTime() + settings.startupTimeoutNanos();
            var there = calls.describe(List.of(letterTopic), until).get(letterTopic);
            if (there != null) found.read(letterTopic, there.partitions(), pipeline, clients, stretches, clock);
            return found;
        } catch (AdminCalls.Stopped _) {
            throw new StartRefused(2, "stopped");
        } catch (AdminCalls.Failed failed) {
            throw SourceLog.refusal(what, failed.why());
        } catch (KafkaException failed) {
            throw SourceLog.refusal(what, failed);
        }
    }

    private void read(
            String letterTopic,
            int partitions,
            String pipeline,
            KafkaClients clients,
            Collection<LogStretch> stretches,
            NanoClock clock)
            throws StartRefused {
        var byPartition = new HashMap<String, LogStretch>();
        for (var stretch : stretches) byPartition.put(stretch.topic() + "-" + stretch.partition(), stretch);
        var consumer = clients.deadLetterConsumer();
        try {
            var whole = new DeadLetterReader(consumer, letterTopic, partitions, clock, () -> false).read(record -> {
                if (DeadLetterEntry.of(record) instanceof DeadLetterEntry.Letter letter
                        && (letter.pipeline().isEmpty() || letter.pipeline().equals(pipeline)))
                    add(letter, byPartition);
                return letters <= DeadRows.MOST_ROWS;
            });
            if (!whole)
                throw new StartRefused(
                        2,
                        letterTopic + " holds more than " + DeadRows.MOST_ROWS
                                + " letters of these offsets: ask about fewer of them");
        } finally {
            consumer.close(CloseOptions.timeout(Duration.ofMillis(500)));
        }
    }

    private void add(DeadLetterEntry.Letter letter, Map<String, LogStretch> stretches) {
        var place = letter.origin().place();
        var stretch = stretches.get(place.topic() + "-" + place.partition());
        if (stretch == null || place.offset() < stretch.from() || place.offset() >= stretch.to()) return;
        // One letter may be of several sinks.
        for (var sink : letter.sink().split(",", -1)) {
            var of = new Of(sink, place.topic(), place.partition());
            var before = timestamps
                    .computeIfAbsent(of, _ -> new HashMap<>())
                    .put(place.offset(), letter.origin().timestamp());
            if (before == null) letters++;
        }
    }

    /// Whether this record is one that the sink was spared.
    public boolean has(String sink, RecordView record) {
        var timestamp = timestamps
                .getOrDefault(new Of(sink, record.topic(), record.partition()), Map.of())
                .get(record.offset());
        // A letter whose original was gone names no time.
        return timestamp != null && (timestamp < 0 || timestamp == record.timestampMillis());
    }
}
