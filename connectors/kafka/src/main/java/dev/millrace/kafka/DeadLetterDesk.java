package dev.millrace.kafka;

import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.sinkpool.NanoClock;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.jspecify.annotations.Nullable;

/// Where a person works on the dead letters of one pipeline: lists them, looks at one, sends them again. The pipeline
/// may run meanwhile; what comes into the topic after the start is not seen.
///
/// Thread ownership: one thread; `stopped` may become true on any.
public final class DeadLetterDesk {
    /// Hears how many of how many rows are done.
    @FunctionalInterface
    public interface Progress {
        void done(long rows, long of);
    }

    private static final String RETENTION = "retention.ms";
    private static final String OLDEST = "message.timestamp.before.max.ms";
    private static final long CLOSE_MILLIS = 2_000;

    private final String topic;
    private final KafkaClients clients;
    private final NanoClock clock;
    private final BooleanSupplier stopped;

    /// Connects nowhere.
    public DeadLetterDesk(String topic, KafkaSourceSettings settings, NanoClock clock, BooleanSupplier stopped) {
        this.topic = topic;
        this.clients = new KafkaClients(settings);
        this.clock = clock;
        this.stopped = stopped;
    }

    /// The dead-letter topic.
    public String topic() {
        return topic;
    }

    /// All there is. Throws a line for a person and an exit code.
    public DeadRows read() throws StartRefused {
        try (var reader = reader()) {
            return read(reader);
        } catch (KafkaException failed) {
            throw refusal("read " + topic, failed);
        }
    }

    private DeadRows read(DeadLetterReader reader) throws StartRefused {
        var rows = new DeadRows(DeadRows.MOST_ROWS);
        if (reader.read(record -> rows.add(DeadLetterEntry.of(record)))) return rows;
        if (stopped.getAsBoolean()) throw new StartRefused(2, "stopped while reading " + topic);
        throw new StartRefused(
                2, topic + " holds more than " + DeadRows.MOST_ROWS + " rows, too many to be worked on one by one");
    }

    /// The records that stand at this place, or are letters of the record that stands there: the newest for each sink.
    public List<ConsumerRecord<byte[], byte[]>> find(RecordPlace place) throws StartRefused {
        var found = new HashMap<String, ConsumerRecord<byte[], byte[]>>();
        try (var reader = reader()) {
            reader.read(record -> {
                var entry = DeadLetterEntry.of(record);
                if (entry.at().equals(place)) found.put("", record);
                else if (entry instanceof DeadLetterEntry.Letter letter
                        && letter.origin().place().equals(place)) found.put(letter.sink(), record);
                return true;
            });
        } catch (KafkaException failed) {
            throw refusal("read " + topic, failed);
        }
        return found.values().stream()
                .sorted(Comparator.<ConsumerRecord<byte[], byte[]>>comparingInt(ConsumerRecord::partition)
                        .thenComparingLong(ConsumerRecord::offset))
                .toList();
    }

    /// Sends what is meant to where it came from. `progress` hears after each round.
    public ReplayReport replay(ReplaySettings settings, Progress progress) throws StartRefused {
        try (var reader = reader()) {
            var rows = read(reader);
            var meant = rows.where(settings.where());
            var plan = new ReplayPlan(settings, meant, rows.foreignCount(), targets(settings, meant));
            if (settings.dryRun())
                return new DeadLetterReplay(settings, plan, null, clock, stopped).run(reader, progress);
            var producer = clients.deadLetterProducer();
            try {
                return new DeadLetterReplay(settings, plan, producer, clock, stopped).run(reader, progress);
            } finally {
                producer.close(Duration.ofMillis(CLOSE_MILLIS));
            }
        } catch (KafkaException failed) {
            throw refusal("read " + topic, failed);
        }
    }

    private DeadLetterReader reader() throws StartRefused {
        var until = clock.nanoTime() + clients.startupTimeoutNanos();
        try (var calls = new AdminCalls(clients.admin(), clock, stopped)) {
            var there = calls.describe(List.of(topic), until).get(topic);
            if (there == null)
                throw new StartRefused(
                        2,
                        "no topic " + topic + ": a pipeline makes it when it starts with poison.action: dead_letter; "
                                + "poison.topic names another");
            return open(there.partitions());
        } catch (AdminCalls.Stopped _) {
            throw new StartRefused(2, "stopped");
        } catch (Failed failed) {
            throw refusal(failed.getMessage(), failed.why());
        }
    }

    private DeadLetterReader open(int partitions) {
        var consumer = clients.deadLetterConsumer();
        try {
            return new DeadLetterReader(consumer, topic, partitions, clock, stopped);
        } catch (KafkaException failed) {
            consumer.close(CloseOptions.timeout(Duration.ofMillis(CLOSE_MILLIS)));
            throw failed;
        }
    }

    /// The topics of these rows that are there and may be sent to.
    private Map<String, ReplayTarget> targets(ReplaySettings settings, List<DeadRow> rows) throws StartRefused {
        var names = new TreeSet<String>();
        for (var row : rows)
            if (settings.reads().test(row.origin().topic()))
                names.add(row.origin().topic());
        if (names.isEmpty()) return Map.of();
        var until = clock.nanoTime() + clients.startupTimeoutNanos();
        var admin = clients.admin();
        try (var calls = new AdminCalls(admin, clock, stopped)) {
            var targets = new HashMap<String, ReplayTarget>();
            for (var there : calls.describe(names, until).entrySet()) {
                var oldest = oldestMillis(there.getKey(), admin, calls, until);
                targets.put(there.getKey(), new ReplayTarget(there.getValue().partitions(), oldest));
            }
            return targets;
        } catch (AdminCalls.Stopped _) {
            throw new StartRefused(2, "stopped");
        } catch (Failed failed) {
            throw refusal(failed.getMessage(), failed.why());
        }
    }

    /// How old a record may be that is sent to a topic: half of its retention, so that there is time to read it, and no
    /// more than it takes. 0, which is the time of now for every record, where the cluster does not tell.
    private static long oldestMillis(String topic, Admin admin, AdminCalls calls, long untilNanos) throws Failed {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try {
            Map<ConfigResource, Config> answer = calls.ask(
                    "read the settings of topic " + topic,
                    () -> admin.describeConfigs(List.of(resource)).all(),
                    untilNanos);
            var oldest = Long.MAX_VALUE;
            for (var config : answer.values()) {
                oldest = Math.min(oldest, millis(config, RETENTION) / 2);
                oldest = Math.min(oldest, millis(config, OLDEST));
            }
            return oldest;
        } catch (Failed failed) {
            if (failed.why() instanceof AuthorizationException) return 0;
            throw failed;
        }
    }

    private static long millis(Config config, String name) {
        var entry = config.get(name);
        if (entry == null || entry.value() == null) return Long.MAX_VALUE;
        var millis = Long.parseLong(entry.value());
        return millis < 0 ? Long.MAX_VALUE : millis;
    }

    private static StartRefused refusal(@Nullable String what, Throwable why) {
        var remedy = why instanceof AuthorizationException
                ? "; the user needs Read and Write on the dead-letter topic, and Write on the topics rows go back to"
                : "";
        return new StartRefused(
                2, "could not " + what + ": " + why.getClass().getSimpleName() + ": " + why.getMessage() + remedy);
    }
}
