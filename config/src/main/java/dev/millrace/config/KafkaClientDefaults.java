package dev.millrace.config;

import dev.millrace.config.KafkaSourceConfig.GroupProtocol;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// What Millrace sets on its Kafka consumers where a file says nothing, and what it sets whatever
/// a file says.
///
/// Fetch buffers are outside the admission budget: the sizes here bound them, for each partition that is owned
/// (decision 24).
public final class KafkaClientDefaults {
    private static final String PARTITION_FETCH = "max.partition.fetch.bytes";
    private static final String ANSWER = "fetch.max.bytes";
    private static final long LEAST_PARTITION_FETCH = 1 << 20;

    private static final Map<String, String> GIVING_WAY = Map.of(
            "max.poll.records",
            "5000",
            PARTITION_FETCH,
            "4194304",
            ANSWER,
            "16777216",
            "fetch.min.bytes",
            "1",
            "receive.buffer.bytes",
            "1048576",
            "metadata.max.age.ms",
            "60000",
            // A commit that timed out may still be applied for as long: plans wait that out.
            "request.timeout.ms",
            "10000");

    private static final Map<String, String> OWNED = Map.of(
            "enable.auto.commit", "false",
            "auto.offset.reset", "none",
            "isolation.level", "read_committed",
            "allow.auto.create.topics", "false",
            "metric.reporters", "",
            "enable.metrics.push", "false");

    private KafkaClientDefaults() {}

    /// What a file's `properties` may say otherwise, sorted.
    public static SortedMap<String, String> givingWay() {
        return Collections.unmodifiableSortedMap(new TreeMap<>(GIVING_WAY));
    }

    /// Where such a setting comes from, as a person is told.
    static String origin(String name) {
        return name.equals(PARTITION_FETCH) ? "millrace default, less with many partitions" : "millrace default";
    }

    /// The `max.partition.fetch.bytes` of a consumer that may own so many partitions: what `properties` say; else the
    /// default, or less, so that all of them together are `fetch.max.bytes`, but not below 1 MiB. As much again may
    /// have been polled, and wait for room.
    public static long partitionFetchBytes(Map<String, String> properties, long partitions) {
        var said = properties.get(PARTITION_FETCH);
        if (said != null) return Long.parseLong(said.strip());
        var most = Long.parseLong(GIVING_WAY.getOrDefault(PARTITION_FETCH, ""));
        var answer = Long.parseLong(properties
                .getOrDefault(ANSWER, GIVING_WAY.getOrDefault(ANSWER, ""))
                .strip());
        return Math.clamp(answer / Math.max(1, partitions), Math.min(LEAST_PARTITION_FETCH, most), most);
    }

    /// What nobody else sets, sorted. An assignor goes with the classic protocol only; the other's
    /// is the broker's.
    public static SortedMap<String, String> owned(GroupProtocol protocol) {
        var owned = new TreeMap<>(OWNED);
        switch (protocol) {
            case CLASSIC -> {
                owned.put("group.protocol", "classic");
                owned.put(
                        "partition.assignment.strategy", "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");
            }
            case CONSUMER -> owned.put("group.protocol", "consumer");
        }
        return Collections.unmodifiableSortedMap(owned);
    }
}
