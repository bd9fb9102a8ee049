package dev.millrace.postgres;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What each SQLSTATE says, as one table of data (PG-1): the longest prefix that fits decides.
///
/// The words are ours, since a server's own text can hold a row.
final class SqlStates {
    /// Whom an error is about.
    enum Says {
        /// This endpoint does not do it now: another may.
        REPLICA,
        /// The server has not enough of something.
        OVERLOAD,
        /// Transactions met: the same again.
        NOBODY,
        /// The rows. Only if rows were sent: before that it says something of the settings.
        ROWS,
        /// Too much at once.
        SIZE,
        /// Table, column, right, password.
        SETTINGS
    }

    /// `tells`: the server's primary message holds names at most, as long as no function of the user's
    /// raised it.
    record Rule(String prefix, Says says, String words, boolean tells) {}

    static final List<Rule> TABLE = List.of(
            new Rule("08", Says.REPLICA, "connection lost", false),
            // The driver's own: no TLS at the server, a password asked and none given.
            new Rule("08001", Says.REPLICA, "no connection", false),
            new Rule("08004", Says.SETTINGS, "the login was not accepted as it is configured", false),
            new Rule("0A", Says.SETTINGS, "not supported for this table", true),
            new Rule("21", Says.ROWS, "more than one value where one belongs", false),
            new Rule("22", Says.ROWS, "a value does not fit its column", false),
            new Rule("22001", Says.ROWS, "a text is too long for its column", false),
            new Rule("22003", Says.ROWS, "a number is out of its column's range", false),
            new Rule("22007", Says.ROWS, "not a date or time", false),
            new Rule("22008", Says.ROWS, "a date or time out of range", false),
            new Rule("22021", Says.ROWS, "bytes that are not of the encoding", false),
            new Rule("22P02", Says.ROWS, "a text that the column's type does not read", false),
            new Rule("22P03", Says.ROWS, "a binary value that the column's type does not read", false),
            new Rule("22P04", Says.ROWS, "a row with more or fewer values than columns", false),
            new Rule("22P05", Says.ROWS, "a character that the database's encoding lacks", false),
            new Rule("23", Says.ROWS, "a constraint is violated", false),
            new Rule("23502", Says.ROWS, "null in a column that takes none", false),
            new Rule("23503", Says.ROWS, "a foreign key points nowhere", false),
            new Rule("23505", Says.ROWS, "a row with this unique key is there", false),
            new Rule("23514", Says.ROWS, "a check constraint is violated", false),
            new Rule("23P01", Says.ROWS, "an exclusion constraint is violated", false),
            new Rule("25", Says.REPLICA, "the transaction's state does not allow it", true),
            new Rule("25006", Says.REPLICA, "the server is read-only", true),
            new Rule("25P03", Says.REPLICA, "the server ended a transaction that was idle too long", true),
            new Rule("27000", Says.ROWS, "a trigger changes what is being changed", false),
            new Rule("28", Says.SETTINGS, "user or password not accepted", true),
            new Rule("38", Says.ROWS, "a function outside failed on it", false),
            new Rule("39", Says.ROWS, "a function outside failed on it", false),
            new Rule("3D000", Says.SETTINGS, "no such database", true),
            new Rule("3F000", Says.SETTINGS, "no such schema", true),
            new Rule("40", Says.NOBODY, "the transaction was rolled back", false),
            new Rule("40001", Says.NOBODY, "transactions could not be put in order", false),
            new Rule("40P01", Says.NOBODY, "deadlock", false),
            new Rule("42", Says.SETTINGS, "the statement does not fit the database", true),
            new Rule("42501", Says.SETTINGS, "no right", true),
            new Rule("42703", Says.SETTINGS, "no such column", true),
            new Rule("42P01", Says.SETTINGS, "no such table", true),
            new Rule("44000", Says.ROWS, "a view's check is violated", false),
            new Rule("53", Says.OVERLOAD, "the server has not enough resources", true),
            new Rule("53100", Says.OVERLOAD, "the server's disk is full", false),
            new Rule("53200", Says.OVERLOAD, "the server is out of memory", false),
            new Rule("53300", Says.OVERLOAD, "the server has too many connections", true),
            new Rule("53400", Says.SIZE, "a limit of the server's configuration", false),
            new Rule("54", Says.SIZE, "a limit of the server's making", false),
            new Rule("55", Says.REPLICA, "something is not in the state for it", false),
            new Rule("55000", Says.SETTINGS, "the table is not in the state for it", true),
            new Rule("55006", Says.NOBODY, "something is in use", true),
            new Rule("55P02", Says.SETTINGS, "a parameter can't be changed", true),
            new Rule("55P03", Says.NOBODY, "no lock in time", false),
            new Rule("57", Says.REPLICA, "the server or its operator intervened", true),
            new Rule("57014", Says.REPLICA, "the statement was cancelled, by its time limit or by an operator", true),
            new Rule("57P01", Says.REPLICA, "the server ended the session", true),
            new Rule("57P02", Says.REPLICA, "the server crashed", true),
            new Rule("57P03", Says.REPLICA, "the server starts, stops or recovers", true),
            new Rule("57P04", Says.SETTINGS, "the database was dropped", true),
            new Rule("58", Says.REPLICA, "the server's system failed", false),
            new Rule("P0", Says.ROWS, "a trigger or function refused it", false),
            new Rule("XX", Says.REPLICA, "an internal error of the server", false));

    static final Rule UNKNOWN = new Rule("", Says.REPLICA, "an error that is not known", false);

    private SqlStates() {}

    static Rule of(@Nullable String sqlState) {
        var best = UNKNOWN;
        if (sqlState == null) return best;
        for (var rule : TABLE) {
            if (sqlState.startsWith(rule.prefix())
                    && rule.prefix().length() > best.prefix().length()) best = rule;
        }
        return best;
    }
}
