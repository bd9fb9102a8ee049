package dev.millrace.postgres;

import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Layouts;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/// Writes to one endpoint: each batch in one transaction over a pooled session, each ping over a
/// session of its own. What holds a batch up may be a table that changed, so then `tableChanged`
/// is called. With `tokens` each batch's token is entered with its rows.
///
/// Thread ownership: shared by attempts.
final class PostgresWriter implements SinkWriter {
    private static final String WOULD_WRITE =
            "select pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('transaction_read_only') = 'on'";

    private final Logins logins;
    private final Sessions sessions;
    private final OnConflict onConflict;
    private final Layouts<TableDescription> layouts;
    private final Runnable tableChanged;
    private final NanoClock clock;
    private final @Nullable Tokens tokens;

    /// How a writer enters tokens, where its sink does.
    record Tokens(TokenUse use, ShardId shard, TokenPruning pruning) {}

    PostgresWriter(
            Logins logins,
            Sessions sessions,
            OnConflict onConflict,
            Layouts<TableDescription> layouts,
            Runnable tableChanged,
            NanoClock clock,
            @Nullable Tokens tokens) {
        this.logins = logins;
        this.sessions = sessions;
        this.onConflict = onConflict;
        this.layouts = layouts;
        this.tableChanged = tableChanged;
        this.clock = clock;
        this.tokens = tokens;
    }

    @Override
    public WriteOutcome write(WriteCall call) {
        var attempt = new Attempt(clock, call.deadlineNanos());
        call.onCancel(attempt::cancel);
        var described = layouts.of(call.batch().layout());
        var token = token(call, described);
        var outcome = new BatchWrite(sessions, attempt, described, onConflict, call.rows(), token).run();
        if (outcome instanceof WriteOutcome.Misconfigured) tableChanged.run();
        if (tokens != null && token != null && outcome instanceof WriteOutcome.Written)
            tokens.pruning().wrote(token.table(), token.partition());
        return outcome;
    }

    private @Nullable TokenRow token(WriteCall call, TableDescription described) {
        if (tokens == null || !tokens.use().on(tokens.shard())) return null;
        return TokenRow.of(
                new TokenTable(described.schema()), tokens.use().settings().pipeline(), call);
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
        if (tokens != null) tokens.pruning().close();
        sessions.close();
    }
}
