package dev.millrace.config;

import dev.millrace.config.KafkaSourceConfig.GroupProtocol;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// What Millrace sets on its Kafka consumers where a file says nothing, and what it sets whatever
/// a file says.
///
/// Fetch buffers are outside the admission budget: the sizes here bound them, for each partition that is owned.
public final class KafkaClientDefaults {
    private static final Map<String, String> GIVING_WAY = Map.of(
            "max.poll.records", "5000",
            "max.partition.fetch.bytes", "4194304",
            "fetch.max.bytes", "16777216",
            "fetch.min.bytes", "1",
            "receive.buffer.bytes", "1048576",
            "metadata.max.age.ms", "60000",
            // A commit that timed out may still be applied for as long: plans wait that out.
            "request.timeout.ms", "10000");

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
