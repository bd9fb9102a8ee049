package dev.millrace.postgres;

import dev.millrace.postgres.PostgresSettings.Login;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.postgresql.jdbc.PgConnection;

/// Makes the table of tokens in every shard's database, beside the table of the rows, where it is not.
///
/// Thread ownership: the thread that asks; it asks shards on virtual threads of its own.
public final class TokenTables {
    private static final int AT_ONCE = 8;
    private static final int TRIES = 3;
    private static final String NO_RIGHT = "42501";

    private static final String WHERE = """
            select pg_catalog.pg_is_in_recovery(),
                   (select n.nspname from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
                     where c.oid = pg_catalog.to_regclass(?))""";

    /// What became of one shard. `where` is the endpoint, `table` the table's name with its schema.
    public sealed interface Made {
        record Created(String where, String table) implements Made {}

        /// It was there, and will do.
        record Found(String where, String table) implements Made {}

        /// A person has to mend something. `remedy` may be empty.
        record Refused(String where, String reason, String remedy) implements Made {}

        record NotReachable(String where, String reason) implements Made {}
    }

    private final TableName name;
    private final Login login;
    private final Duration connectTimeout;
    private final NanoClock clock;

    /// Throws `IllegalArgumentException` for a table that is neither `name` nor `schema.name`.
    public TokenTables(String table, Login login, Duration connectTimeout, NanoClock clock) {
        name = TableName.parse(table);
        this.login = login;
        this.connectTimeout = connectTimeout;
        this.clock = clock;
    }

    /// The SQL that makes it, for who may make tables, with a line that says where. Connects nowhere.
    public static String sql(String table) {
        var name = TableName.parse(table);
        var schema = name.schema();
        var quoted = schema == null ? TokenTable.NAME : schema.quoted() + '.' + TokenTable.NAME;
        var where = schema == null
                ? "-- in the schema that holds table " + name.table().quoted() + ": set search_path to it first\n"
                : "";
        return where + String.join(";\n", TokenTable.statements(quoted)) + ";\n";
    }

