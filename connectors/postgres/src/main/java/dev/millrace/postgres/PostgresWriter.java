package dev.millrace.postgres;

import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import java.sql.SQLException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Writes to one endpoint: each batch in one transaction over a pooled session, each ping over a session of
/// its own.
///
/// Thread ownership: shared by attempts.
final class PostgresWriter implements SinkWriter {
    private static final String WOULD_WRITE =
            "select pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('transaction_read_only') = 'on'";

    private final Logins logins;
    private final Sessions sessions;
    private final OnConflict onConflict;
    private final Supplier<@Nullable TableDescription> table;
    private final NanoClock clock;

    PostgresWriter(
            Logins logins,
            Sessions sessions,
            OnConflict onConflict,
            Supplier<@Nullable TableDescription> table,
            NanoClock clock) {
        this.logins = logins;
        this.sessions = sessions;
        this.onConflict = onConflict;
        this.table = table;
        this.clock = clock;
    }

    @Override
    public WriteOutcome write(WriteCall call) {
        var described = table.get();
        if (described == null)
            return new WriteOutcome.Misconfigured(
                    new Failure("not-described", "the table has not been described yet", false));
        var attempt = new Attempt(clock, call.deadlineNanos());
        call.onCancel(attempt::cancel);
        return new BatchWrite(sessions, attempt, described, onConflict, call.rows()).run();
    }

    @Override
    public WriteOutcome ping(PingCall call) {
        var attempt = new Attempt(clock, call.deadlineNanos());
        call.onCancel(attempt::cancel);
        try (var session = logins.open(attempt)) {
            session.setNetworkTimeout(Runnable::run, attempt.remainingMillis());
            try (var statement = session.createStatement();
                    var answer = statement.executeQuery(WOULD_WRITE)) {
                if (!answer.next()) return unavailable("no-answer", "an empty answer to the ping");
                if (answer.getBoolean(1)) return unavailable("standby", "the server is a standby");
                if (answer.getBoolean(2)) return unavailable("read-only", "the server is read-only");
                return new WriteOutcome.Written(0, 0);
            }
        } catch (SQLException failure) {
            if (attempt.cancelled()) return unavailable("cancelled", "the ping ended at its deadline");
            return new Verdict(Phase.LOGIN, failure, false).outcome("", 0);
        }
    }

    private static WriteOutcome unavailable(String code, String message) {
        return new WriteOutcome.Unavailable(new Failure(code, message, false), new Blame.Replica());
    }

    /// Ends every attempt under way. Bounded.
    @Override
    public void close() {
        sessions.close();
    }
}
