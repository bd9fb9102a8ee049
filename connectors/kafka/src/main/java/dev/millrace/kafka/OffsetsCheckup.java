package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitEntry;
import dev.millrace.checkpoint.CommitNote;
import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.kafka.KafkaSourceSettings.OnLostOffset;
import dev.millrace.kafka.KafkaSourceSettings.OnNoOffset;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.NanoClock;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/// Looks at what a group has committed: whether its logs still have it, the topics are still the same, and what the
/// start would make of the plans; and how long what is unread will be kept.
///
/// Thread ownership: the thread that looks.
final class OffsetsCheckup {
    private static final String GROUP = "source.kafka.group_id";

    /// Where a group stands in one partition.
    record Stand(TopicPartition partition, long position, long start, long end) {
        long unread() {
            return Math.max(0, end - Math.max(position, start));
        }
    }

    private final KafkaSourceSettings settings;
    private final KafkaClients clients;
    private final boolean inUse;
    private final NanoClock clock;
    private final InstantSource wallClock;
    private final List<Finding> findings;

    /// `inUse`: somebody is in the group now.
    OffsetsCheckup(
            KafkaSourceSettings settings,
            KafkaClients clients,
            boolean inUse,
            NanoClock clock,
            InstantSource wallClock,
            List<Finding> findings) {
        this.settings = settings;
        this.clients = clients;
        this.inUse = inUse;
        this.clock = clock;
        this.wallClock = wallClock;
        this.findings = findings;
    }

    void look(
            Cluster cluster,
            Map<String, TopicDescription> topics,
            Map<String, Map<String, String>> configs,
            long deadlineNanos)
            throws Failed {
        var partitions = new TreeMap<String, TopicPartition>();
        topics.forEach((name, topic) -> topic.partitions().forEach(partition -> {
            if (partition.leader() != null)
                partitions.put(
                        name + "-%08d".formatted(partition.partition()),
                        new TopicPartition(name, partition.partition()));
        }));
        if (partitions.isEmpty()) return;
        Map<TopicPartition, OffsetAndMetadata> committed;
        Map<TopicPartition, Long> starts;
        Map<TopicPartition, Long> ends;
        try {
            committed = cluster.committed(settings.groupId());
            starts = cluster.starts(partitions.values());
            ends = cluster.ends(partitions.values());
        } catch (Failed failed) {
            if (!SourceCheckup.denied(failed)) throw failed;
            findings.add(Finding.fault(
                    GROUP, "the user may not " + failed.getMessage(), "allow READ and DESCRIBE on group and topics"));
            return;
        }
        var stands = new HashMap<TopicPartition, Stand>();
        for (var partition : partitions.values()) {
            var offset = committed.get(partition);
            var start = starts.get(partition);
            var end = ends.get(partition);
            if (offset != null && start != null && end != null) {
                if (identity(partition, offset, topics)) plan(partition, offset, end);
                stands.put(partition, new Stand(partition, offset.offset(), start, end));
            }
        }
        if (stands.isEmpty()) {
            newGroup(topics);
            return;
        }
        stands.values().forEach(this::bounds);
        new RetentionCheckup(clients, clock, wallClock, findings).look(cluster, stands, configs, deadlineNanos);
    }

    private void newGroup(Map<String, TopicDescription> topics) {
        if (settings.onNoOffset() == OnNoOffset.FAIL)
            findings.add(Finding.fault(
                    GROUP,
                    "group " + settings.groupId() + " has no offset for " + topics.keySet(),
                    "set on_no_offset to earliest or to latest; if it had some, see after them first"));
        else
            findings.add(Finding.note(
                    GROUP,
                    "group " + settings.groupId() + " has no offset for these topics: it starts at "
                            + settings.onNoOffset().name().toLowerCase(Locale.ROOT),
                    ""));
    }

    /// Whether it is of the topic that is there, as far as is known.
    private boolean identity(
            TopicPartition partition, OffsetAndMetadata committed, Map<String, TopicDescription> topics) {
        var topic = topics.get(partition.topic());
        var was = CommitNote.read(committed.metadata(), committed.offset()).topic();
        if (topic == null || was == null) return true;
        var is = topic.topicId().toString();
        if (was.text().equals(is)) return true;
        findings.add(Finding.fault(
                place(partition),
                "the group's offset is of a topic of this name that was deleted: " + was.text() + ", and now it is "
                        + is,
                "reset the group's offsets for it, or use another group"));
        return false;
    }

    /// What the start would say of it.
    private void plan(TopicPartition partition, OffsetAndMetadata committed, long end) {
        var entry = new CommitEntry(committed.offset(), committed.leaderEpoch().orElse(-1), committed.metadata());
        var found = PlanFound.of(settings, entry, end);
        var halt = found.halt();
        var said = found.said();
        if (halt != null) halt(partition, halt);
        else if (said != null) findings.add(of(place(partition), said, found.perhapsTwice() > 0));
    }

    private void halt(TopicPartition partition, PlanFound.Halt halt) {
        findings.add(
                inUse
                        ? Finding.hazard(
                                place(partition),
                                halt.what() + "; until those who are in the group now have drained, the start halts on"
                                        + " it with exit code 5",
                                "let them drain, as a reload does it; or " + halt.remedy())
                        : Finding.fault(
                                place(partition),
                                halt.what() + "; the start halts on it with exit code 5",
                                halt.remedy()));
    }

    private static Finding of(String place, PlanFound.Said said, boolean perhapsTwice) {
        return perhapsTwice ? Finding.hazard(place, said.text(), "") : Finding.note(place, said.text(), "");
    }

    private void bounds(Stand stand) {
        var at = place(stand.partition());
        if (stand.position() < stand.start()) {
            var lost = stand.start() - stand.position();
            var what = "retention took what the group has not read: offsets " + stand.position() + " to "
                    + (stand.start() - 1) + ", at most " + lost + " records";
            findings.add(
                    settings.onLostOffset() == OnLostOffset.HALT
                            ? Finding.fault(
                                    at,
                                    what + "; the pipeline halts on it",
                                    "set on_lost_offset: continue to go on at " + stand.start()
                                            + ", or reset the group's offset")
                            : Finding.hazard(
                                    at,
                                    what + "; the pipeline goes on at " + stand.start(),
                                    "raise the topic's retention"));
        } else if (stand.position() > stand.end()) {
            findings.add(Finding.fault(
                    at,
                    "the group's offset " + stand.position() + " is beyond the log's end " + stand.end()
                            + ": the log was truncated, and the pipeline halts on it",
                    "find out what was lost, then reset the group's offset"));
        }
    }

    static String place(TopicPartition partition) {
        return SourceCheckup.TOPICS + " " + partition;
    }
}
