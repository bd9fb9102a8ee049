package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitNote;
import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.sinkpool.Finding;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// Looks for what a cluster holds for pipelines that run no more (OPS-14): groups without members that have offsets of
/// Millrace, and offsets of topics that are gone. Reads only, and of so many groups at most.
///
/// What stands beside an offset tells whose it is: the id of its topic, or a plan. A broker that deletes a topic takes
/// its offsets along; those that were committed or copied later are left.
///
/// Thread ownership: the thread that looks.
final class Leftovers {
    private static final String CLUSTER = "source.kafka.bootstrap_servers";
    private static final String GROUP = "source.kafka.group_id";
    private static final int MOST_GROUPS = 500;
    private static final int NAMED = 10;

    /// What a group holds of Millrace's in one topic. `ids` are the topic's, as far as they are told.
    private static final class Held {
        private final Set<String> ids = new HashSet<>();
        private int segments;
    }

    private final GroupCalls calls;
    private final KafkaSourceSettings settings;
    private final String own;
    private final Set<String> hidden = new HashSet<>();

    Leftovers(GroupCalls calls, KafkaSourceSettings settings) {
        this.calls = calls;
        this.settings = settings;
        this.own = settings.groupId();
    }

    /// That not all is seen; null where it is.
    @Nullable
    Finding untold() throws Failed {
        if (calls.tellsAll()) return null;
        return Finding.note(
                CLUSTER,
                "this user may not see every group: of those that he does not see it is not known whether they are"
                        + " left of pipelines that run no more",
                "allow DESCRIBE on the cluster, and look again");
    }

    List<Finding> look() throws Failed {
        var findings = new ArrayList<Finding>();
        var mine = held(calls.committed(List.of(own))).getOrDefault(own, new TreeMap<>());
        // One that is read and is not the same is a fault, and told as such.
        mine.keySet().removeIf(settings.topics()::includes);
        var gone = gone(mine);
        if (!gone.isEmpty())
            findings.add(Finding.note(
                    GROUP,
                    "group " + own + " holds offsets of topics that are gone, or were made again: " + named(gone),
                    "nothing has to be done; to be rid of them: kafka-consumer-groups.sh --delete-offsets --group "
                            + own + " --topic NAME"));
        var groups = calls.withoutMembers().stream()
                .filter(group -> !group.equals(own))
                .limit(MOST_GROUPS)
                .toList();
        var left = held(calls.committed(groups));
        if (!left.isEmpty()) findings.add(groups(left));
        return findings;
    }

    private static String named(Set<String> names) {
        return names.stream().limit(NAMED).collect(Collectors.joining(", "))
                + (names.size() > NAMED ? " and " + (names.size() - NAMED) + " more" : "");
    }

    /// By group and topic; without what is not Millrace's.
    private static Map<String, Map<String, Held>> held(Map<String, Map<TopicPartition, OffsetAndMetadata>> committed) {
        var all = new TreeMap<String, Map<String, Held>>();
        committed.forEach((group, offsets) -> offsets.forEach((partition, offset) -> {
            var note = CommitNote.read(offset.metadata(), offset.offset());
            if (note instanceof CommitNote.Nothing || note instanceof CommitNote.Foreign) return;
            var of = all.computeIfAbsent(group, _ -> new TreeMap<>())
                    .computeIfAbsent(partition.topic(), _ -> new Held());
            if (note instanceof CommitNote.Planned(var plan))
                of.segments += plan.segments().size();
            var id = note.topic();
            if (id != null) of.ids.add(id.text());
        }));
        return all;
    }

    /// The topics of these that are there no longer, or only under another id.
    private Set<String> gone(Map<String, Held> topics) throws Failed {
        var ids = calls.ids(topics.keySet(), hidden);
        var gone = new TreeSet<String>();
        topics.forEach((topic, held) -> {
            var is = ids.get(topic);
            if (is == null ? !hidden.contains(topic) : !held.ids.isEmpty() && !held.ids.contains(is)) gone.add(topic);
        });
        return gone;
    }

    private Finding groups(Map<String, Map<String, Held>> left) throws Failed {
        var readers = calls.readers(MOST_GROUPS);
        var lines = new ArrayList<String>();
        for (var group : left.entrySet()) {
            if (lines.size() == NAMED) break;
            lines.add(group.getKey() + " (" + topics(group.getValue(), readers) + ")");
        }
        var more = left.size() - lines.size();
        return Finding.note(
                CLUSTER,
                (left.size() == 1
                                ? "a group has no members and holds"
                                : left.size() + " groups have no members and hold")
                        + " offsets of Millrace, of pipelines that do not run now: " + String.join(", ", lines)
                        + (more > 0 ? " and " + more + " more" : ""),
                "nothing, if it is to run again; else: kafka-consumer-groups.sh --delete --group NAME. Kafka forgets a"
                        + " group by itself, offsets.retention.minutes (a week, as it comes) after its last member left");
    }

    private String topics(Map<String, Held> topics, Map<String, Set<String>> readers) throws Failed {
        var gone = gone(topics);
        var words = new ArrayList<String>();
        topics.forEach((topic, held) -> {
            if (words.size() == NAMED) return;
            var by = readers.getOrDefault(topic, Set.of());
            words.add(topic + ": "
                    + (gone.contains(topic)
                            ? "gone, or made again"
                            : by.isEmpty() ? "read by none" : "read by " + named(by))
                    + (held.segments == 0 ? "" : ", " + held.segments + " segments that may not be stored"));
        });
        return String.join("; ", words) + (topics.size() > NAMED ? "; and others" : "");
    }
}
