package dev.millrace.kafka;

import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.sinkpool.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RetriableException;

/// Looks at the dead-letter topic: whether it is there or would be made, takes every letter, and keeps it.
///
/// Thread ownership: the thread that looks.
final class LetterTopicCheckup {
    private static final String LARGEST = "max.message.bytes";
    private static final String OTHERWISE = ", or set poison.action to skip or stop";

    private final String topic;
    private final String where;
    private final List<Finding> findings;

    LetterTopicCheckup(String topic, List<Finding> findings) {
        this.topic = topic;
        this.where = "poison.topic " + topic;
        this.findings = findings;
    }

    /// `sources` are the settings of the topics that are read, of those that tell.
    void look(Cluster cluster, Map<String, Map<String, String>> sources) throws Failed {
        var largest = sources.values().stream()
                .mapToLong(settings -> SourceCheckup.number(settings.get(LARGEST)))
                .max()
                .orElse(-1);
        var hidden = new ArrayList<String>();
        TopicDescription found;
        try {
            found = cluster.topics(List.of(topic), hidden::add).get(topic);
        } catch (Failed failed) {
            if (!(failed.why() instanceof InvalidTopicException)) throw failed;
            findings.add(Finding.fault(where, "no name for a topic", "correct it"));
            return;
        }
        if (!hidden.isEmpty()) {
            findings.add(Finding.fault(
                    where, "the user may not see it", "create it and allow DESCRIBE and WRITE on it" + OTHERWISE));
            return;
        }
        if (found == null) {
            absent(cluster, largest);
            return;
        }
        var allowed = found.authorizedOperations();
        if (allowed != null && !allowed.isEmpty() && !allowed.contains(AclOperation.WRITE))
            findings.add(Finding.fault(where, "the user may not write to it", "allow WRITE on it" + OTHERWISE));
        try {
            settings(cluster.settingsOfTopic(topic), found, largest);
        } catch (Failed failed) {
            if (!SourceCheckup.denied(failed)) throw failed;
            findings.add(Finding.note(
                    where,
                    "whether it takes and keeps every letter is not told to this user",
                    "allow DESCRIBE_CONFIGS on it, and look again"));
        }
    }

    private void absent(Cluster cluster, long largest) throws Failed {
        try {
            cluster.wouldCreate(topic, LetterTopicStart.settings(largest));
            findings.add(Finding.note(where, "it is not there, and is made at the start", ""));
        } catch (Failed failed) {
            var why = failed.why();
            if (why instanceof RetriableException || why instanceof AuthenticationException) throw failed;
            findings.add(Finding.fault(
                    where,
                    "it is not there, and can't be made: " + why.getMessage(),
                    "create it and allow DESCRIBE and WRITE on it" + OTHERWISE));
        }
    }

    private void settings(Map<String, String> settings, TopicDescription found, long largest) {
        if (Objects.requireNonNullElse(settings.get("cleanup.policy"), "").contains("compact"))
            findings.add(Finding.fault(
                    where,
                    "it is compacted, which keeps one letter of each key",
                    "set its cleanup.policy to delete, or name another topic"));
        var kept = SourceCheckup.number(settings.get("retention.ms"));
        if (kept >= 0)
            findings.add(Finding.hazard(
                    where,
                    "retention.ms is " + kept + ": letters have the timestamps of their records, so those of older"
                            + " records are deleted at once",
                    "set retention.ms to -1"));
        var bytes = SourceCheckup.number(settings.get("retention.bytes"));
        if (bytes >= 0)
            findings.add(Finding.hazard(
                    where,
                    "retention.bytes is " + bytes + ": above that the oldest letters are deleted, replayed or not",
                    "set retention.bytes to -1"));
        var takes = SourceCheckup.number(settings.get(LARGEST));
        if (takes >= 0 && takes < largest)
            findings.add(Finding.hazard(
                    where,
                    LARGEST + " is " + takes + ", and its sources take records of " + largest
                            + ": the letter of one that does not fit waits, and its partition with it",
                    "set " + LARGEST + " to " + Math.min(Integer.MAX_VALUE, largest + LetterTopicStart.HEADERS_BYTES)
                            + " or more"));
        replicas(settings, found);
    }

    private void replicas(Map<String, String> settings, TopicDescription found) {
        var replicas = found.partitions().stream()
                .mapToInt(partition -> partition.replicas().size())
                .min()
                .orElse(0);
        var inSync = found.partitions().stream()
                .mapToInt(partition -> partition.isr().size())
                .min()
                .orElse(0);
        var least = SourceCheckup.number(settings.get("min.insync.replicas"));
        if (least > inSync)
            findings.add(
                    least > replicas
                            ? Finding.fault(
                                    where,
                                    "min.insync.replicas is " + least + " and a partition has " + replicas
                                            + " replicas: it takes no letter",
                                    "lower it, or give the topic more replicas")
                            : Finding.hazard(
                                    where,
                                    "min.insync.replicas is " + least + " and " + inSync
                                            + " are in sync now: it takes no letter",
                                    "bring its brokers back"));
        else if (replicas < 2)
            findings.add(Finding.note(
                    where, "it has one replica: a broker that is lost takes letters along", "give it more replicas"));
    }
}
