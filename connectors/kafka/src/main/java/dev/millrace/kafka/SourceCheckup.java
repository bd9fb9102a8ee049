package dev.millrace.kafka;

import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.NanoClock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/// Looks at what a source would meet: the cluster, its topics, its group, what the group has committed
/// and how long that is kept, and the dead-letter topic. Joins no group, commits nothing, makes no topic.
///
/// Thread ownership: the thread that looks.
public final class SourceCheckup {
    static final String TOPICS = "source.kafka.topics";
    private static final String CLUSTER = "source.kafka.bootstrap_servers";
    private static final String GROUP = "source.kafka.group_id";
    private static final String PROPERTIES = "source.kafka.properties";
    /// What stands beside an offset: `t1.` and a topic's id.
    private static final int NOTE_BYTES = 25;

    private static final long SHORT_MINUTES = 1440;

    private final KafkaSourceSettings settings;
    private final KafkaClients clients;
    private final @Nullable String letterTopic;
    private final NanoClock clock;
    private final InstantSource wallClock;
    private final List<Finding> findings = new ArrayList<>();

    /// `letterTopic` is null where no dead letters are sent. Plans are looked at as `settings` has them.
    public SourceCheckup(
            KafkaSourceSettings settings, @Nullable String letterTopic, NanoClock clock, InstantSource wallClock) {
        this.settings = settings;
        this.clients = new KafkaClients(settings);
        this.letterTopic = letterTopic;
        this.clock = clock;
        this.wallClock = wallClock;
    }

    /// Blocks at most until the deadline, and half a second for giving its clients back. Asked once.
    public List<Finding> look(long deadlineNanos) {
        if (!settingsFit()) return findings;
        try (var cluster = new Cluster(clients.admin(), clock, deadlineNanos)) {
            look(cluster, deadlineNanos);
        } catch (Failed failed) {
            findings.add(ended(failed));
        } catch (KafkaException wrong) {
            findings.add(propertyFault(wrong));
        }
        return List.copyOf(findings);
    }

    /// A member that is made and given back has connected nowhere.
    private boolean settingsFit() {
        try {
            clients.consumer(0, 1).close(CloseOptions.timeout(Duration.ZERO));
            return true;
        } catch (KafkaException wrong) {
            findings.add(propertyFault(wrong));
            return false;
        }
    }

    private static Finding propertyFault(KafkaException wrong) {
        var cause = wrong.getCause();
        return Finding.fault(
                PROPERTIES,
                String.valueOf((cause == null ? wrong : cause).getMessage()),
                "correct bootstrap_servers or properties");
    }

    private void look(Cluster cluster, long deadlineNanos) throws Failed {
        var brokers = cluster.brokers();
        protocol(cluster);
        var topics = topics(cluster);
        var inUse = new GroupCheckup(settings, GROUP, findings).look(cluster);
        broker(cluster, brokers);
        var configs = configs(cluster, topics.keySet());
        if (letterTopic != null) new LetterTopicCheckup(letterTopic, findings).look(cluster, configs);
        var planning = settings.planning();
        if (planning != null) planning.cluster().set(cluster.id().hashCode());
        new OffsetsCheckup(settings, clients, inUse, clock, wallClock, findings)
                .look(cluster, topics, configs, deadlineNanos);
        leftovers(cluster);
    }

    /// Nothing rests on these.
    private void leftovers(Cluster cluster) {
        var left = new Leftovers(cluster.groups(), settings);
        try {
            findings.addAll(left.look());
            var untold = left.untold();
            if (untold != null) findings.add(untold);
        } catch (Failed failed) {
            findings.add(Finding.note(
                    CLUSTER,
                    "what is left here of pipelines that run no more is not known: could not " + failed.getMessage()
                            + ": " + failed.why().getMessage(),
                    ""));
        }
    }

    private void protocol(Cluster cluster) throws Failed {
        if (settings.groupProtocol() != GroupProtocol.CONSUMER || cluster.servesConsumerProtocol()) return;
        findings.add(Finding.fault(
                "source.kafka.group_protocol",
                settings.bootstrapServers() + " does not serve groups of the consumer protocol",
                "set group_protocol: classic, or raise the cluster's group.version (Kafka 4.0)"));
    }

    private Map<String, TopicDescription> topics(Cluster cluster) throws Failed {
        var topics = switch (settings.topics()) {
            case Subscription.Matching matching -> {
                var names = cluster.names().stream().filter(matching::includes).toList();
                if (names.isEmpty())
                    findings.add(Finding.hazard(
                            TOPICS,
                            "the pattern " + matching.pattern() + " matches no topic that the user may see",
                            "correct it, or allow DESCRIBE; topics that come later are read from their"
                                    + " beginning"));
                yield cluster.topics(names, this::hidden);
            }
            case Subscription.Named(var names) -> named(cluster, names);
        };
        topics.forEach(this::topic);
        return topics;
    }

