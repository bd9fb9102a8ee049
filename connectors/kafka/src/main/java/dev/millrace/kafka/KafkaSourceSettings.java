package dev.millrace.kafka;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What the source is told: which topics of which cluster, as which group, and how carefully.
/// Times are nanoseconds.
public record KafkaSourceSettings(
        String bootstrapServers,
        Subscription topics,
        String groupId,
        int consumers,
        OnNoOffset onNoOffset,
        OnLostOffset onLostOffset,
        long startupTimeoutNanos,
        GroupProtocol groupProtocol,
        Map<String, String> properties,
        Values values,
        Checkpoint checkpoint,
        Membership membership,
        Watch watch,
        @Nullable Planning planning,
        boolean replans,
        List<Skip> skips) {
    private static final long MILLIS = 1_000_000L;
    private static final long SECONDS = 1_000 * MILLIS;

    public KafkaSourceSettings {
        if (bootstrapServers.isBlank()) throw new IllegalArgumentException("bootstrap_servers is empty");
        if (groupId.isBlank()) throw new IllegalArgumentException("group_id is empty");
        if (consumers < 1 || consumers > 64)
            throw new IllegalArgumentException("consumers " + consumers + " not in 1 to 64");
        positive("startup_timeout", startupTimeoutNanos);
        properties = Map.copyOf(properties);
        skips = List.copyOf(skips);
    }

    /// The defaults of the settings page.
    public static KafkaSourceSettings of(String bootstrapServers, Subscription topics, String groupId) {
        return new KafkaSourceSettings(
                bootstrapServers,
                topics,
                groupId,
                1,
                OnNoOffset.FAIL,
                OnLostOffset.HALT,
                60 * SECONDS,
                GroupProtocol.CLASSIC,
                Map.of(),
                Values.defaults(),
                Checkpoint.defaults(),
                Membership.defaults(),
                Watch.defaults(),
                null,
                false,
                List.of());
    }

    /// Without the values of properties: some are secrets.
    @Override
    public String toString() {
        return "KafkaSourceSettings[" + groupId + " reads " + topics + " of " + bootstrapServers + ", properties "
                + new TreeSet<>(properties.keySet()) + "]";
    }

    private static void positive(String name, long nanos) {
        if (nanos < 1) throw new IllegalArgumentException(name + " " + nanos + " ns < 1");
    }

    /// Which topics.
    public sealed interface Subscription {
        /// Whether a topic of this name is one of them.
        boolean includes(String topic);

        /// By name. Each has to exist when the source starts.
        record Named(List<String> topics) implements Subscription {
            public Named {
                topics = List.copyOf(topics);
                if (topics.isEmpty()) throw new IllegalArgumentException("topics is empty");
            }

            @Override
            public boolean includes(String topic) {
                return topics.contains(topic);
            }
        }

        /// All whose whole name matches, also those that come later. Kafka's internal topics never
        /// match.
        record Matching(Pattern pattern) implements Subscription {
            @Override
            public boolean includes(String topic) {
                return pattern.matcher(topic).matches();
            }
        }
    }

    /// Where a group starts that has no offset at all for these topics. A partition that comes
    /// later starts at its beginning.
    public enum OnNoOffset {
        FAIL,
        EARLIEST,
        LATEST
    }

    /// What happens when retention took records that were not read yet.
    public enum OnLostOffset {
        HALT,
        /// Goes on at the log's start, with the exact count of what was lost in the log.
        CONTINUE
    }

    /// Offsets of a partition that are left unread.
    public record Skip(String topic, int partition, long first, long last) {
        public Skip {
            if (partition < 0 || first < 0 || last < first)
                throw new IllegalArgumentException(topic + "-" + partition + "@" + first + "-" + last + " is no place");
        }

        /// Where reading goes on that stands at `position` of this partition; `position` where it may go on there.
        long from(String of, int number, long position) {
            return isOf(of, number) && position >= first && position <= last ? last + 1 : position;
        }

        boolean isOf(String of, int number) {
            return topic.equals(of) && partition == number;
        }
    }

    /// How members find each other: the classic protocol with cooperative-sticky assignment, or
    /// KIP-848's.
    public enum GroupProtocol {
        CLASSIC,
        CONSUMER
    }

    /// What a row does that can never be written.
    public enum OnPoison {
        /// Its range fails and the process ends, naming topic-partition@offset.
        STOP,
        /// It is done, counted under its reason, and logged at most once a second for each reason.
        SKIP,
        /// It is done when the dead-letter topic has acknowledged it.
        DEAD_LETTER
    }

    /// How a value becomes rows. At most `mostLetters` rows of a partition, which never become
    /// some, are on their way to the dead-letter topic. Where they are more than `maxRate` of its
    /// rows, it is the schema that changed; 1 for never.
    public record Values(
            ValueFormat.Kind format,
            ValueFormat.OnTombstone onTombstone,
            OnPoison onPoison,
            int mostLetters,
            double maxRate) {
        public static final int MOST_LETTERS = 1000;

        public Values {
            if (mostLetters < 1) throw new IllegalArgumentException("letters " + mostLetters + " < 1");
            if (!(maxRate >= 0 && maxRate <= 1))
                throw new IllegalArgumentException("poison.max_rate " + maxRate + " not in [0, 1]");
        }

        public Values(
                ValueFormat.Kind format, ValueFormat.OnTombstone onTombstone, OnPoison onPoison, int mostLetters) {
            this(format, onTombstone, onPoison, mostLetters, 1);
        }

        public Values(ValueFormat.Kind format, ValueFormat.OnTombstone onTombstone, OnPoison onPoison) {
            this(format, onTombstone, onPoison, MOST_LETTERS);
        }

        public Values maxRate(double rate) {
            return new Values(format, onTombstone, onPoison, mostLetters, rate);
        }

        public static Values defaults() {
            return new Values(ValueFormat.Kind.JSON, ValueFormat.OnTombstone.SKIP, OnPoison.STOP);
        }
    }

    /// When what is done is committed; how much may be taken and undone; how long a failed range
    /// may hold its partition before the process ends.
    public record Checkpoint(long intervalNanos, int maxPending, long stalledFailAfterNanos, long commitTimeoutNanos) {
        public Checkpoint {
            if (intervalNanos < 100 * MILLIS)
                throw new IllegalArgumentException("checkpoint.interval " + intervalNanos + " ns < 100 ms");
            if (maxPending < 1) throw new IllegalArgumentException("checkpoint.max_pending " + maxPending + " < 1");
            positive("checkpoint.stalled_fail_after", stalledFailAfterNanos);
            positive("commit time-out", commitTimeoutNanos);
        }

        public static Checkpoint defaults() {
            return new Checkpoint(5 * SECONDS, 1024, 120 * SECONDS, 5 * SECONDS);
        }
    }

    /// A revoke waits `drainTimeoutNanos` for what is in flight. A member without an assignment is
    /// unready after
    /// `unreadyAfterNanos`, and ends the process after `endAfterNanos`.
    public record Membership(long drainTimeoutNanos, long unreadyAfterNanos, long endAfterNanos) {
        public Membership {
            if (drainTimeoutNanos < 0)
                throw new IllegalArgumentException("rebalance.drain_timeout " + drainTimeoutNanos + " ns < 0");
            positive("unready after", unreadyAfterNanos);
            if (endAfterNanos < unreadyAfterNanos)
                throw new IllegalArgumentException("a member ends before it is unready: " + endAfterNanos + " ns");
        }

        public static Membership defaults() {
            return new Membership(5 * SECONDS, 30 * SECONDS, 300 * SECONDS);
        }
    }

    /// How often the topics' identities and ends are read, and how old the client's metadata may
    /// grow: that is how soon a new partition or a new matching topic is seen. A transaction hangs
    /// that stands open for `hangingNanos`.
    public record Watch(long identityNanos, long lagNanos, long metadataMaxAgeNanos, long hangingNanos) {
        public Watch {
            positive("identity interval", identityNanos);
            positive("lag interval", lagNanos);
            positive("metadata max age", metadataMaxAgeNanos);
            positive("hanging after", hangingNanos);
        }

        public static Watch defaults() {
            return new Watch(60 * SECONDS, 5 * SECONDS, 60 * SECONDS, 60 * SECONDS);
        }
    }

    public KafkaSourceSettings consumers(int count) {
        return with(draft -> draft.consumers = count);
    }

    public KafkaSourceSettings onNoOffset(OnNoOffset choice) {
        return with(draft -> draft.onNoOffset = choice);
    }

    public KafkaSourceSettings onLostOffset(OnLostOffset choice) {
        return with(draft -> draft.onLostOffset = choice);
    }

    public KafkaSourceSettings startupTimeoutNanos(long nanos) {
        return with(draft -> draft.startupTimeoutNanos = nanos);
    }

    public KafkaSourceSettings groupProtocol(GroupProtocol protocol) {
        return with(draft -> draft.groupProtocol = protocol);
    }

    public KafkaSourceSettings properties(Map<String, String> clientProperties) {
        return with(draft -> draft.properties = clientProperties);
    }

    public KafkaSourceSettings values(Values how) {
        return with(draft -> draft.values = how);
    }

    public KafkaSourceSettings checkpoint(Checkpoint when) {
        return with(draft -> draft.checkpoint = when);
    }

    public KafkaSourceSettings membership(Membership bounds) {
        return with(draft -> draft.membership = bounds);
    }

    public KafkaSourceSettings watch(Watch often) {
        return with(draft -> draft.watch = often);
    }

    /// After how long without a heartbeat the group puts a member out; Kafka's own default where
    /// the file says nothing.
    long sessionTimeoutNanos() {
        var millis = properties.get("session.timeout.ms");
        return (millis == null ? 45_000 : Long.parseLong(millis.strip())) * MILLIS;
    }

    /// Under effectively-once delivery; null without.
    public KafkaSourceSettings planning(@Nullable Planning how) {
        return with(draft -> draft.planning = how);
    }

    /// Whether segments that are open under other settings are cut anew, and their rows perhaps
    /// stored twice; else the process ends.
    public KafkaSourceSettings replans(boolean choice) {
        return with(draft -> draft.replans = choice);
    }

    /// What is left unread. While there is any, a poll takes one record: the client unpacks all that a poll gives.
    public KafkaSourceSettings skips(List<Skip> choice) {
        return with(draft -> draft.skips = choice);
    }

    private KafkaSourceSettings with(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.settings();
    }

    /// The same settings while one of them is changed.
    private static final class Draft {
        private final KafkaSourceSettings before;
        private int consumers;
        private OnNoOffset onNoOffset;
        private OnLostOffset onLostOffset;
        private long startupTimeoutNanos;
        private GroupProtocol groupProtocol;
        private Map<String, String> properties;
        private Values values;
        private Checkpoint checkpoint;
        private Membership membership;
        private Watch watch;
        private @Nullable Planning planning;
        private boolean replans;
        private List<Skip> skips;

        Draft(KafkaSourceSettings before) {
            this.before = before;
            consumers = before.consumers;
            onNoOffset = before.onNoOffset;
            onLostOffset = before.onLostOffset;
            startupTimeoutNanos = before.startupTimeoutNanos;
            groupProtocol = before.groupProtocol;
            properties = before.properties;
            values = before.values;
            checkpoint = before.checkpoint;
            membership = before.membership;
            watch = before.watch;
            planning = before.planning;
            replans = before.replans;
            skips = before.skips;
        }

        KafkaSourceSettings settings() {
            return new KafkaSourceSettings(
                    before.bootstrapServers,
                    before.topics,
                    before.groupId,
                    consumers,
                    onNoOffset,
                    onLostOffset,
                    startupTimeoutNanos,
                    groupProtocol,
                    properties,
                    values,
                    checkpoint,
                    membership,
                    watch,
                    planning,
                    replans,
                    skips);
        }
    }
}
