package dev.millrace.kafka;

import dev.millrace.kafka.AdminCalls.Failed;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;

/// What a cluster tells of its groups of consumers, by one deadline. Reads only.
///
/// Thread ownership: the thread that asks.
record GroupCalls(Admin admin, AdminCalls calls, long untilNanos) {
    private static final Set<GroupState> WITH_MEMBERS = EnumSet.of(
            GroupState.STABLE,
            GroupState.PREPARING_REBALANCE,
            GroupState.COMPLETING_REBALANCE,
            GroupState.ASSIGNING,
            GroupState.RECONCILING);

    /// Whether every group is told to this user; else those are left out that he may not see. A cluster that does not
    /// say what he may do is taken to tell all.
    boolean tellsAll() throws Failed {
        var options = new DescribeClusterOptions().includeAuthorizedOperations(true);
        var allowed = calls.ask(
                "ask what the user may do with the cluster",
                () -> admin.describeCluster(options).authorizedOperations(),
                untilNanos);
        return allowed == null || allowed.contains(AclOperation.DESCRIBE);
    }

    /// Groups that have offsets and no members, in order.
    List<String> withoutMembers() throws Failed {
        return in(EnumSet.of(GroupState.EMPTY));
    }

    private List<String> in(Set<GroupState> states) throws Failed {
        var options = ListGroupsOptions.forConsumerGroups().inGroupStates(states);
        var found = calls.ask("list groups", () -> admin.listGroups(options).all(), untilNanos);
        return found.stream().map(group -> group.groupId()).sorted().toList();
    }

    /// What each of these has committed, of those that tell.
    Map<String, Map<TopicPartition, OffsetAndMetadata>> committed(Collection<String> groups) throws Failed {
        var all = new TreeMap<String, Map<TopicPartition, OffsetAndMetadata>>();
        var together = new HashMap<String, ListConsumerGroupOffsetsSpec>();
        for (var group : groups) together.put(group, new ListConsumerGroupOffsetsSpec());
        if (together.isEmpty()) return all;
        var asked = admin.listConsumerGroupOffsets(together);
        for (var group : groups) {
            try {
                Map<TopicPartition, OffsetAndMetadata> answer = calls.ask(
                        "read the offsets of group " + group,
                        AdminCalls.firstOr(
                                asked.partitionsToOffsetAndMetadata(group),
                                () -> admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()),
                        untilNanos);
                var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
                answer.forEach((partition, offset) -> {
                    if (offset != null) offsets.put(partition, offset);
                });
                all.put(group, offsets);
            } catch (Failed failed) {
                if (AdminCalls.passing(failed)) throw failed;
            }
        }
        return all;
    }

    /// Who has members that read each topic now, of the first so many groups.
    Map<String, Set<String>> readers(int most) throws Failed {
        var readers = new TreeMap<String, Set<String>>();
        var groups = in(WITH_MEMBERS).stream().limit(most).toList();
        if (groups.isEmpty()) return readers;
        var asked = admin.describeConsumerGroups(groups).describedGroups();
        for (var first : asked.entrySet()) {
            var group = first.getKey();
            try {
                var answer = calls.ask(
                        "describe group " + group,
                        AdminCalls.firstOr(
                                first.getValue(),
                                () -> admin.describeConsumerGroups(List.of(group))
                                        .describedGroups()
                                        .get(group)),
                        untilNanos);
                for (var member : answer.members())
                    for (var partition : member.assignment().topicPartitions())
                        readers.computeIfAbsent(partition.topic(), _ -> new TreeSet<>())
                                .add(group);
            } catch (Failed failed) {
                if (AdminCalls.passing(failed)) throw failed;
            }
        }
        return readers;
    }

    /// The ids of these topics that are there; without those that the user may not see, which `hidden` gets.
    Map<String, String> ids(Collection<String> topics, Collection<String> hidden) throws Failed {
        var ids = new TreeMap<String, String>();
        if (topics.isEmpty()) return ids;
        var asked = admin.describeTopics(topics).topicNameValues();
        for (var first : asked.entrySet()) {
            var topic = first.getKey();
            try {
                var answer = calls.ask(
                        "describe topic " + topic,
                        AdminCalls.firstOr(
                                first.getValue(),
                                () -> admin.describeTopics(List.of(topic))
                                        .topicNameValues()
                                        .get(topic)),
                        untilNanos);
                ids.put(topic, answer.topicId().toString());
            } catch (Failed failed) {
                if (SourceCheckup.denied(failed)) hidden.add(topic);
                else if (!AdminCalls.unknownTopic(failed)) throw failed;
            }
        }
        return ids;
    }
}
