package dev.millrace.kafka;

import dev.millrace.checkpoint.TopicId;
import dev.millrace.sinkpool.NanoClock;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Questions to the cluster, each repeated while it fails in passing, until a deadline or a stop.
///
/// Thread ownership: any one thread at a time that may wait.
final class AdminCalls implements AutoCloseable {
    /// A stop was asked for while the answer was awaited.
    static final class Stopped extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Stopped() {
            super("stopped", null, false, false);
        }
    }

    /// The cluster said no, or nothing in time. The cause is Kafka's own.
    static final class Failed extends Exception {
        private static final long serialVersionUID = 1L;

        Failed(String what, Throwable cause) {
            super(what, cause);
        }

        Throwable why() {
            var cause = getCause();
            return cause == null ? this : cause;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(AdminCalls.class);
    private static final Duration AGAIN = Duration.ofMillis(200);
    private static final long SLICE_NANOS = 50_000_000L;

    private final Admin admin;
    private final NanoClock clock;
    private final BooleanSupplier stopped;

    AdminCalls(Admin admin, NanoClock clock, BooleanSupplier stopped) {
        this.admin = admin;
        this.clock = clock;
        this.stopped = stopped;
    }

    <T> T ask(String what, Supplier<KafkaFuture<T>> question, long untilNanos) throws Failed {
        var config = RetryConfig.<T>custom()
                .maxAttempts(1000)
                .waitDuration(AGAIN)
                .retryOnException(failure -> failure instanceof RetriableException
                        && !(failure instanceof UnknownTopicOrPartitionException)
                        && !stopped.getAsBoolean()
                        && !NanoClock.reached(untilNanos, clock.nanoTime()))
                .build();
        try {
            return Retry.of("kafka-admin", config).executeCallable(() -> await(question.get(), untilNanos));
        } catch (Stopped stop) {
            throw stop;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new Stopped();
        } catch (Exception failure) {
            if (stopped.getAsBoolean()) throw new Stopped();
            throw new Failed(what, failure);
        }
    }

    /// What was asked together with others the first time, and alone when it is asked again.
    static <T> Supplier<KafkaFuture<T>> firstOr(KafkaFuture<T> first, Supplier<KafkaFuture<T>> again) {
        var taken = new AtomicBoolean();
        return () -> taken.compareAndSet(false, true) ? first : again.get();
    }

    /// Whether somebody else's answer, or a later one, may be another.
    static boolean passing(Failed failed) {
        return failed.why() instanceof RetriableException;
    }

    static boolean unknownTopic(Failed failed) {
        return failed.why() instanceof UnknownTopicOrPartitionException;
    }

    // In slices, so that a stop during a start ends the start.
    private <T> T await(KafkaFuture<T> answer, long untilNanos) throws Exception {
        while (true) {
            if (stopped.getAsBoolean()) throw new Stopped();
            try {
                var left = untilNanos - clock.nanoTime();
                return answer.get(Math.clamp(left, 0, SLICE_NANOS), TimeUnit.NANOSECONDS);
            } catch (java.util.concurrent.TimeoutException slice) {
                if (NanoClock.reached(untilNanos, clock.nanoTime()))
                    throw new org.apache.kafka.common.errors.TimeoutException("no answer in time", slice);
            } catch (ExecutionException failure) {
                if (failure.getCause() instanceof Exception cause) throw cause;
                throw failure;
            }
        }
    }

    /// A topic as the cluster knows it.
    record Topic(TopicId id, int partitions) {}

    /// Makes a topic with as many partitions and replicas as the cluster gives by default. One
    /// that somebody else made in between is as good.
    void create(String topic, Map<String, String> settings, long untilNanos) throws Failed {
        var asked = new NewTopic(topic, Optional.empty(), Optional.empty()).configs(settings);
        try {
            ask(
                    "create topic " + topic,
                    () -> admin.createTopics(List.of(asked)).all(),
                    untilNanos);
        } catch (Failed failed) {
            if (!(failed.why() instanceof TopicExistsException)) throw failed;
        }
    }

    /// Whether a topic is there, and may be written to.
    enum MayWrite {
        ABSENT,
        DENIED,
        ALLOWED
    }

    /// A cluster that does not tell what is allowed is taken to allow it.
    MayWrite mayWrite(String topic, long untilNanos) throws Failed {
        var options = new DescribeTopicsOptions().includeAuthorizedOperations(true);
        try {
            Map<String, TopicDescription> described = ask(
                    "describe topic " + topic,
                    () -> admin.describeTopics(List.of(topic), options).allTopicNames(),
                    untilNanos);
            for (var one : described.values()) {
                var allowed = one.authorizedOperations();
                if (allowed != null && !allowed.isEmpty() && !allowed.contains(AclOperation.WRITE))
                    return MayWrite.DENIED;
            }
            return MayWrite.ALLOWED;
        } catch (Failed failed) {
            if (failed.why() instanceof UnknownTopicOrPartitionException) return MayWrite.ABSENT;
            throw failed;
        }
    }

    /// A topic's settings, the cluster's defaults included; without those that are secret.
    Map<String, String> settings(String topic, long untilNanos) throws Failed {
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Map<ConfigResource, Config> answer = ask(
                "read the settings of topic " + topic,
                () -> admin.describeConfigs(List.of(resource)).all(),
                untilNanos);
        var settings = new TreeMap<String, String>();
        for (var config : answer.values()) {
            for (var entry : config.entries()) {
                if (entry.value() != null) settings.put(entry.name(), entry.value());
            }
        }
        return settings;
    }

    /// The topics of these that exist.
    Map<String, Topic> describe(Collection<String> topics, long untilNanos) throws Failed {
        var described = new TreeMap<String, Topic>();
        var asked = admin.describeTopics(topics).topicNameValues();
        for (var entry : asked.entrySet()) {
            var name = entry.getKey();
            var question = firstOr(
                    entry.getValue(),
                    () -> admin.describeTopics(List.of(name)).topicNameValues().get(name));
            try {
                var description = ask("describe topic " + name, question, untilNanos);
                described.put(
                        name,
                        new Topic(
                                id(description.topicId()),
                                description.partitions().size()));
            } catch (Failed failed) {
                if (!(failed.why() instanceof UnknownTopicOrPartitionException)) throw failed;
            }
        }
        return described;
    }

    private static TopicId id(Uuid uuid) {
        return uuid.equals(Uuid.ZERO_UUID) ? TopicId.UNKNOWN : new TopicId(uuid.toString());
    }

    /// Empty where the brokers tell none.
    String clusterId(long untilNanos) throws Failed {
        var id = ask("describe the cluster", () -> admin.describeCluster().clusterId(), untilNanos);
        return id == null ? "" : id;
    }

    Collection<String> names(long untilNanos) throws Failed {
        return ask("list topics", () -> admin.listTopics().names(), untilNanos);
    }

    /// What the group has committed, for the partitions of which it has anything.
    Map<TopicPartition, OffsetAndMetadata> committed(String group, long untilNanos) throws Failed {
        Map<TopicPartition, OffsetAndMetadata> answer = ask(
                "read the offsets of group " + group,
                () -> admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata(),
                untilNanos);
        var committed = new HashMap<TopicPartition, OffsetAndMetadata>();
        answer.forEach((partition, offset) -> {
            if (offset != null) committed.put(partition, offset);
        });
        return committed;
    }

    /// Commits for a group that has no member.
    void commit(String group, Map<TopicPartition, OffsetAndMetadata> offsets, long untilNanos) throws Failed {
        ask(
                "commit the start of group " + group,
                () -> admin.alterConsumerGroupOffsets(group, offsets).all(),
                untilNanos);
    }

    /// Where each log begins, or ends for readers of what is committed.
    Map<TopicPartition, Long> offsets(Collection<TopicPartition> partitions, OffsetSpec spec, long untilNanos)
            throws Failed {
        var asked = new HashMap<TopicPartition, OffsetSpec>();
        for (var partition : partitions) asked.put(partition, spec);
        var answer = ask(
                "read offsets of " + partitions,
                () -> admin.listOffsets(asked, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                        .all(),
                untilNanos);
        var offsets = new HashMap<TopicPartition, Long>();
        answer.forEach((partition, found) -> offsets.put(partition, found.offset()));
        return offsets;
    }

    /// Where the logs end, of those that answer in time. A topic that is gone holds up nobody else's.
    Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions, long untilNanos) {
        return ends(partitions, IsolationLevel.READ_COMMITTED, untilNanos);
    }

    /// The same for readers of what is committed, or of all.
    Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions, IsolationLevel reader, long untilNanos) {
        return ends(partitions, reader, untilNanos, () -> {});
    }

    /// The same, and `heard` is told of each answer, also of one that refuses,
    /// or that comes when nobody waits for it any more; on any thread.
    Map<TopicPartition, Long> ends(
            Collection<TopicPartition> partitions, IsolationLevel reader, long untilNanos, Runnable heard) {
        var asked = new HashMap<TopicPartition, OffsetSpec>();
        for (var partition : partitions) asked.put(partition, OffsetSpec.latest());
        var answer = admin.listOffsets(asked, new ListOffsetsOptions(reader));
        for (var partition : partitions) {
            var _ = answer.partitionResult(partition).whenComplete((_, failure) -> {
                if (!(failure instanceof RetriableException)) heard.run();
            });
        }
        var ends = new HashMap<TopicPartition, Long>();
        for (var partition : partitions) {
            try {
                ends.put(
                        partition,
                        await(answer.partitionResult(partition), untilNanos).offset());
            } catch (Stopped stop) {
                throw stop;
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new Stopped();
            } catch (Exception unknown) {
                LOG.atDebug()
                        .addKeyValue("event", "end_unknown")
                        .log("partition={} why=\"{}\"", partition, unknown.toString());
            }
        }
        return ends;
    }

    /// Whose transaction begins at this offset; null where nobody's does, or the cluster does not tell.
    @Nullable
    Long producerOf(TopicPartition partition, long startOffset, long untilNanos) {
        try {
            var state = await(admin.describeProducers(List.of(partition)).partitionResult(partition), untilNanos);
            for (var producer : state.activeProducers()) {
                if (producer.currentTransactionStartOffset().orElse(-1) == startOffset) return producer.producerId();
            }
        } catch (Stopped stop) {
            throw stop;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new Stopped();
        } catch (Exception unknown) {
            LOG.atDebug()
                    .addKeyValue("event", "producer_unknown")
                    .log("partition={} why=\"{}\"", partition, unknown.toString());
        }
        return null;
    }

    @Override
    public void close() {
        admin.close(Duration.ofMillis(500));
    }
}
