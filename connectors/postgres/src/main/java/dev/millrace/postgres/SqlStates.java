package dev.millrace.postgres;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What each SQLSTATE says, as one table of data (PG-1): the longest prefix that fits decides.
///
/// The source of a line is its condition's name in PostgreSQL's Appendix A, "Error Codes": a server is asked for each
/// in the tests. A class says what all of its codes say that have no line of their own. The words are ours, since a
/// server's own text can hold a row.
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

    /// `condition` is the appendix's name; empty for what only the driver says. `tells`: the server's primary message
    /// holds names at most, as long as no function of the user's raised it.
    record Rule(String prefix, String condition, Says says, String words, boolean tells) {}

    static final List<Rule> TABLE = List.of(
            new Rule("08", "connection_exception", Says.REPLICA, "connection lost", false),
            // The driver's own: no TLS at the server, a password asked and none given.
            new Rule("08001", "sqlclient_unable_to_establish_sqlconnection", Says.REPLICA, "no connection", false),
            new Rule("08003", "connection_does_not_exist", Says.REPLICA, "the connection is not there any more", false),
            new Rule("08006", "connection_failure", Says.REPLICA, "connection lost", false),
            new Rule(
                    "08007",
                    "transaction_resolution_unknown",
                    Says.REPLICA,
                    "nobody knows what the commit came to",
                    false),
            new Rule(
                    "08004",
                    "sqlserver_rejected_establishment_of_sqlconnection",
                    Says.SETTINGS,
                    "the login was not accepted as it is configured",
                    false),
            new Rule("08P01", "protocol_violation", Says.REPLICA, "server and driver lost their step", false),
            new Rule("0A", "feature_not_supported", Says.SETTINGS, "not supported for this table", true),
            new Rule("21", "cardinality_violation", Says.ROWS, "more than one value where one belongs", false),
            new Rule("22", "data_exception", Says.ROWS, "a value does not fit its column", false),
            new Rule("22001", "string_data_right_truncation", Says.ROWS, "a text is too long for its column", false),
            new Rule("22002", "null_value_no_indicator_parameter", Says.ROWS, "null where none is taken", false),
            new Rule("22003", "numeric_value_out_of_range", Says.ROWS, "a number is out of its column's range", false),
            new Rule("22007", "invalid_datetime_format", Says.ROWS, "not a date or time", false),
            new Rule("22008", "datetime_field_overflow", Says.ROWS, "a date or time out of range", false),
            new Rule(
                    "22012",
                    "division_by_zero",
                    Says.ROWS,
                    "a division by zero, in an expression of the table's",
                    false),
            new Rule("22015", "interval_field_overflow", Says.ROWS, "a duration out of range", false),
            new Rule("22021", "character_not_in_repertoire", Says.ROWS, "bytes that are not of the encoding", false),
            new Rule(
                    "22026",
                    "string_data_length_mismatch",
                    Says.ROWS,
                    "bits of another length than the column's",
                    false),
            new Rule(
                    "22P02",
                    "invalid_text_representation",
                    Says.ROWS,
                    "a text that the column's type does not read",
                    false),
            new Rule(
                    "22P03",
                    "invalid_binary_representation",
                    Says.ROWS,
                    "a binary value that the column's type does not read",
                    false),
            new Rule("22P04", "bad_copy_file_format", Says.ROWS, "a row with more or fewer values than columns", false),
            new Rule(
                    "22P05",
                    "untranslatable_character",
                    Says.ROWS,
                    "a character that the database's encoding lacks",
                    false),
            new Rule(
                    "2200G",
                    "most_specific_type_mismatch",
                    Says.ROWS,
                    "an array of another type than the column's",
                    false),
            new Rule("2202E", "array_subscript_error", Says.ROWS, "an array that is not one", false),
            new Rule("23", "integrity_constraint_violation", Says.ROWS, "a constraint is violated", false),
            new Rule("23000", "integrity_constraint_violation", Says.ROWS, "a constraint is violated", false),
            new Rule("23001", "restrict_violation", Says.ROWS, "a row is still referred to", false),
            new Rule("23502", "not_null_violation", Says.ROWS, "null in a column that takes none", false),
            new Rule("23503", "foreign_key_violation", Says.ROWS, "a foreign key points nowhere", false),
            new Rule("23505", "unique_violation", Says.ROWS, "a row with this unique key is there", false),
            new Rule("23514", "check_violation", Says.ROWS, "a check constraint is violated", false),
            new Rule("23P01", "exclusion_violation", Says.ROWS, "an exclusion constraint is violated", false),
            new Rule(
                    "25", "invalid_transaction_state", Says.REPLICA, "the transaction's state does not allow it", true),
            new Rule("25006", "read_only_sql_transaction", Says.REPLICA, "the server is read-only", true),
            new Rule("25P02", "in_failed_sql_transaction", Says.REPLICA, "the transaction had failed before", true),
            new Rule(
                    "25P03",
                    "idle_in_transaction_session_timeout",
                    Says.REPLICA,
                    "the server ended a transaction that was idle too long",
                    true),
            new Rule(
                    "27000",
                    "triggered_data_change_violation",
                    Says.ROWS,
                    "a trigger changes what is being changed",
                    false),
            new Rule("28", "invalid_authorization_specification", Says.SETTINGS, "user or password not accepted", true),
            new Rule("28000", "invalid_authorization_specification", Says.SETTINGS, "user not accepted", true),
            new Rule("28P01", "invalid_password", Says.SETTINGS, "password not accepted", true),
            new Rule("38", "external_routine_exception", Says.ROWS, "a function outside failed on it", false),
            new Rule(
                    "39", "external_routine_invocation_exception", Says.ROWS, "a function outside failed on it", false),
            new Rule("3D000", "invalid_catalog_name", Says.SETTINGS, "no such database", true),
            new Rule("3F000", "invalid_schema_name", Says.SETTINGS, "no such schema", true),
            new Rule("40", "transaction_rollback", Says.NOBODY, "the transaction was rolled back", false),
            new Rule(
                    "40002",
                    "transaction_integrity_constraint_violation",
                    Says.ROWS,
                    "a constraint is violated at commit",
                    false),
            new Rule(
                    "40003",
                    "statement_completion_unknown",
                    Says.REPLICA,
                    "nobody knows what the statement came to",
                    false),
            new Rule("40001", "serialization_failure", Says.NOBODY, "transactions could not be put in order", false),
            new Rule("40P01", "deadlock_detected", Says.NOBODY, "deadlock", false),
            new Rule(
                    "42",
                    "syntax_error_or_access_rule_violation",
                    Says.SETTINGS,
                    "the statement does not fit the database",
                    true),
            new Rule("42501", "insufficient_privilege", Says.SETTINGS, "no right", true),
            new Rule("42703", "undefined_column", Says.SETTINGS, "no such column", true),
            new Rule("42804", "datatype_mismatch", Says.SETTINGS, "a column has another type", true),
            new Rule("428C9", "generated_always", Says.SETTINGS, "a column is filled by the server", true),
            new Rule("42P01", "undefined_table", Says.SETTINGS, "no such table", true),
            new Rule("44000", "with_check_option_violation", Says.ROWS, "a view's check is violated", false),
            new Rule("53", "insufficient_resources", Says.OVERLOAD, "the server has not enough resources", true),
            new Rule("53100", "disk_full", Says.OVERLOAD, "the server's disk is full", false),
            new Rule("53200", "out_of_memory", Says.OVERLOAD, "the server is out of memory", false),
            new Rule("53300", "too_many_connections", Says.OVERLOAD, "the server has too many connections", true),
            new Rule(
                    "53400", "configuration_limit_exceeded", Says.SIZE, "a limit of the server's configuration", false),
            new Rule("54", "program_limit_exceeded", Says.SIZE, "a limit of the server's making", false),
            new Rule("54001", "statement_too_complex", Says.ROWS, "too deep for the server's stack", false),
            new Rule("54011", "too_many_columns", Says.SETTINGS, "too many columns", true),
            new Rule("54023", "too_many_arguments", Says.SETTINGS, "too many arguments", true),
            new Rule(
                    "55",
                    "object_not_in_prerequisite_state",
                    Says.REPLICA,
                    "something is not in the state for it",
                    false),
            new Rule(
                    "55000",
                    "object_not_in_prerequisite_state",
                    Says.SETTINGS,
                    "the table is not in the state for it",
                    true),
            new Rule("55006", "object_in_use", Says.NOBODY, "something is in use", true),
            new Rule("55P02", "cant_change_runtime_param", Says.SETTINGS, "a parameter can't be changed", true),
            new Rule("55P03", "lock_not_available", Says.NOBODY, "no lock in time", false),
            new Rule("57", "operator_intervention", Says.REPLICA, "the server or its operator intervened", true),
            new Rule(
                    "57014",
                    "query_canceled",
                    Says.REPLICA,
                    "the statement was cancelled, by its time limit or by an operator",
                    true),
            new Rule("57P01", "admin_shutdown", Says.REPLICA, "the server ended the session", true),
            new Rule("57P02", "crash_shutdown", Says.REPLICA, "the server crashed", true),
            new Rule("57P03", "cannot_connect_now", Says.REPLICA, "the server starts, stops or recovers", true),
            new Rule("57P04", "database_dropped", Says.SETTINGS, "the database was dropped", true),
            new Rule(
                    "57P05",
                    "idle_session_timeout",
                    Says.REPLICA,
                    "the server ended a session that was idle too long",
                    true),
            new Rule("58", "system_error", Says.REPLICA, "the server's system failed", false),
            new Rule("58030", "io_error", Says.REPLICA, "the server's disk failed", false),
            new Rule("P0", "plpgsql_error", Says.ROWS, "a trigger or function refused it", false),
            new Rule("P0001", "raise_exception", Says.ROWS, "a trigger or function refused it", false),
            new Rule("XX", "internal_error", Says.REPLICA, "an internal error of the server", false),
            new Rule("XX001", "data_corrupted", Says.REPLICA, "the server's data is damaged", false),
            new Rule("XX002", "index_corrupted", Says.REPLICA, "an index of the server's is damaged", false));

    static final Rule UNKNOWN = new Rule("", "", Says.REPLICA, "an error that is not known", false);

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
