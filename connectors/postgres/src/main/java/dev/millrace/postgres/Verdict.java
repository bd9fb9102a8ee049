package dev.millrace.postgres;

import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import java.sql.SQLException;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/// What an error of an attempt says, without saying anything of the rows.
///
/// A server tells row content in the detail, in COPY's context and in some primary messages, and a function
/// of the user's can put it anywhere. So: our words, the SQLSTATE, and names that the server itself filled
/// in.
///
/// Invariant: may have stored only when COMMIT was sent and the server did not answer that it failed.
record Verdict(Phase phase, SQLException failure, boolean sessionLives) {
    private static final int DEEPEST = 10;
    private static final String NOT_NULL = "23502";
    private static final String IN_DOUBT = "commit-in-doubt";

    /// `table` is the one that COPY wrote to, `rows` how many were sent.
    WriteOutcome outcome(String table, int rows) {
        var server = server(failure);
        var state = state(server);
        var rule = SqlStates.of(state);
        if (phase == Phase.COMMIT && !(server != null && sessionLives && definite(rule))) return inDoubt(server, rule);
        var code = state != null ? state : phase == Phase.LOGIN ? "no-session" : "no-sqlstate";
        var told = new Failure(code, message(server, rule), false);
        return switch (rule.says()) {
            case REPLICA -> new WriteOutcome.Unavailable(told, new Blame.Replica());
            case OVERLOAD -> new WriteOutcome.Unavailable(told, new Blame.Overload(0));
            case NOBODY -> new WriteOutcome.Unavailable(told, new Blame.Nobody());
            case ROWS ->
                aboutRows()
                        ? new WriteOutcome.Refused(told, row(server, table, rows))
                        : new WriteOutcome.Misconfigured(told);
            case SIZE -> tooLarge(told, server, table, rows);
            case SETTINGS -> new WriteOutcome.Misconfigured(told);
        };
    }

    /// Where a function of the user's says so it may say so of anything: then it takes evidence, as any refusal does.
    private WriteOutcome tooLarge(Failure told, @Nullable ServerErrorMessage server, String table, int rows) {
        if (!aboutRows()) return new WriteOutcome.Misconfigured(told);
        return server != null && raisedByFunction(server)
                ? new WriteOutcome.Refused(told, row(server, table, rows))
                : new WriteOutcome.TooLarge(told);
    }

    private boolean aboutRows() {
        return phase == Phase.ROWS || phase == Phase.COMMIT;
    }

    /// An error that a living session answers COMMIT with means a rollback; one that ends the session does not, nor
    /// does one that says it does not know, nor one that nobody knows.
    private static boolean definite(SqlStates.Rule rule) {
        return !rule.prefix().isEmpty()
                && !rule.prefix().startsWith("57P")
                && !rule.prefix().startsWith("08")
                && !rule.prefix().equals("40003");
    }

    private WriteOutcome inDoubt(@Nullable ServerErrorMessage server, SqlStates.Rule rule) {
        var told = new Failure(IN_DOUBT, "no answer to COMMIT (" + message(server, rule) + ")", true);
        return new WriteOutcome.Unavailable(told, new Blame.Replica());
    }

    /// Whether the server itself said so, and not the driver.
    static boolean answered(SQLException failure) {
        return server(failure) != null;
    }

    /// The column that the server itself found without a value, in an error that says so.
    static @Nullable String columnWithoutValue(SQLException failure) {
        var server = server(failure);
        return server != null && NOT_NULL.equals(server.getSQLState()) && !raisedByFunction(server)
                ? server.getColumn()
                : null;
    }

    private static @Nullable ServerErrorMessage server(SQLException failure) {
        Throwable at = failure;
        for (var depth = 0; at != null && depth < DEEPEST; depth++, at = at.getCause()) {
            if (at instanceof PSQLException ours && ours.getServerErrorMessage() != null)
                return ours.getServerErrorMessage();
        }
        return null;
    }

    private @Nullable String state(@Nullable ServerErrorMessage server) {
        if (server != null && server.getSQLState() != null) return server.getSQLState();
        Throwable at = failure;
        for (var depth = 0; at != null && depth < DEEPEST; depth++, at = at.getCause()) {
            if (at instanceof SQLException sql && sql.getSQLState() != null) return sql.getSQLState();
        }
        return null;
    }

    private String message(@Nullable ServerErrorMessage server, SqlStates.Rule rule) {
        if (server == null) return phase.words() + ": " + rule.words() + " (" + causes() + ")";
        var text = new StringBuilder(phase.words()).append(": ").append(rule.words());
        if (raisedByFunction(server))
            return text.append(", in a function or trigger").toString();
        if (server.getTable() != null) text.append(", table ").append(server.getTable());
        if (server.getColumn() != null) text.append(", column ").append(server.getColumn());
        if (server.getConstraint() != null) text.append(", constraint ").append(server.getConstraint());
        if (rule.tells() && server.getWhere() == null) text.append(": ").append(server.getMessage());
        return text.toString();
    }

    /// A function's context comes before COPY's; a RAISE can fill every field.
    private static boolean raisedByFunction(ServerErrorMessage server) {
        var where = server.getWhere();
        return (where != null && !where.startsWith("COPY ")) || "exec_stmt_raise".equals(server.getRoutine());
    }

    /// The driver's own words before a row was sent; after that the kinds of its causes only.
    private String causes() {
        var kinds = new ArrayList<String>();
        Throwable at = failure;
        for (var depth = 0; at != null && depth < DEEPEST; depth++, at = at.getCause()) {
            var kind = at.getClass().getSimpleName();
            kinds.add(phase == Phase.LOGIN && at.getMessage() != null ? kind + ": " + at.getMessage() : kind);
        }
        return String.join(", by ", kinds);
    }

    /// COPY counts lines from 1, and each row is one: `COPY table, line 3, column id: "…"`. The words
    /// between may be of any language.
    private static int row(@Nullable ServerErrorMessage server, String table, int rows) {
        var where = server == null ? null : server.getWhere();
        if (where == null) return -1;
        var prefix = "COPY " + table;
        var at = where.startsWith(prefix) ? 0 : where.indexOf('\n' + prefix) + 1;
        if (!where.startsWith(prefix, at)) return -1;
        var from = at + prefix.length();
        while (from < where.length() && !digit(where.charAt(from)) && ":\"\n".indexOf(where.charAt(from)) < 0) from++;
        var line = 0L;
        for (; from < where.length() && digit(where.charAt(from)) && line <= rows; from++)
            line = 10 * line + (where.charAt(from) - '0');
        return line >= 1 && line <= rows ? (int) line - 1 : -1;
    }

    private static boolean digit(char c) {
        return c >= '0' && c <= '9';
    }
}
