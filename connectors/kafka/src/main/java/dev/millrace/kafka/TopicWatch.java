package dev.millrace.kafka;

import dev.millrace.checkpoint.TopicId;
import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.sinkpool.NanoClock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Watches, beside the poll loops, whether topics are still the ones that are read, where their logs end, and whether a
/// transaction hangs there.
///
/// A consumer knows no topic ids: of a topic that was deleted and made again it would read on from the old position,
/// without an exception. So ids are read when a partition is assigned, every minute, and when a log is shorter than
/// what was read. A topic counts as gone when it was missing three times in a row.
///
/// Thread ownership: its own thread; `ask` and `stop` from any.
final class TopicWatch implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicWatch.class);
    private static final long CALL_NANOS = 10_000_000_000L;
    private static final long ENDS_NANOS = 1_000_000_000L;
    private static final int GONE_AFTER = 3;
    private static final long GONE_AGAIN_NANOS = 500_000_000L;

    /// Whom it tells: one for each member.
    interface Reader {
        /// The topic is no longer the one that was read; `is` is null where it is gone.
        void changed(String topic, TopicId was, @Nullable TopicId is);

        /// These were read just now.
        void identified(Map<String, TopicId> topics);

        /// Nobody watches any more: a partition that arrives would wait for ever, and a topic made anew be read on.
        void unwatched(Throwable why);
    }

    private final KafkaSourceSettings.Watch often;
    private final StableOffsets stableOffsets;
    private final AdminCalls calls;
    private final NanoClock clock;
    private final Accounts accounts;
    private final List<? extends Reader> readers;
    private final Set<String> asked = ConcurrentHashMap.newKeySet();
    private final TreeMap<String, TopicId> known = new TreeMap<>();
    private final Map<String, Integer> missed = new HashMap<>();
    private final Set<String> told = new HashSet<>();
    private volatile @Nullable Thread thread;
    private volatile boolean stopped;
    private volatile @Nullable Long silentNanos;
    private volatile @Nullable Long heardNanos;
    private boolean failing;
    private long identityNanos;

    TopicWatch(
            KafkaSourceSettings.Watch often,
            AdminCalls calls,
            NanoClock clock,
            Accounts accounts,
            List<? extends Reader> readers,
            Map<String, TopicId> known) {
        this.often = often;
        this.stableOffsets = new StableOffsets(often.hangingNanos());
        this.calls = calls;
        this.clock = clock;
        this.accounts = accounts;
        this.readers = readers;
        this.known.putAll(known);
    }

    /// Looks at these as soon as may be; every reader is told.
    void ask(Set<String> topics) {
        asked.addAll(topics);
        LockSupport.unpark(thread);
    }

    /// Nothing is begun any more (DRN-7), but for what is asked: a partition that arrives while draining has no need
    /// of it.
    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    @Override
    public void run() {
        try {
            watch();
        } catch (Throwable failure) {
            if (stopped) return; // nobody needs it any more
            LOG.atError()
                    .addKeyValue("event", "topic_watch_died")
                    .setCause(failure)
                    .log("the topics are watched no more");
            for (var reader : readers) reader.unwatched(failure);
        }
    }

    private void watch() {
        thread = Thread.currentThread();
        identityNanos = clock.nanoTime() + often.identityNanos();
        var lagNanos = clock.nanoTime();
        try {
            while (!stopped) {
                var answered = lookAtTopics();
                // Also where topics are not described: logs end somewhere all the same.
                if (NanoClock.reached(lagNanos, clock.nanoTime())) {
                    readEnds();
                    lagNanos = clock.nanoTime() + often.lagNanos();
                }
                if (answered) sleep(NanoClock.earlier(identityNanos, lagNanos));
                else pause();
            }
        } catch (AdminCalls.Stopped _) {
            // Nobody waits for an answer any more.
        }
    }

    /// Returns false where it failed in passing.
    private boolean lookAtTopics() {
        var now = clock.nanoTime();
        var topics = new TreeSet<>(asked);
        asked.removeAll(topics);
        if (NanoClock.reached(identityNanos, now)) {
            topics.addAll(known.keySet());
            identityNanos = now + often.identityNanos();
        }
        topics.addAll(missed.keySet());
        try {
            if (!topics.isEmpty()) {
                identify(topics);
                silentNanos = null;
            }
            failing = false;
            return true;
        } catch (Failed failed) {
            // A refusal is an answer.
            if (failed.why() instanceof RetriableException) silentSince(now);
            else silentNanos = null;
            tellFailure(failed);
            return false;
        }
    }

    /// For how long no broker has answered anything, from when one did not answer what is asked beside the poll loops;
    /// 0 where one has.
    long silentForNanos(long nowNanos) {
        var since = silentNanos;
        if (since == null) return 0;
        var heard = heardNanos;
        return Math.max(0, nowNanos - (heard == null || heard - since < 0 ? since : heard));
    }

    /// A broker has answered something. On any thread.
    void heard() {
        heardNanos = clock.nanoTime();
    }

    private void silentSince(long nanos) {
        if (silentNanos == null) silentNanos = nanos;
    }

    // Also where something is asked for: what has just failed is among it, and may fail as fast again.
    private void pause() {
        var until = clock.nanoTime() + GONE_AGAIN_NANOS;
        for (var left = GONE_AGAIN_NANOS; !stopped && left > 0; left = until - clock.nanoTime())
            LockSupport.parkNanos(this, left);
    }

    private void sleep(long untilNanos) {
        if (!missed.isEmpty()) untilNanos = NanoClock.earlier(untilNanos, clock.nanoTime() + GONE_AGAIN_NANOS);
        while (!stopped && asked.isEmpty()) {
            var left = untilNanos - clock.nanoTime();
            if (left <= 0) return;
            LockSupport.parkNanos(this, left);
        }
    }

    // A Kafka outage is no news every half second.
    private void tellFailure(Failed failed) {
        if (!failing)
            LOG.atWarn()
                    .addKeyValue("event", "topic_watch_failed")
                    .log(
                            "what=\"{}\" why=\"{}\"",
                            failed.getMessage(),
                            failed.why().getMessage());
        failing = true;
    }

    private void identify(Set<String> topics) throws Failed {
        Map<String, AdminCalls.Topic> described;
        try {
            described = calls.describe(topics, clock.nanoTime() + CALL_NANOS);
        } catch (Failed failed) {
            asked.addAll(topics);
            throw failed;
        }
        var found = new HashMap<String, TopicId>();
        for (var name : topics) {
            var topic = described.get(name);
            var was = known.get(name);
            if (topic == null) {
                if (was != null && missed.merge(name, 1, Integer::sum) >= GONE_AFTER) changed(name, was, null);
                continue;
            }
            missed.remove(name);
            found.put(name, topic.id());
            if (was == null) known.put(name, topic.id());
            else if (!was.equals(topic.id())) changed(name, was, topic.id());
        }
        for (var reader : readers) reader.identified(Map.copyOf(found));
    }

    // Told once: the process ends for it.
    private void changed(String topic, TopicId was, @Nullable TopicId is) {
        missed.remove(topic);
        if (is == null) known.remove(topic);
        if (!told.add(topic)) return;
        for (var reader : readers) reader.changed(topic, was, is);
    }

    // Short: what is asked here must not keep the identities waiting.
    private void readEnds() {
        var owned = new HashMap<TopicPartition, PartitionAccount>();
        for (var account : accounts.all())
            if (account.owner() != PartitionAccount.NOBODY) owned.put(CommitCall.kafka(account.partition), account);
        if (owned.isEmpty()) return;
        var asking = clock.nanoTime();
        var ends = calls.ends(owned.keySet(), IsolationLevel.READ_COMMITTED, asking + ENDS_NANOS, this::heard);
        var now = clock.nanoTime();
        if (ends.isEmpty()) silentSince(asking);
        else silentNanos = null;
        ends.forEach((partition, end) -> {
            var account = owned.get(partition);
            if (account != null) account.end(end, now);
        });
        lookForTransactions(owned, ends);
    }

    // What is not committed has to be asked for after what is: else every record that comes between looks like one.
    private void lookForTransactions(Map<TopicPartition, PartitionAccount> owned, Map<TopicPartition, Long> stable) {
        stableOffsets.keep(owned.keySet());
        var ends = calls.ends(
                stable.keySet(), IsolationLevel.READ_UNCOMMITTED, clock.nanoTime() + ENDS_NANOS, this::heard);
        ends.forEach((partition, end) -> {
            var account = owned.get(partition);
            var from = stable.get(partition);
            if (account == null || from == null) return;
            var now = clock.nanoTime();
            switch (stableOffsets.look(partition, from, end, now)) {
                case StableOffsets.Seen.Nothing() -> account.noTransactionHangs();
                case StableOffsets.Seen.Hangs(var at, var since, var news) -> {
                    if (!news) return;
                    var producer = calls.producerOf(partition, at, now + ENDS_NANOS);
                    account.transactionHangs(at, since, producer);
                    LOG.atWarn()
                            .addKeyValue("event", "transaction_hangs")
                            .log(
                                    "partition={} stable_offset={} behind_it={} seconds={} producer_id={}",
                                    partition,
                                    at,
                                    end - at,
                                    seconds(now - since),
                                    producer == null ? "unknown" : producer);
                }
                case StableOffsets.Seen.Ended(var at, var after) -> {
                    account.noTransactionHangs();
                    LOG.atInfo()
                            .addKeyValue("event", "transaction_hung")
                            .log("partition={} stable_offset={} seconds={}", partition, at, seconds(after));
                }
            }
        });
    }

    private static long seconds(long nanos) {
        return nanos / 1_000_000_000L;
    }
}
