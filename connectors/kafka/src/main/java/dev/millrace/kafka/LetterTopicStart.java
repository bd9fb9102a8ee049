package dev.millrace.kafka;

import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.kafka.KafkaSourceSettings.Subscription;
import dev.millrace.sinkpool.NanoClock;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What is looked at before the first dead letter: the topic is there, or can be made, keeps what it
/// gets, and may be written to.
///
/// Thread ownership: the thread that starts the pipeline.
final class LetterTopicStart {
    private static final Logger LOG = LoggerFactory.getLogger(LetterTopicStart.class);
    private static final int CONFIGURATION = 2;
    private static final int FATAL = 5;
    private static final String OTHERWISE = "or set poison.action to skip or stop";

    private static final String LARGEST = "max.message.bytes";

    /// For the headers of a letter.
    static final long HEADERS_BYTES = 8192;

    /// Letters are kept until somebody takes them away, whatever the cluster does with topics.
    private static final Map<String, String> KEPT =
            Map.of("cleanup.policy", "delete", "retention.ms", "-1", "retention.bytes", "-1");

    private final String topic;
    private final KafkaClients clients;
    private final AdminCalls calls;
    private final long untilNanos;

    LetterTopicStart(String topic, KafkaClients clients, AdminCalls calls, NanoClock clock) {
        this.topic = topic;
        this.clients = clients;
        this.calls = calls;
        this.untilNanos = clock.nanoTime() + clients.startupTimeoutNanos();
    }

    /// Throws [AdminCalls.Stopped] when a stop was asked for.
    void run() throws StartRefused {
        try {
            switch (calls.mayWrite(topic, untilNanos)) {
                case ABSENT -> create();
                case DENIED ->
                    throw new StartRefused(
                            CONFIGURATION,
                            "poison.topic " + topic + ": " + clients.bootstrapServers()
                                    + " does not allow to write to it; allow WRITE, " + OTHERWISE);
                case ALLOWED -> look();
            }
        } catch (Failed failed) {
            throw refusal(failed);
        }
    }

    private void create() throws Failed {
        var settings = settings(largestRecord());
        calls.create(topic, settings, untilNanos);
        LOG.atInfo()
                .addKeyValue("event", "dead_letter_topic_created")
                .log("topic={} retention=unlimited {}={}", topic, LARGEST, settings.getOrDefault(LARGEST, "default"));
    }

    /// What it is made with; `largest` is the largest record of its sources, below 1 where that is
    /// not known.
    static Map<String, String> settings(long largest) {
        var settings = new HashMap<>(KEPT);
        if (largest > 0) settings.put(LARGEST, Long.toString(Math.min(Integer.MAX_VALUE, largest + HEADERS_BYTES)));
        return settings;
    }

    /// The largest record that the topics which are read take; of those that are there and tell, 0
    /// for none.
    private long largestRecord() throws Failed {
        var largest = 0L;
        for (var source : sources()) {
            try {
                largest = Math.max(largest, bytes(calls.settings(source, untilNanos)));
            } catch (Failed failed) {
                var why = failed.why();
                if (!(why instanceof AuthorizationException || why instanceof UnknownTopicOrPartitionException))
                    throw failed;
                LOG.atDebug()
                        .addKeyValue("event", "largest_record_unknown")
                        .log("topic={} why=\"{}\"", source, why.getMessage());
            }
        }
        return largest;
    }

    private Collection<String> sources() throws Failed {
        return switch (clients.topics()) {
            case Subscription.Named(var names) -> names;
            case Subscription.Matching matching ->
                calls.names(untilNanos).stream().filter(matching::includes).toList();
        };
    }

    private static long bytes(Map<String, String> settings) {
        return Long.parseLong(settings.getOrDefault(LARGEST, "0"));
    }

    private void look() throws StartRefused {
        Map<String, String> settings;
        long largest;
        try {
            settings = calls.settings(topic, untilNanos);
            largest = largestRecord();
        } catch (Failed unknown) {
            // To read them is a right of its own.
            LOG.atInfo()
                    .addKeyValue("event", "dead_letter_topic_not_checked")
                    .log("topic={} why=\"{}\"", topic, unknown.why().getMessage());
            return;
        }
        if (Objects.requireNonNullElse(settings.get("cleanup.policy"), "").contains("compact"))
            throw new StartRefused(
                    CONFIGURATION,
                    "poison.topic " + topic + " is compacted, which keeps one letter of each key: set its"
                            + " cleanup.policy to delete, or name another topic");
        var retention = settings.get("retention.ms");
        if (retention != null && !retention.startsWith("-"))
            LOG.atWarn()
                    .addKeyValue("event", "dead_letter_topic_expires")
                    .log(
                            "topic={} retention.ms={}: letters have the timestamps of their records, so those of"
                                    + " older records are deleted at once",
                            topic,
                            retention);
        if (bytes(settings) < largest)
            LOG.atWarn()
                    .addKeyValue("event", "dead_letter_topic_narrow")
                    .log(
                            "topic={} {}={}: its source takes records of {}, and the letter of one that does not fit"
                                    + " waits, and its partition with it, until this is raised",
                            topic,
                            LARGEST,
                            bytes(settings),
                            largest);
    }

    private StartRefused refusal(Failed failed) {
        var why = failed.why();
        var cluster = clients.bootstrapServers();
        var of = "poison.topic " + topic + ": ";
        if (why instanceof RetriableException)
            return new StartRefused(
                    FATAL,
                    "could not " + failed.getMessage() + " (poison.topic) at " + cluster + " within "
                            + TimeUnit.NANOSECONDS.toMillis(clients.startupTimeoutNanos()) + " ms: "
                            + why.getMessage());
        if (why instanceof AuthenticationException)
            return new StartRefused(CONFIGURATION, cluster + " refused the log-in: " + why.getMessage());
        if (why instanceof AuthorizationException)
            return new StartRefused(
                    CONFIGURATION,
                    of + cluster + " does not allow to " + failed.getMessage()
                            + "; create it and allow WRITE and DESCRIBE, " + OTHERWISE);
        return new StartRefused(
                CONFIGURATION,
                of + "could not " + failed.getMessage() + " at " + cluster + ": " + why.getMessage() + "; create it, "
                        + OTHERWISE);
    }
}
