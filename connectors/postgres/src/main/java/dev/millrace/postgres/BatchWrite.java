package dev.millrace.postgres;

import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.util.PSQLWarning;

/// One attempt to write one batch: one transaction on one session.
///
/// Invariant: nothing is stored unless COMMIT was sent, and COMMIT is sent only when the server counted
/// every row, the table is the one that they were made for, and the call has not been cancelled.
/// With a token only rows are sent that no token names, and the token is entered with them.
///
/// Thread ownership: the attempt's thread.
final class BatchWrite {
    /// Rows are sent in messages of at most this many bytes: the server keeps each in memory whole.
    private static final int PIECE = 64 * 1024;

    private static final String STAGE = "millrace_rows";

    /// Written where a transaction waits for its standby: it is committed here, and nobody knows
    /// about there.
    private static final String NOT_REPLICATED = "SyncRepWaitForLSN";

    private final Sessions sessions;
    private final Attempt attempt;
    private final TableDescription table;
    private final OnConflict onConflict;
    private final BatchRows rows;
    private final @Nullable TokenRow token;
    /// Those of the rows that are sent, where it is not all of them.
    private @Nullable BitSet missing;

    private BatchRows sent;
    private Phase phase = Phase.LOGIN;
    private boolean settled;
    private boolean inStep;

    BatchWrite(
            Sessions sessions,
            Attempt attempt,
            TableDescription table,
            OnConflict onConflict,
            BatchRows rows,
            @Nullable TokenRow token) {
        this.sessions = sessions;
        this.attempt = attempt;
        this.table = table;
        this.onConflict = onConflict;
        this.rows = rows;
        this.token = token;
        sent = rows;
    }

    WriteOutcome run() {
        Connection session;
        try {
            session = sessions.borrow(attempt);
        } catch (SQLException failure) {
            return outcome(failure, false);
        }
        try {
            return transaction(session);
        } finally {
            if ((settled && !attempt.cancelled()) || rolledBack(session)) sessions.giveBack(session, attempt);
            else sessions.discard(session, attempt);
        }
    }

    private WriteOutcome transaction(Connection session) {
        try {
            session.setNetworkTimeout(Runnable::run, attempt.remainingMillis());
            phase = Phase.BEGIN;
            execute(session, opening());
            if (token != null && allNamed(driver(session), token)) return commit(session, 0);
            phase = Phase.ROWS;
            var taken = copy(session);
            inStep = taken != sent.rows();
            if (inStep) return tookOthers(taken);
            var stored = onConflict == OnConflict.IGNORE ? moveFromStage(session) : taken;
            inStep = stored > taken;
            if (inStep) return tookOthers(stored);
            // Our lock keeps the table as it is until COMMIT.
            var change = change(session, null);
            inStep = change != null;
            return change != null ? changed("table-changed", change) : commit(session, stored);
        } catch (SQLException failure) {
            inStep = Verdict.answered(failure) && !closed(session);
            var outcome = outcome(failure, inStep);
            return inStep && outcome instanceof WriteOutcome.Refused refused
                    ? refusedAsItWasDescribed(session, failure, refused)
                    : outcome;
        }
    }

    /// Whether tokens name all of the rows; else the token of those that they don't is entered.
    private boolean allNamed(Connection session, TokenRow token) throws SQLException {
        attempt.mustGoOn();
        var unnamed = token.missing(session);
        if (unnamed.isEmpty()) {
            token.seenAgain(session);
            return true;
        }
        if (unnamed.cardinality() < rows.rows()) {
            missing = unnamed;
            sent = rows.only(unnamed);
        }
        token.enter(session);
        return false;
    }

    private @Nullable String change(Connection session, @Nullable String withoutValue) throws SQLException {
        attempt.mustGoOn();
        return new TableCheck(table).change(driver(session), withoutValue);
    }

    /// A refusal says something of rows only if the table is the one that they were made for.
    private WriteOutcome refusedAsItWasDescribed(
            Connection session, SQLException failure, WriteOutcome.Refused refused) {
        // Nothing of it is there any more, so what fails now is in no doubt.
        phase = Phase.ROWS;
        try {
            session.rollback();
            var change = change(session, Verdict.columnWithoutValue(failure));
            var told = refused.failure();
            return change == null ? refused : changed(told.code(), told.message() + "; " + change);
        } catch (SQLException meanwhile) {
            inStep = Verdict.answered(meanwhile) && !closed(session);
            return outcome(meanwhile, false);
        }
    }

    private WriteOutcome changed(String code, String change) {
        var words =
                change + ": table " + table + " changed under rows that are on their way; they wait until it is as it"
                        + " was, or are read again as soon as every shard's table is like this one";
        return new WriteOutcome.Misconfigured(new Failure(code, words, false));
    }

