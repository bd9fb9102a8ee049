package dev.millrace.postgres;

import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.NewestTokens.Answer;
import dev.millrace.sinkpool.WriteOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

/// Asks the endpoints of a shard, one after the other, whether a token is still there.
///
/// A standby that has it says so; one that lacks it says nothing, since it may be behind.
///
/// Thread ownership: the thread that asks.
final class TokenQuestion {
    static final int PREFIX = 8;

    private static final String WHERE = """
            select pg_catalog.pg_is_in_recovery(), n.nspname,
                   exists (select from pg_catalog.pg_class s
                            where s.relnamespace = n.oid and s.relname = ? and s.relkind in ('r', 'p'))
              from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
             where c.oid = pg_catalog.to_regclass(?)""";

    private final PostgresSettings settings;
    private final ScheduledExecutorService timer;
    private final NanoClock clock;

    TokenQuestion(PostgresSettings settings, ScheduledExecutorService timer, NanoClock clock) {
        this.settings = settings;
        this.timer = timer;
        this.clock = clock;
    }

    Answer ask(List<PostgresEndpoint> ways, byte[] prefix, long deadlineNanos) {
        if (prefix.length != PREFIX)
            throw new IllegalArgumentException("a prefix of " + prefix.length + " bytes, and not " + PREFIX);
        Answer answer = new Answer.CannotTell("no time left");
        for (var way : ways) {
            if (NanoClock.reached(deadlineNanos, clock.nanoTime())) return answer;
            answer = ask(way, prefix, deadlineNanos);
            if (!(answer instanceof Answer.CannotTell)) return answer;
        }
        return answer;
    }

    private Answer ask(PostgresEndpoint way, byte[] prefix, long deadlineNanos) {
        var attempt = new Attempt(clock, deadlineNanos);
        var logins = new Logins(
                way, settings.login(), attempt.atMost(settings.limits().connectTimeout()), timer);
        try (var session = logins.open(attempt)) {
            session.setNetworkTimeout(Runnable::run, attempt.remainingMillis());
            return answer(session, way, prefix);
        } catch (SQLException failure) {
            var told = switch (new Verdict(Phase.LOGIN, failure, false).outcome("", 0)) {
                case WriteOutcome.Misconfigured(var why) -> why;
                case WriteOutcome.Unavailable(var why, var _) -> why;
                case WriteOutcome.Refused(var why, var _) -> why;
                case WriteOutcome.TooLarge(var why) -> why;
                case WriteOutcome.Written _ -> throw new IllegalStateException("a failure that wrote");
            };
            return new Answer.CannotTell(way + ": " + told);
        }
    }

    private Answer answer(Connection session, PostgresEndpoint way, byte[] prefix) throws SQLException {
        try (var asked = session.prepareStatement(WHERE)) {
            asked.setString(1, TokenTable.NAME);
            asked.setString(2, settings.tableName().quoted());
            try (var where = asked.executeQuery()) {
                if (!where.next())
                    return new Answer.CannotTell(way + ": table " + settings.table() + " does not exist");
                var known = where.getBoolean(3) && known(session, new TokenTable(where.getString(2)), prefix);
                if (known) return new Answer.Known();
                return where.getBoolean(1)
                        ? new Answer.CannotTell(way + ": it is a standby, and may be behind its primary")
                        : new Answer.Missing();
            }
        }
    }

    private static boolean known(Connection session, TokenTable table, byte[] prefix) throws SQLException {
        try (var asked = session.prepareStatement(
                "select exists (select from " + table.quotedName() + " where token between ? and ?)")) {
            asked.setBytes(1, prefix);
            asked.setBytes(2, TokenKey.lastOf(prefix));
            try (var answer = asked.executeQuery()) {
                return answer.next() && answer.getBoolean(1);
            }
        }
    }
}