    private Map<String, TopicDescription> named(Cluster cluster, List<String> names) throws Failed {
        var missing = new TreeSet<>(names);
        var topics = cluster.topics(names, name -> {
            hidden(name);
            missing.remove(name);
        });
        missing.removeAll(topics.keySet());
        for (var name : missing)
            findings.add(Finding.fault(
                    TOPICS + " " + name,
                    "unknown topic at " + settings.bootstrapServers(),
                    "create it, correct its name, or allow DESCRIBE on it"));
        return topics;
    }

    private void hidden(String name) {
        findings.add(Finding.fault(
                TOPICS + " " + name, "the user may not see it", "allow DESCRIBE and READ on topic " + name));
    }

    private void topic(String name, TopicDescription topic) {
        var allowed = topic.authorizedOperations();
        if (allowed != null && !allowed.isEmpty() && !allowed.contains(AclOperation.READ))
            findings.add(Finding.fault(TOPICS + " " + name, "the user may not read it", "allow READ on topic " + name));
        var leaderless = topic.partitions().stream()
                .filter(partition -> partition.leader() == null)
                .count();
        if (leaderless > 0)
            findings.add(Finding.hazard(
                    TOPICS + " " + name,
                    leaderless + " of its partitions have no leader: nothing is read from these",
                    "bring their brokers back"));
    }

    private void broker(Cluster cluster, Collection<Node> brokers) throws Failed {
        if (brokers.isEmpty()) return;
        Map<String, String> told;
        try {
            told = cluster.settingsOfBroker(brokers.iterator().next());
        } catch (Failed failed) {
            if (!denied(failed)) throw failed;
            return; // It is a right that few users have.
        }
        var metadata = number(told.get("offset.metadata.max.bytes"));
        if (metadata >= 0 && metadata < NOTE_BYTES)
            findings.add(Finding.fault(
                    CLUSTER,
                    "offset.metadata.max.bytes is " + metadata + ": an offset can't be committed with the " + NOTE_BYTES
                            + " bytes that name its topic",
                    "raise it; 4096 is Kafka's default"));
        var kept = number(told.get("offsets.retention.minutes"));
        if (kept >= 0 && kept < SHORT_MINUTES)
            findings.add(Finding.hazard(
                    CLUSTER,
                    "offsets.retention.minutes is " + kept + ": a group without members for longer starts anew",
                    "raise it above the longest stop; 10080, a week, is Kafka's default"));
    }

    /// The settings of each topic, of those that tell.
    private Map<String, Map<String, String>> configs(Cluster cluster, Collection<String> topics) throws Failed {
        var configs = new TreeMap<String, Map<String, String>>();
        var untold = new TreeSet<String>();
        for (var topic : topics) {
            try {
                configs.put(topic, cluster.settingsOfTopic(topic));
            } catch (Failed failed) {
                if (!denied(failed)) throw failed;
                untold.add(topic);
            }
        }
        if (!untold.isEmpty())
            findings.add(Finding.note(
                    TOPICS,
                    "retention and sizes of " + String.join(", ", untold) + " are not told to this user",
                    "allow DESCRIBE_CONFIGS on them, and look again"));
        return configs;
    }

    static boolean denied(Failed failed) {
        return failed.why() instanceof AuthorizationException;
    }

    /// −1 for what is no number.
    static long number(@Nullable String text) {
        return text != null && text.matches("\\d{1,18}") ? Long.parseLong(text) : -1;
    }

    private Finding ended(Failed failed) {
        var why = failed.why();
        var cluster = settings.bootstrapServers();
        var what = "could not " + failed.getMessage() + " at " + cluster + ": " + why.getMessage();
        if (why instanceof AuthenticationException)
            return Finding.fault(
                    CLUSTER,
                    cluster + " refused the log-in: " + why.getMessage(),
                    "correct " + PROPERTIES + " (sasl.*)");
        if (why instanceof AuthorizationException)
            return Finding.fault(CLUSTER, what, "allow the user to " + failed.getMessage());
        if (why instanceof InvalidTopicException)
            return Finding.fault(TOPICS, "no name for a topic: " + why.getMessage(), "correct it");
        if (why instanceof UnsupportedVersionException) return Finding.fault(CLUSTER, what, "use a later Kafka");
        return Finding.unreached(
                CLUSTER,
                what,
                "start it, open the way to it and to the addresses that its brokers advertise, or give it longer with"
                        + " --timeout; whether it speaks TLS is in " + PROPERTIES + " (security.protocol)");
    }
}
