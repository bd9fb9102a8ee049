package dev.millrace.kafka;

import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.sinkpool.NanoClock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.jspecify.annotations.Nullable;

/// The cluster as one who looks at it asks: everything by one deadline, and nothing that changes anything.
///
/// Thread ownership: the thread that looks.
final class Cluster implements AutoCloseable {
    private final Admin admin;
    private final AdminCalls calls;
    private final long untilNanos;

    Cluster(Admin admin, NanoClock clock, long untilNanos) {
        this.admin = admin;
        this.calls = new AdminCalls(admin, clock, () -> false);
        this.untilNanos = untilNanos;
    }

    Collection<Node> brokers() throws Failed {
        var asked = new DescribeClusterOptions();
        return calls.ask(
                "describe the cluster", () -> admin.describeCluster(asked).nodes(), untilNanos);
    }

    /// Its id, which the plans of its offsets name by a hash.
    String id() throws Failed {
        return calls.clusterId(untilNanos);
    }

    /// Whether groups of KIP-848's protocol are served.
    boolean servesConsumerProtocol() throws Failed {
        var features = calls.ask(
                "read the cluster's features", () -> admin.describeFeatures().featureMetadata(), untilNanos);
        var version = features.finalizedFeatures().get("group.version");
        return version != null && version.maxVersionLevel() >= 1;
    }

    Collection<String> names() throws Failed {
        return calls.names(untilNanos);
    }

    /// Those of these that are there, with what the user may do with them. `hidden` is told of each that
    /// the user may not see.
    Map<String, TopicDescription> topics(Collection<String> names, Consumer<String> hidden) throws Failed {
        var options = new DescribeTopicsOptions().includeAuthorizedOperations(true);
        var found = new TreeMap<String, TopicDescription>();
        var asked = admin.describeTopics(names, options).topicNameValues();
        for (var entry : asked.entrySet()) {
            try {
                found.put(
                        entry.getKey(),
                        calls.ask(
                                "describe topic " + entry.getKey(),
                                AdminCalls.firstOr(
                                        entry.getValue(),
                                        () -> admin.describeTopics(List.of(entry.getKey()), options)
                                                .topicNameValues()
                                                .get(entry.getKey())),
                                untilNanos));
            } catch (Failed failed) {
                if (SourceCheckup.denied(failed)) hidden.accept(entry.getKey());
                else if (!AdminCalls.unknownTopic(failed)) throw failed;
            }
        }
        return found;
    }

    Map<String, String> settingsOfTopic(String topic) throws Failed {
        return calls.settings(topic, untilNanos);
    }

    Map<String, String> settingsOfBroker(Node broker) throws Failed {
        var resource = new ConfigResource(ConfigResource.Type.BROKER, broker.idString());
        var answer = calls.ask(
                "read the settings of broker " + broker.idString(),
                () -> admin.describeConfigs(List.of(resource)).all(),
                untilNanos);
        var settings = new TreeMap<String, String>();
        for (var config : answer.values())
            for (var entry : config.entries()) if (entry.value() != null) settings.put(entry.name(), entry.value());
        return settings;
    }

    /// Null where there is no such group.
    @Nullable
    ConsumerGroupDescription group(String group) throws Failed {
        var options = new DescribeConsumerGroupsOptions().includeAuthorizedOperations(true);
        try {
            var answer = calls.ask(
                    "describe group " + group,
                    () -> admin.describeConsumerGroups(List.of(group), options).all(),
                    untilNanos);
            return answer.get(group);
        } catch (Failed failed) {
            if (failed.why() instanceof GroupIdNotFoundException) return null;
            throw failed;
        }
    }

    GroupCalls groups() {
        return new GroupCalls(admin, calls, untilNanos);
    }

    Map<TopicPartition, OffsetAndMetadata> committed(String group) throws Failed {
        return calls.committed(group, untilNanos);
    }

    Map<TopicPartition, Long> starts(Collection<TopicPartition> partitions) throws Failed {
        return calls.offsets(partitions, OffsetSpec.earliest(), untilNanos);
    }

    /// Of logs that answer; what is not committed yet is in them, too.
    Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions) {
        return calls.ends(partitions, IsolationLevel.READ_UNCOMMITTED, untilNanos);
    }

    /// How many bytes each of these logs takes, of those that are told.
    Map<TopicPartition, Long> bytes(Set<TopicPartition> partitions) throws Failed {
        var ids = new ArrayList<Integer>();
        for (var broker : brokers()) ids.add(broker.id());
        var answer = calls.ask(
                "read the sizes of logs", () -> admin.describeLogDirs(ids).allDescriptions(), untilNanos);
        var bytes = new HashMap<TopicPartition, Long>();
        for (var broker : answer.values())
            for (var directory : broker.values())
                directory.replicaInfos().forEach((partition, replica) -> {
                    if (partitions.contains(partition)) bytes.merge(partition, replica.size(), Math::max);
                });
        return bytes;
    }

    /// Whether a topic of this name would be made, which is asked without making it. Throws why not.
    void wouldCreate(String topic, Map<String, String> settings) throws Failed {
        var asked = new NewTopic(topic, Optional.empty(), Optional.empty()).configs(settings);
        var options = new CreateTopicsOptions().validateOnly(true);
        calls.ask(
                "create topic " + topic,
                () -> admin.createTopics(List.of(asked), options).all(),
                untilNanos);
    }

    @Override
    public void close() {
        calls.close();
    }
}
