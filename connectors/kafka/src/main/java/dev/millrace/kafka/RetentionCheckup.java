package dev.millrace.kafka;

import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.kafka.OffsetsCheckup.Stand;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.NanoClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/// Looks how long what a group has not read will be kept: the age of the first unread record, and the
/// bytes behind it, against the topic's retention.
///
/// The first unread record of each partition is read, by a consumer that is in no group. Retention takes
/// a segment when its youngest record is too old, so what is told is the earliest it may happen.
///
/// Thread ownership: the thread that looks.
final class RetentionCheckup {
    private static final Duration TURN = Duration.ofMillis(100);
    private static final int MOST_PARTITIONS = 256;

    private record Left(Stand stand, Duration age, Duration left) {}

    private final KafkaClients clients;
    private final NanoClock clock;
    private final InstantSource wallClock;
    private final List<Finding> findings;

    RetentionCheckup(KafkaClients clients, NanoClock clock, InstantSource wallClock, List<Finding> findings) {
        this.clients = clients;
        this.clock = clock;
        this.wallClock = wallClock;
        this.findings = findings;
    }

    void look(
            Cluster cluster,
            Map<TopicPartition, Stand> stands,
            Map<String, Map<String, String>> configs,
            long deadlineNanos)
            throws Failed {
        var byTime = new HashMap<TopicPartition, Stand>();
        var bySize = new HashMap<TopicPartition, Stand>();
        stands.forEach((partition, stand) -> {
            var config = configs.getOrDefault(partition.topic(), Map.of());
            if (stand.unread() == 0
                    || !Objects.requireNonNullElse(config.get("cleanup.policy"), "")
                            .contains("delete")) return;
            if (SourceCheckup.number(config.get("retention.ms")) >= 0 && byTime.size() < MOST_PARTITIONS)
                byTime.put(partition, stand);
            if (SourceCheckup.number(config.get("retention.bytes")) >= 0) bySize.put(partition, stand);
        });
        if (!byTime.isEmpty()) byTime(byTime, configs, deadlineNanos);
        if (!bySize.isEmpty()) bySize(cluster, bySize, configs);
    }

    private void byTime(
            Map<TopicPartition, Stand> stands, Map<String, Map<String, String>> configs, long deadlineNanos) {
        var timestamps = firstTimestamps(stands, deadlineNanos);
        var now = wallClock.millis();
        var shortest = new TreeMap<String, Left>();
        timestamps.forEach((partition, timestamp) -> {
            var stand = stands.get(partition);
            if (timestamp < 0 || stand == null) return;
            var retention = SourceCheckup.number(
                    configs.getOrDefault(partition.topic(), Map.of()).get("retention.ms"));
            var age = Math.max(0, now - timestamp);
            if (age < retention / 2) return;
            var left = new Left(stand, Duration.ofMillis(age), Duration.ofMillis(retention - age));
            shortest.merge(partition.topic(), left, (a, b) -> a.left().compareTo(b.left()) <= 0 ? a : b);
        });
        shortest.values().forEach(this::told);
    }

    private void told(Left left) {
        var stand = left.stand();
        var over = left.left().isNegative() || left.left().isZero();
        findings.add(Finding.hazard(
                OffsetsCheckup.place(stand.partition()),
                "its first unread record is " + rough(left.age()) + " old, and "
                        + (over
                                ? "older than the topic's retention: it may be deleted at any moment"
                                : "retention may take it in " + rough(left.left()))
                        + "; " + stand.unread() + " offsets are unread",
                "raise retention.ms of topic " + stand.partition().topic() + " until the pipeline has caught up"));
    }

    /// Of those that have a record and could be read in half of the time that is left.
    private Map<TopicPartition, Long> firstTimestamps(Map<TopicPartition, Stand> stands, long deadlineNanos) {
        var timestamps = new HashMap<TopicPartition, Long>();
        var pending = new HashMap<>(stands);
        var now = clock.nanoTime();
        var untilNanos = now + (deadlineNanos - now) / 2;
        var consumer = clients.originals();
        try {
            consumer.assign(stands.keySet());
            stands.forEach((partition, stand) -> consumer.seek(partition, Math.max(stand.position(), stand.start())));
            while (!pending.isEmpty() && !NanoClock.reached(untilNanos, clock.nanoTime())) {
                var records = consumer.poll(TURN);
                for (var partition : records.partitions())
                    timestamps.putIfAbsent(
                            partition, records.records(partition).getFirst().timestamp());
                // Behind the end of a log there may be markers, and no record.
                pending.entrySet()
                        .removeIf(entry -> timestamps.containsKey(entry.getKey())
                                || consumer.position(entry.getKey())
                                        >= entry.getValue().end());
                consumer.pause(timestamps.keySet());
            }
            if (!pending.isEmpty())
                findings.add(Finding.note(
                        SourceCheckup.TOPICS,
                        "how old the first unread record of " + pending.size()
                                + " partitions is could not be read in time",
                        "give it longer with --timeout"));
        } catch (KafkaException untold) {
            findings.add(Finding.note(
                    SourceCheckup.TOPICS,
                    "how old the first unread records are could not be read: " + untold.getMessage(),
                    "allow READ on the topics, and look again"));
        } finally {
            consumer.close(CloseOptions.timeout(Duration.ofMillis(200)));
        }
        return timestamps;
    }

    /// From the share of the log's offsets that are unread: about right where records are of about
    /// one size.
    private void bySize(Cluster cluster, Map<TopicPartition, Stand> stands, Map<String, Map<String, String>> configs)
            throws Failed {
        Map<TopicPartition, Long> bytes;
        try {
            bytes = cluster.bytes(stands.keySet());
        } catch (Failed failed) {
            if (!SourceCheckup.denied(failed)) throw failed;
            findings.add(Finding.note(
                    SourceCheckup.TOPICS,
                    "how large the logs are is not told to this user, and retention.bytes bounds them",
                    "allow DESCRIBE on the cluster, and look again"));
            return;
        }
        stands.values().stream()
                .sorted(Comparator.comparing(stand -> stand.partition().toString()))
                .forEach(stand -> {
                    var most = SourceCheckup.number(
                            configs.getOrDefault(stand.partition().topic(), Map.of())
                                    .get("retention.bytes"));
                    var size = bytes.getOrDefault(stand.partition(), 0L);
                    var offsets = Math.max(1, stand.end() - stand.start());
                    var unread = (long) ((double) size * stand.unread() / offsets);
                    if (unread < most / 2) return;
                    findings.add(Finding.hazard(
                            OffsetsCheckup.place(stand.partition()),
                            "about " + unread + " bytes of it are unread, and retention.bytes is " + most,
                            "raise retention.bytes of topic "
                                    + stand.partition().topic() + " until the pipeline has caught up"));
                });
    }

    private static String rough(Duration length) {
        if (length.toDays() >= 2) return length.toDays() + " days";
        if (length.toHours() >= 2) return length.toHours() + " hours";
        if (length.toMinutes() >= 2) return length.toMinutes() + " minutes";
        return length.toSeconds() + " seconds";
    }
}