    /// What holds for this transaction only, so that it also works behind a pooler that lends sessions.
    ///
    /// The server gives up before we do, locks first: then it answers with a code, and holds no
    /// row lock against the next attempt. Its keep-alives end a transaction whose client is gone
    /// without a word. No time limit of a statement reaches into the wait for a standby in COMMIT:
    /// the server ends it before.
    private String opening() {
        var left = attempt.remainingMillis();
        var sql = new StringBuilder(token == null ? "" : TokenRow.isolation() + "; ");
        sql.append("SET LOCAL statement_timeout = ").append(Math.max(1, left - left / 10));
        sql.append("; SET LOCAL lock_timeout = ").append(Math.max(1, left - left / 4));
        sql.append("; SET LOCAL idle_in_transaction_session_timeout = ").append(left);
        sql.append("; SET LOCAL tcp_keepalives_idle = 10; SET LOCAL tcp_keepalives_interval = 5");
        sql.append("; SET LOCAL tcp_keepalives_count = 3; SET LOCAL tcp_user_timeout = ")
                .append(left);
        // The same row must mean the same wherever Millrace runs: the driver would send this machine's zone.
        sql.append("; SET LOCAL TimeZone = 'UTC'; SET LOCAL client_min_messages = warning");
        // An answer to COMMIT must mean that it is on disk: a database or a role may have said otherwise.
        sql.append("; SELECT pg_catalog.set_config('synchronous_commit', 'on', true)")
                .append(" WHERE pg_catalog.current_setting('synchronous_commit') = 'off'");
        if (onConflict == OnConflict.IGNORE)
            sql.append("; CREATE TEMPORARY TABLE pg_temp.")
                    .append(STAGE)
                    .append(" (")
                    .append(table.columnDefinitions())
                    .append(") ON COMMIT DROP");
        if (token != null) sql.append("; ").append(token.lock());
        return sql.toString();
    }

    private long copy(Connection session) throws SQLException {
        attempt.mustGoOn();
        var target = onConflict == OnConflict.IGNORE ? "pg_temp." + STAGE : table.quotedName();
        var copy = driver(session)
                .getCopyAPI()
                .copyIn("COPY " + target + " (" + table.quotedColumns()
                        + ") FROM STDIN WITH (FORMAT text, ENCODING 'UTF8')");
        for (var slice : sent.slices()) {
            var array = slice.chunk().array();
            var from = slice.chunk().start(slice.fromRow());
            var to = from + slice.byteCount();
            for (; from < to; from += PIECE) {
                attempt.mustGoOn();
                copy.writeToCopy(array, from, Math.min(PIECE, to - from));
            }
        }
        attempt.mustGoOn();
        return copy.endCopy();
    }

    private long moveFromStage(Connection session) throws SQLException {
        attempt.mustGoOn();
        var columns = table.quotedColumns();
        try (var statement = driver(session).createStatement()) {
            return statement.executeLargeUpdate("INSERT INTO " + table.quotedName() + " (" + columns + ") SELECT "
                    + columns + " FROM pg_temp." + STAGE + " ON CONFLICT DO NOTHING");
        }
    }

    private WriteOutcome commit(Connection session, long stored) throws SQLException {
        var driver = driver(session);
        session.setNetworkTimeout(Runnable::run, attempt.remainingMillis());
        driver.clearWarnings();
        attempt.mustGoOn();
        phase = Phase.COMMIT;
        driver.commit();
        settled = true;
        if (notReplicated(driver.getWarnings()))
            return new WriteOutcome.Unavailable(
                    new Failure("commit-not-replicated", "committed, but the wait for the standby was ended", true),
                    new Blame.Replica());
        return new WriteOutcome.Written(stored, rows.rows() - stored);
    }

    private static boolean notReplicated(@Nullable SQLWarning first) {
        for (var warning = first; warning != null; warning = warning.getNextWarning()) {
            if (warning instanceof PSQLWarning told
                    && told.getServerErrorMessage() != null
                    && NOT_REPLICATED.equals(told.getServerErrorMessage().getRoutine())) return true;
        }
        return false;
    }

    private WriteOutcome tookOthers(long taken) {
        var words = "the table took " + taken + " of " + sent.rows() + " rows: a trigger or a rule leaves rows out";
        return new WriteOutcome.Misconfigured(new Failure("rows-left-out", words, false));
    }

    private WriteOutcome outcome(SQLException failure, boolean sessionLives) {
        if (attempt.cancelled()) return over("cancelled");
        if (failure instanceof Attempt.AttemptOver) return over("deadline");
        var copied = onConflict == OnConflict.IGNORE ? STAGE : table.table();
        var outcome = new Verdict(phase, failure, sessionLives).outcome(copied, sent.rows());
        return outcome instanceof WriteOutcome.Refused(var told, var hint)
                ? new WriteOutcome.Refused(told, ofAll(hint))
                : outcome;
    }

    /// Where a row that was sent stands among all of them; −1 stays so.
    private int ofAll(int row) {
        if (missing == null || row < 0) return row;
        var at = missing.nextSetBit(0);
        for (var i = 0; i < row; i++) at = missing.nextSetBit(at + 1);
        return at;
    }

    private WriteOutcome over(String code) {
        var told = new Failure(code, "ended at its deadline while " + phase.words(), phase == Phase.COMMIT);
        return new WriteOutcome.Unavailable(told, new Blame.Replica());
    }

    private static void execute(Connection session, String sql) throws SQLException {
        try (var statement = driver(session).createStatement()) {
            statement.execute(sql);
        }
    }

    /// The driver's own session: the pool's would log what a server or a trigger says, and that
    /// can hold rows.
    private static PgConnection driver(Connection session) throws SQLException {
        return session.unwrap(PgConnection.class);
    }

    private static boolean closed(Connection session) {
        try {
            return driver(session).isClosed();
        } catch (SQLException _) {
            return true;
        }
    }

    /// Whether the session is as it was before the attempt. Asked only where driver and server agree on
    /// what was said last: in the middle of a COPY, or after half an answer, the driver would wait for
    /// ever.
    private boolean rolledBack(Connection session) {
        if (settled || !inStep || attempt.cancelled()) return false;
        try {
            session.rollback();
            return true;
        } catch (SQLException _) {
            return false;
        }
    }
}
