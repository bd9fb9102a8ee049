package dev.millrace.postgres;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.postgres.PostgresSettings.Tokens;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.PgConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Takes tokens out of their table that nobody can ask for any more, at most once an hour.
///
/// Invariant: a token goes only if `keptSegments` later segments of its partition and shard, by
/// offset and by when they were entered, are stored, and it is older than seven days. No plan
/// holds so many segments, and it holds them without a gap: so when the last of those was let out,
/// this one was in no plan any more, and the committed offset was past it. That holds after a stop
/// of months with segments open; and where a topic is read again from its beginning, the tokens of
/// the first reading take none of the second's. The newest of a partition is never taken.
///
/// Thread ownership: shared by attempts; it prunes on a virtual thread of its own, over a session
/// of its own, and never in the transaction of a write.
final class TokenPruning {
    private static final Logger LOG = LoggerFactory.getLogger(TokenPruning.class);
    private static final Duration FIRST = Duration.ofMinutes(5);
    private static final Duration EVERY = Duration.ofHours(1);
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final int AT_ONCE = 10_000;

    /// The segments that are kept are read from the newest on, by the table's index. Where there
    /// are fewer, none is before them.
    private static final String DELETE = """
            delete from SEGMENTS where token in (
              select s.token
                from SEGMENTS s,
                     (select min(at) as at, min(seg_end) as seg_end
                        from (select n.seg_end, max(n.at) as at from SEGMENTS n
                               where n.topic_id = ? and n.part = ? and n.pipeline = ? and n.sink = ? and n.shard = ?
                               group by n.seg_end order by n.seg_end desc limit ?) newest) kept
               where s.topic_id = ? and s.part = ? and s.pipeline = ? and s.sink = ? and s.shard = ?
                 and s.seg_end < kept.seg_end and s.at < kept.at
                 and s.at < pg_catalog.now() - interval '7 days'
               order by s.seg_end limit ?)""";

    private final Logins logins;
    private final Tokens settings;
    private final ShardId shard;
    private final NanoClock clock;
    private final Set<SourcePartition> written = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean underWay = new AtomicBoolean();
    private volatile long dueNanos;
    private volatile boolean closed;

    TokenPruning(Logins logins, Tokens settings, ShardId shard, NanoClock clock) {
        this.logins = logins;
        this.settings = settings;
        this.shard = shard;
        this.clock = clock;
        dueNanos = NanoClock.due(clock.nanoTime(), FIRST.toNanos());
    }

    /// Rows of this partition were stored. Returns at once.
    void wrote(TokenTable table, SourcePartition partition) {
        written.add(partition);
        if (closed || !NanoClock.reached(dueNanos, clock.nanoTime()) || !underWay.compareAndSet(false, true)) return;
        dueNanos = NanoClock.due(clock.nanoTime(), EVERY.toNanos());
        Thread.ofVirtual().name("millrace-prune-" + shard).start(() -> {
            try {
                tell(prune(table));
            } finally {
                underWay.set(false);
            }
        });
    }

    /// How many tokens are gone, and what ended it, if anything did.
    record Pruned(long tokens, @Nullable SQLException failure) {}

    private void tell(Pruned pruned) {
        if (pruned.tokens() > 0)
            LOG.atInfo()
                    .addKeyValue("event", "postgres_tokens_pruned")
                    .log("shard={} tokens={}", shard, pruned.tokens());
        var failure = pruned.failure();
        if (failure != null && !closed)
            LOG.atWarn()
                    .addKeyValue("event", "postgres_prune_failed")
                    .log("shard={} {}", shard, new Verdict(Phase.BEGIN, failure, false).outcome("", 0));
    }

    /// What was written since the last time. Blocks.
    Pruned prune(TokenTable table) {
        var attempt = new Attempt(clock, NanoClock.due(clock.nanoTime(), LIMIT.toNanos()));
        var tokens = 0L;
        try (var session = logins.open(attempt)) {
            session.setNetworkTimeout(Runnable::run, attempt.remainingMillis());
            try (var limits = session.createStatement()) {
                limits.execute(
                        "set statement_timeout = " + LIMIT.toMillis() + "; set lock_timeout = " + LIMIT.toMillis() / 2);
            }
            for (var partition : Set.copyOf(written)) {
                // What is written meanwhile is looked at again the next time.
                written.remove(partition);
                for (var gone = AT_ONCE; gone == AT_ONCE; tokens += gone) {
                    attempt.mustGoOn();
                    session.setNetworkTimeout(Runnable::run, attempt.remainingMillis());
                    gone = prune(session, table, partition);
                }
            }
            return new Pruned(tokens, null);
        } catch (SQLException failure) {
            return new Pruned(tokens, failure);
        }
    }

    private int prune(PgConnection session, TokenTable table, SourcePartition partition) throws SQLException {
        try (var delete = session.prepareStatement(DELETE.replace("SEGMENTS", table.quotedName()))) {
            var at = place(delete, 1, partition);
            delete.setInt(at++, settings.keptSegments());
            at = place(delete, at, partition);
            delete.setInt(at, AT_ONCE);
            return delete.executeUpdate();
        }
    }

    private int place(PreparedStatement delete, int from, SourcePartition partition) throws SQLException {
        delete.setString(from, partition.topicId().text());
        delete.setInt(from + 1, partition.partition());
        delete.setString(from + 2, settings.pipeline());
        delete.setString(from + 3, shard.sink());
        delete.setString(from + 4, shard.shard());
        return from + 5;
    }

    boolean underWay() {
        return underWay.get();
    }

    /// Its session is cut with the endpoint's others.
    void close() {
        closed = true;
    }
}