    /// Asks the endpoints of each shard one after the other, until one answers that is no standby.
    ///
    /// Blocks until all shards are done, at most to the deadline, or little longer.
    public Map<ShardId, Made> make(Map<ShardId, List<URI>> shards, long deadlineNanos) throws InterruptedException {
        var timer = new ScheduledThreadPoolExecutor(
                1, Thread.ofPlatform().daemon().name("millrace-init").factory());
        var made = new LinkedHashMap<ShardId, Made>();
        try (var threads =
                Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory())) {
            var asked = new LinkedHashMap<ShardId, Future<Made>>();
            shards.forEach((shard, addresses) ->
                    asked.put(shard, threads.submit((Callable<Made>) () -> make(addresses, timer, deadlineNanos))));
            for (var entry : asked.entrySet())
                made.put(entry.getKey(), entry.getValue().get());
        } catch (ExecutionException bug) {
            throw new IllegalStateException("making a table failed", bug.getCause());
        } finally {
            timer.shutdownNow();
        }
        return made;
    }

    private Made make(List<URI> addresses, ScheduledExecutorService timer, long deadlineNanos) {
        Made made = new Made.NotReachable(addresses.getFirst().toString(), "no time left");
        for (var address : addresses) {
            if (NanoClock.reached(deadlineNanos, clock.nanoTime())) return made;
            made = make(PostgresEndpoint.of(address), timer, deadlineNanos);
            if (!(made instanceof Made.NotReachable)) return made;
        }
        return made;
    }

    private Made make(PostgresEndpoint way, ScheduledExecutorService timer, long deadlineNanos) {
        var attempt = new Attempt(clock, deadlineNanos);
        try (var session = new Logins(way, login, attempt.atMost(connectTimeout), timer).open(attempt)) {
            session.setNetworkTimeout(Runnable::run, attempt.remainingMillis());
            return make(session, way, attempt);
        } catch (SQLException failure) {
            return failed(way, failure);
        }
    }

    private Made make(PgConnection session, PostgresEndpoint way, Attempt attempt) throws SQLException {
        try (var asked = session.prepareStatement(WHERE)) {
            asked.setString(1, name.quoted());
            try (var answer = asked.executeQuery()) {
                if (!answer.next()) throw new IllegalStateException("a select without a from has a row");
                if (answer.getBoolean(1))
                    return new Made.NotReachable(way.toString(), "it is a standby: name its primary");
                var schema = answer.getString(2);
                if (schema != null) return beside(session, way, attempt, new TokenTable(schema));
                return new Made.Refused(
                        way.toString(),
                        "table " + name + " does not exist",
                        "create it, name it with its schema, or allow USAGE on that schema");
            }
        }
    }

    private static Made beside(PgConnection session, PostgresEndpoint way, Attempt attempt, TokenTable table)
            throws SQLException {
        var created = false;
        for (var tries = TRIES; ; tries--) {
            switch (table.look(session)) {
                case TokenTable.Look.Ready() -> {
                    return created
                            ? new Made.Created(way.toString(), table.toString())
                            : new Made.Found(way.toString(), table.toString());
                }
                case TokenTable.Look.Wrong(var what, var remedy) -> {
                    return new Made.Refused(way.toString(), what, remedy);
                }
                case TokenTable.Look.Absent() -> {
                    try {
                        created = create(session, attempt, table);
                    } catch (SQLException failure) {
                        if (tries <= 1 || !madeMeanwhile(failure)) throw failure;
                    }
                }
            }
        }
    }

    /// Returns whether it was this call that did.
    private static boolean create(PgConnection session, Attempt attempt, TokenTable table) throws SQLException {
        attempt.mustGoOn();
        session.setAutoCommit(false);
        try (var statement = session.createStatement()) {
            var left = attempt.remainingMillis();
            statement.execute("set local statement_timeout = " + left + "; set local lock_timeout = " + left);
            oneAfterTheOther(session, table);
            var absent = table.look(session) instanceof TokenTable.Look.Absent;
            if (absent) for (var sql : TokenTable.statements(table.quotedName())) statement.execute(sql);
            session.commit();
            return absent;
        } finally {
            if (!session.isClosed()) session.setAutoCommit(true);
        }
    }

    private static void oneAfterTheOther(PgConnection session, TokenTable table) throws SQLException {
        try (var lock = session.prepareStatement(
                "select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(?, 0))")) {
            lock.setString(1, table.quotedName());
            lock.execute();
        }
    }

    /// By somebody else's hand: `if not exists` looks, and then makes, so of two that look at once
    /// one fails.
    private static boolean madeMeanwhile(SQLException failure) {
        return "23505".equals(failure.getSQLState()) || "42P07".equals(failure.getSQLState());
    }

    private static Made failed(PostgresEndpoint way, SQLException failure) {
        if (NO_RIGHT.equals(failure.getSQLState()))
            return new Made.Refused(
                    way.toString(),
                    new Verdict(Phase.BEGIN, failure, true).outcome("", 0)
                                    instanceof WriteOutcome.Misconfigured(var why)
                            ? why.message()
                            : "no right to make a table",
                    "GRANT CREATE on the schema, or give the output of millrace init --print to who may make tables,"
                            + " and let him GRANT SELECT, INSERT, UPDATE, DELETE on it");
        return switch (new Verdict(Phase.LOGIN, failure, false).outcome("", 0)) {
            case WriteOutcome.Misconfigured(var why) ->
                new Made.Refused(
                        way.toString(),
                        why.toString(),
                        "look at postgres.user, postgres.password and the database's name, and what pg_hba.conf allows");
            case WriteOutcome.Unavailable(var why, var _) -> new Made.NotReachable(way.toString(), why.toString());
            case WriteOutcome.Refused(var why, var _) -> new Made.NotReachable(way.toString(), why.toString());
            case WriteOutcome.TooLarge(var why) -> new Made.NotReachable(way.toString(), why.toString());
            case WriteOutcome.Written _ -> throw new IllegalStateException("a failure that wrote");
        };
    }
}
