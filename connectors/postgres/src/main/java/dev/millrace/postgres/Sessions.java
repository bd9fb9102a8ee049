package dev.millrace.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.millrace.postgres.PostgresSettings.Limits;
import java.io.Closeable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import org.postgresql.jdbc.PgConnection;

/// The pooled sessions of one endpoint.
///
/// Logs in only while an attempt waits: a dead endpoint is not knocked at behind the breaker's back. The
/// first login that fails ends the wait of all who wait, so that "refused" is known when it happened and not
/// when the wait is over.
///
/// Invariant: an attempt that was cancelled holds no session.
///
/// Thread ownership: shared.
final class Sessions implements Closeable {
    private static final Duration KEEP_ALIVE = Duration.ofMinutes(2);
    private static final Duration MOST_LIFE = Duration.ofMinutes(30);
    private static final Duration MOST_IDLE = Duration.ofMinutes(10);
    private static final Duration VALIDATION = Duration.ofSeconds(2);

    private final Logins logins;
    private final Set<Attempt> waiting = ConcurrentHashMap.newKeySet();
    private final HikariDataSource pool;

    Sessions(Logins logins, Limits limits, ScheduledExecutorService housekeeping) {
        this.logins = logins;
        var config = new HikariConfig();
        config.setPoolName(logins.endpoint().toString());
        config.setDataSource(new LoginSource(logins, this::loginFailed));
        config.setMaximumPoolSize(limits.maxPerShard());
        config.setMinimumIdle(0);
        config.setAutoCommit(false);
        // Else the pool asks its first session, and where that is cut in the middle it goes on without: no login after
        // it
        // is any good.
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setInitializationFailTimeout(-1);
        config.setConnectionTimeout(limits.connectTimeout().toMillis());
        config.setValidationTimeout(
                Math.min(VALIDATION.toMillis(), limits.connectTimeout().toMillis()));
        config.setKeepaliveTime(KEEP_ALIVE.toMillis());
        config.setMaxLifetime(MOST_LIFE.toMillis());
        config.setIdleTimeout(MOST_IDLE.toMillis());
        config.setScheduledExecutor(housekeeping);
        pool = new HikariDataSource(config);
    }

    private void loginFailed(SQLException failure) {
        for (var attempt : waiting) attempt.loginFailed(failure);
    }

    /// A session for this attempt, which its cancel cuts. Waits at most the connect timeout.
    Connection borrow(Attempt attempt) throws SQLException {
        attempt.beginWaiting();
        waiting.add(attempt);
        Connection session;
        try {
            session = pool.getConnection();
        } catch (SQLException failure) {
            var cause = attempt.endWaiting();
            throw cause != null ? cause : failure;
        } finally {
            waiting.remove(attempt);
            attempt.endWaiting();
        }
        try {
            attempt.holds(logins.wire(session.unwrap(PgConnection.class)));
        } catch (SQLException over) {
            pool.evictConnection(session);
            throw over;
        }
        return session;
    }

    /// Back to the pool, as good as new, unless it was cancelled meanwhile: what is cut then must not be somebody
    /// else's. Must not change what the attempt knows, so it never throws.
    void giveBack(Connection session, Attempt attempt) {
        if (!attempt.released()) {
            discard(session, attempt);
            return;
        }
        try {
            session.close();
        } catch (SQLException _) {
            pool.evictConnection(session);
        }
    }

    /// Cuts it first, so that nothing waits for a server that does not answer. What broke it has most likely broken
    /// the others too, so none is lent again: else each would cost an attempt.
    void discard(Connection session, Attempt attempt) {
        var _ = attempt.released();
        try {
            logins.wire(session.unwrap(PgConnection.class)).cut();
        } catch (SQLException _) {
            // Closed already, and with it its socket.
        }
        pool.evictConnection(session);
        pool.getHikariPoolMXBean().softEvictConnections();
    }

    /// Ends what waits and what is held, then the pool. Bounded by the pool's own patience with threads that
    /// do not end.
    @Override
    public void close() {
        for (var attempt : waiting) attempt.cancel();
        logins.close();
        pool.close();
    }
}
