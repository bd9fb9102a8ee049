package dev.millrace.kafka;

import dev.millrace.checkpoint.CommitNote;
import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.kafka.AdminCalls.Topic;
import dev.millrace.kafka.KafkaSourceSettings.OnNoOffset;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.sinkpool.NanoClock;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What is looked at and settled before the first member joins: the broker answers, the topics
/// exist, and the group has a place to start from.
///
/// A group without any offset for these topics gets the chosen start committed here, before
/// anybody polls: a partition without an offset is a new one from then on, whoever asks. The
/// commit is that of a group without members; where another process was first, the broker refuses
/// it, and its offsets are there to be read.
///
/// Thread ownership: the thread that starts the source.
final class SourceStart {
    private static final Logger LOG = LoggerFactory.getLogger(SourceStart.class);
    private static final int CONFIGURATION = 2;
    private static final int FATAL = 5;
    private static final long AGAIN_NANOS = 200_000_000L;
    private static final long UNKNOWN_TOPIC_GRACE_NANOS = 2_000_000_000L;

    private final KafkaSourceSettings settings;
    private final AdminCalls calls;
    private final NanoClock clock;
    private final long untilNanos;

    SourceStart(KafkaSourceSettings settings, AdminCalls calls, NanoClock clock) {
        this.settings = settings;
        this.calls = calls;
        this.clock = clock;
        this.untilNanos = clock.nanoTime() + settings.startupTimeoutNanos();
    }

    /// The topics as they are now. Throws [AdminCalls.Stopped] when a stop was asked for.
    Map<String, Topic> run() throws StartRefused {
        try {
            var topics = topics();
            settleStart(topics);
            return topics;
        } catch (Failed failed) {
            throw refusal(failed);
        }
    }

    private Map<String, Topic> topics() throws Failed, StartRefused {
        return switch (settings.topics()) {
            case Subscription.Matching matching ->
                calls.describe(
                        calls.names(untilNanos).stream()
                                .filter(matching::includes)
                                .toList(),
                        untilNanos);
            case Subscription.Named(var names) -> named(names);
        };
    }

    // A broker that has just come up may not know all topics yet, so "unknown" is asked again before it is believed.
    private Map<String, Topic> named(Collection<String> names) throws Failed, StartRefused {
        var graceNanos = clock.nanoTime() + UNKNOWN_TOPIC_GRACE_NANOS;
        while (true) {
            var topics = calls.describe(names, untilNanos);
            var missing = new TreeSet<>(names);
            missing.removeAll(topics.keySet());
            if (missing.isEmpty()) return topics;
            if (NanoClock.reached(graceNanos, clock.nanoTime()))
                throw new StartRefused(
                        CONFIGURATION,
                        "unknown topic " + String.join(", ", missing) + " at " + settings.bootstrapServers());
            LockSupport.parkNanos(AGAIN_NANOS);
        }
    }

    private void settleStart(Map<String, Topic> topics) throws Failed, StartRefused {
        var partitions = new HashMap<TopicPartition, Topic>();
        topics.forEach((name, topic) -> {
            for (var n = 0; n < topic.partitions(); n++) partitions.put(new TopicPartition(name, n), topic);
        });
        if (partitions.isEmpty()) return;
        while (!hasOffsets(partitions.keySet())) {
            var choice = settings.onNoOffset();
            if (choice == OnNoOffset.FAIL)
                throw new StartRefused(
                        CONFIGURATION,
                        "group " + settings.groupId() + " has no offset for " + topics.keySet()
                                + ": set on_no_offset to earliest or to latest");
            if (commitStart(choice, partitions)) return;
            if (NanoClock.reached(untilNanos, clock.nanoTime()))
                throw new StartRefused(
                        FATAL,
                        "group " + settings.groupId() + " has members and no offset for " + topics.keySet()
                                + ": a start cannot be committed while another process is in it");
            LockSupport.parkNanos(AGAIN_NANOS);
        }
    }

    private boolean hasOffsets(Collection<TopicPartition> partitions) throws Failed {
        var committed = calls.committed(settings.groupId(), untilNanos);
        return partitions.stream().anyMatch(committed::containsKey);
    }

    /// False where somebody is in the group already.
    private boolean commitStart(OnNoOffset choice, Map<TopicPartition, Topic> partitions) throws Failed {
        var spec = choice == OnNoOffset.EARLIEST ? OffsetSpec.earliest() : OffsetSpec.latest();
        var start = new HashMap<TopicPartition, OffsetAndMetadata>();
        calls.offsets(partitions.keySet(), spec, untilNanos).forEach((partition, offset) -> {
            var topic = partitions.get(partition);
            if (topic != null) start.put(partition, new OffsetAndMetadata(offset, CommitNote.of(topic.id())));
        });
        try {
            calls.commit(settings.groupId(), start, untilNanos);
        } catch (Failed failed) {
            var why = failed.why();
            if (why instanceof UnknownMemberIdException || why instanceof GroupNotEmptyException) return false;
            throw failed;
        }
        LOG.atInfo()
                .addKeyValue("event", "group_started")
                .log("group={} from={} offsets={}", settings.groupId(), choice, start.size());
        return true;
    }

    private StartRefused refusal(Failed failed) {
        var why = failed.why();
        var cluster = settings.bootstrapServers();
        if (why instanceof AuthenticationException)
            return new StartRefused(CONFIGURATION, cluster + " refused the log-in: " + why.getMessage());
        if (why instanceof AuthorizationException)
            return new StartRefused(
                    CONFIGURATION, cluster + " does not allow to " + failed.getMessage() + ": " + why.getMessage());
        if (why instanceof InvalidTopicException)
            return new StartRefused(CONFIGURATION, "no name for a topic: " + why.getMessage());
        return new StartRefused(
                FATAL,
                "could not " + failed.getMessage() + " at " + cluster + " within "
                        + TimeUnit.NANOSECONDS.toMillis(settings.startupTimeoutNanos()) + " ms: " + why.getMessage());
    }
}
