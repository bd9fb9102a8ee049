package dev.millrace.postgres;

import dev.millrace.postgres.PostgresSettings.Login;
import java.io.Closeable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.postgresql.Driver;
import org.postgresql.jdbc.PgConnection;

/// Logs in to one endpoint, and knows the wire of every session that it made.
///
/// Invariant: a login ends within its limit, whatever the server dribbles: then its wire is cut.
///
/// Thread ownership: shared; its sets are guarded by themselves.
final class Logins implements Closeable {
    private final PostgresEndpoint endpoint;
    private final Login login;
    private final Duration limit;
    private final ScheduledExecutorService timer;
    private final Driver driver = new Driver();
    private final Map<Connection, Wire> wires = Collections.synchronizedMap(new WeakHashMap<>());
    private final Set<Wire> underWay = Collections.synchronizedSet(new HashSet<>());
    private volatile boolean closed;

    Logins(PostgresEndpoint endpoint, Login login, Duration limit, ScheduledExecutorService timer) {
        this.endpoint = endpoint;
        this.login = login;
        this.limit = limit;
        this.timer = timer;
    }

    PostgresEndpoint endpoint() {
        return endpoint;
    }

    /// A session in auto-commit over a wire of the caller's. The caller closes it.
    PgConnection open(Wire wire) throws SQLException {
        underWay.add(wire);
        try {
            // Looked at after the wire is known: a close in between cuts it, or is seen here.
            if (closed) throw new SQLException("the sink is closed", "08003");
            var late = new AtomicBoolean();
            var alarm = timer.schedule(
                    () -> {
                        late.set(true);
                        wire.cut();
                    },
                    limit.toMillis(),
                    TimeUnit.MILLISECONDS);
            try {
                return open(wire, endpoint.properties(login.user(), password(), login.tls(), limit));
            } catch (SQLException failure) {
                // Else it looks as if the server had closed what was cut here.
                throw late.get() ? unanswered(failure) : failure;
            } finally {
                alarm.cancel(false);
            }
        } catch (RejectedExecutionException _) {
            throw new SQLException("the sink is closed", "08003");
        } finally {
            underWay.remove(wire);
        }
    }

    private SQLException unanswered(SQLException failure) {
        return new SQLException("no answer within " + limit.toMillis() + " ms", "08001", failure);
    }

    private PgConnection open(Wire wire, Properties properties) throws SQLException {
        var made = ScopedValue.where(Wire.OF_LOGIN, wire).call(() -> driver.connect(endpoint.jdbcUrl(), properties));
        if (!(made instanceof PgConnection session)) throw new IllegalStateException("not the driver's URL");
        wires.put(session, wire);
        return session;
    }

    private String password() throws SQLException {
        try {
            return login.password().reveal();
        } catch (RuntimeException failure) {
            // Its text stays untold: it is about a secret.
            throw new SQLException("no password: " + failure.getClass().getSimpleName(), "28000");
        }
    }

    /// A session over a wire that cancelling the attempt cuts, from before it is connected.
    PgConnection open(Attempt attempt) throws SQLException {
        var wire = new Wire();
        attempt.holds(wire);
        return open(wire);
    }

    Wire wire(PgConnection session) {
        var wire = wires.get(session);
        if (wire == null) throw new IllegalStateException("a session of somebody else's");
        return wire;
    }

    /// Cuts all there is. Later logins are refused.
    @Override
    public void close() {
        closed = true;
        synchronized (underWay) {
            underWay.forEach(Wire::cut);
        }
        synchronized (wires) {
            wires.values().forEach(Wire::cut);
        }
    }
}
