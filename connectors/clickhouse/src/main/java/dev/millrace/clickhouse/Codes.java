package dev.millrace.clickhouse;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What each of the server's exception codes says, as one table of data (CH-4): the first line decides
/// whose code it is and whose text, if it names one, is in the answer.
///
/// The name of a line is the server's own, from the list of its error codes (`system.errors` has them
/// too). The words are ours, since a server's text can hold a row. An error that is not about the form of
/// the rows, and one that a view threw, may come after rows were stored (CH-5).
final class Codes {
    /// Whom an error is about.
    enum Says {
        /// This replica does not do it now: another may.
        REPLICA,
        /// The shard has not enough of something.
        OVERLOAD,
        /// Nobody is ill; the same again.
        NOBODY,
        /// The rows.
        ROWS,
        /// Too much at once.
        SIZE,
        /// Table, column, setting, right.
        SETTINGS,
        /// User or password.
        LOGIN
    }

    /// What became of the rows that were sent.
    enum Stored {
        /// The server looks at this before it stores any.
        NONE,
        /// Some, all or none.
        PERHAPS
    }

    /// `text`: null for whatever the server says. `tells`: the server's text holds names at most.
    /// `source`: what the line rests on.
    record Rule(
            int code,
            String name,
            @Nullable String text,
            Says says,
            Stored stored,
            String words,
            boolean tells,
            String source) {
        Rule(int code, String name, Says says, Stored stored, String words, String source) {
            this(code, name, null, says, stored, words, false, source);
        }

        Rule(int code, String name, Says says, Stored stored, String words, boolean tells, String source) {
            this(code, name, null, says, stored, words, tells, source);
        }

        /// The same, blaming another. What became of the rows stays as it is.
        Rule blaming(Says other) {
            return new Rule(code, name, text, other, stored, words, tells, source);
        }
    }

    /// A test provokes the engine to it.
    static final String PROVOKED = "provoked on the engine by a test";

    /// A server gave this answer once.
    private static final String SEEN = "seen on a server";

    /// Nobody provoked it: it means what it is called where the server's source says it.
    private static final String NAMED = "its name in the server's source";

    /// A view behind the table threw: the table has the rows, whatever the code (CH-5). A server adds
    /// this at the very end, so what follows it is no row and no function that was at work; else it is a
    /// row's own text.
    private static final Pattern IN_VIEW = Pattern.compile(
            ".*: while (?:pushing|write prefix|write suffix) to view (?!.*\\(at row \\d)(?!.*while executing 'FUNCTION).*",
            Pattern.DOTALL);

    /// The header of typed rows names a column that the table does not have, or not of that type: the
    /// server reads no row then. The text begins with it, where none of a row's can stand.
    private static final Pattern IN_HEADER = Pattern.compile(
            "Code: 117\\. DB::Exception: (?:Type of '|Unknown field found in format header).*", Pattern.DOTALL);

    static final List<Rule> TABLE = List.of(
            new Rule(1, "UNSUPPORTED_METHOD", Says.SETTINGS, Stored.NONE, "not supported", true, NAMED),
            new Rule(3, "UNEXPECTED_END_OF_FILE", Says.REPLICA, Stored.PERHAPS, "the body ended early", NAMED),
            new Rule(6, "CANNOT_PARSE_TEXT", Says.ROWS, Stored.NONE, "a value is not of its column's type", SEEN),
            new Rule(
                    10, "NOT_FOUND_COLUMN_IN_BLOCK", Says.SETTINGS, Stored.PERHAPS, "a column is missing", true, NAMED),
            new Rule(16, "NO_SUCH_COLUMN_IN_TABLE", Says.SETTINGS, Stored.NONE, "no such column", true, SEEN),
            new Rule(
                    20,
                    "NUMBER_OF_COLUMNS_DOESNT_MATCH",
                    Says.SETTINGS,
                    Stored.NONE,
                    "columns that do not fit",
                    true,
                    NAMED),
            new Rule(25, "CANNOT_PARSE_ESCAPE_SEQUENCE", Says.ROWS, Stored.NONE, "an escape that is none", PROVOKED),
            new Rule(26, "CANNOT_PARSE_QUOTED_STRING", Says.ROWS, Stored.NONE, "a text that is not quoted", PROVOKED),
            new Rule(
                    27,
                    "CANNOT_PARSE_INPUT_ASSERTION_FAILED",
                    Says.ROWS,
                    Stored.NONE,
                    "a value is not of its column's type",
                    PROVOKED),
            new Rule(32, "ATTEMPT_TO_READ_AFTER_EOF", Says.ROWS, Stored.NONE, "a row ends early", PROVOKED),
            new Rule(33, "CANNOT_READ_ALL_DATA", Says.ROWS, Stored.NONE, "a row ends early", PROVOKED),
            new Rule(
                    36,
                    "BAD_ARGUMENTS",
                    Says.ROWS,
                    Stored.NONE,
                    "a value that an expression of the table does not take",
                    NAMED),
            new Rule(38, "CANNOT_PARSE_DATE", Says.ROWS, Stored.NONE, "not a date", PROVOKED),
            new Rule(
                    40,
                    "CHECKSUM_DOESNT_MATCH",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "damaged on the way or on the server's disk",
                    NAMED),
            new Rule(41, "CANNOT_PARSE_DATETIME", Says.ROWS, Stored.NONE, "not a date and time", PROVOKED),
            new Rule(
                    43,
                    "ILLEGAL_TYPE_OF_ARGUMENT",
                    Says.SETTINGS,
                    Stored.PERHAPS,
                    "a type that is not taken",
                    true,
                    NAMED),
            new Rule(44, "ILLEGAL_COLUMN", Says.SETTINGS, Stored.NONE, "a column that takes no values", true, SEEN),
            new Rule(
                    46,
                    "UNKNOWN_FUNCTION",
                    Says.SETTINGS,
                    Stored.PERHAPS,
                    "an expression of the table names what the server lacks",
                    true,
                    NAMED),
            new Rule(
                    47,
                    "UNKNOWN_IDENTIFIER",
                    Says.SETTINGS,
                    Stored.PERHAPS,
                    "an expression of the table names what is not there",
                    true,
                    NAMED),
            new Rule(
                    48,
                    "NOT_IMPLEMENTED",
                    Says.SETTINGS,
                    Stored.NONE,
                    "not supported by the table's engine",
                    true,
                    PROVOKED),
            new Rule(49, "LOGICAL_ERROR", Says.REPLICA, Stored.PERHAPS, "an internal error of the server", NAMED),
            new Rule(50, "UNKNOWN_TYPE", Says.SETTINGS, Stored.NONE, "no such type on this server", true, NAMED),
            new Rule(53, "TYPE_MISMATCH", Says.ROWS, Stored.NONE, "a value is not of its column's type", NAMED),
            new Rule(60, "UNKNOWN_TABLE", Says.SETTINGS, Stored.NONE, "no such table", true, PROVOKED),
            new Rule(62, "SYNTAX_ERROR", Says.SETTINGS, Stored.NONE, "the statement is not understood", NAMED),
            new Rule(
                    69,
                    "ARGUMENT_OUT_OF_BOUND",
                    Says.ROWS,
                    Stored.NONE,
                    "a number is out of its column's range",
                    PROVOKED),
            new Rule(70, "CANNOT_CONVERT_TYPE", Says.ROWS, Stored.NONE, "a value is not of its column's type", NAMED),
            new Rule(72, "CANNOT_PARSE_NUMBER", Says.ROWS, Stored.NONE, "not a number of its column's type", PROVOKED),
            new Rule(73, "UNKNOWN_FORMAT", Says.SETTINGS, Stored.NONE, "no such format", true, SEEN),
            new Rule(
                    74,
                    "CANNOT_READ_FROM_FILE_DESCRIPTOR",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "the server's disk failed",
                    NAMED),
            new Rule(
                    75,
                    "CANNOT_WRITE_TO_FILE_DESCRIPTOR",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "the server's disk failed",
                    NAMED),
            new Rule(76, "CANNOT_OPEN_FILE", Says.REPLICA, Stored.PERHAPS, "the server's disk failed", NAMED),
            new Rule(81, "UNKNOWN_DATABASE", Says.SETTINGS, Stored.NONE, "no such database", true, PROVOKED),
            new Rule(108, "NO_DATA_TO_INSERT", Says.REPLICA, Stored.NONE, "the body came empty", NAMED),
            new Rule(
                    115,
                    "UNKNOWN_SETTING",
                    Says.SETTINGS,
                    Stored.NONE,
                    "no such setting on this server",
                    true,
                    PROVOKED),
            new Rule(
                    117,
                    "INCORRECT_DATA",
                    Says.ROWS,
                    Stored.NONE,
                    "a field that no column has, or has twice",
                    PROVOKED),
            new Rule(
                    122, "INCOMPATIBLE_COLUMNS", Says.SETTINGS, Stored.PERHAPS, "columns that do not fit", true, NAMED),
            new Rule(128, "TOO_LARGE_ARRAY_SIZE", Says.ROWS, Stored.NONE, "an array is too long", NAMED),
            new Rule(130, "CANNOT_READ_ARRAY_FROM_TEXT", Says.ROWS, Stored.NONE, "not an array", PROVOKED),
            new Rule(
                    131,
                    "TOO_LARGE_STRING_SIZE",
                    Says.ROWS,
                    Stored.NONE,
                    "a text is too long for its column",
                    PROVOKED),
            new Rule(
                    153,
                    "ILLEGAL_DIVISION",
                    Says.ROWS,
                    Stored.NONE,
                    "an expression of the table divides by zero",
                    NAMED),
            new Rule(158, "TOO_MANY_ROWS", Says.SIZE, Stored.NONE, "more rows than the server takes", NAMED),
            new Rule(159, "TIMEOUT_EXCEEDED", Says.REPLICA, Stored.PERHAPS, "the server's time limit", SEEN),
            new Rule(160, "TOO_SLOW", Says.REPLICA, Stored.PERHAPS, "the server's speed limit", NAMED),
            new Rule(
                    164,
                    "READONLY",
                    Says.SETTINGS,
                    Stored.NONE,
                    "the user may not write, or set what is set",
                    true,
                    NAMED),
            new Rule(
                    173, "CANNOT_ALLOCATE_MEMORY", Says.OVERLOAD, Stored.PERHAPS, "the server is out of memory", NAMED),
            new Rule(190, "SIZES_OF_ARRAYS_DONT_MATCH", Says.ROWS, Stored.NONE, "arrays of unlike lengths", PROVOKED),
            new Rule(192, "UNKNOWN_USER", Says.LOGIN, Stored.NONE, "no such user", SEEN),
            new Rule(193, "WRONG_PASSWORD", Says.LOGIN, Stored.NONE, "the password is wrong", NAMED),
            new Rule(194, "REQUIRED_PASSWORD", Says.LOGIN, Stored.NONE, "a password is asked for", NAMED),
            new Rule(195, "IP_ADDRESS_NOT_ALLOWED", Says.LOGIN, Stored.NONE, "not from this address", NAMED),
            new Rule(198, "DNS_ERROR", Says.REPLICA, Stored.PERHAPS, "the server finds no other", NAMED),
            new Rule(201, "QUOTA_EXCEEDED", Says.OVERLOAD, Stored.PERHAPS, "the user's quota is used up", NAMED),
            new Rule(
                    202,
                    "TOO_MANY_SIMULTANEOUS_QUERIES",
                    Says.OVERLOAD,
                    Stored.NONE,
                    "too many queries at once",
                    NAMED),
            new Rule(203, "NO_FREE_CONNECTION", Says.OVERLOAD, Stored.PERHAPS, "no connection free", NAMED),
            new Rule(
                    209,
                    "SOCKET_TIMEOUT",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "a time-out on the line",
                    "issue 65117 of ClickHouse's: HTTP 200 with this code in its header"),
            new Rule(210, "NETWORK_ERROR", Says.REPLICA, Stored.PERHAPS, "the line failed", NAMED),
            new Rule(
                    216,
                    "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING",
                    Says.NOBODY,
                    Stored.PERHAPS,
                    "the same insert runs",
                    NAMED),
            new Rule(218, "TABLE_IS_DROPPED", Says.SETTINGS, Stored.PERHAPS, "the table was dropped", true, NAMED),
            new Rule(225, "NO_ZOOKEEPER", Says.REPLICA, Stored.PERHAPS, "the server has no keeper", SEEN),
            new Rule(236, "ABORTED", Says.REPLICA, Stored.PERHAPS, "the server stops", NAMED),
            new Rule(
                    241,
                    "MEMORY_LIMIT_EXCEEDED",
                    Says.OVERLOAD,
                    Stored.PERHAPS,
                    "the server is out of memory",
                    PROVOKED),
            new Rule(
                    242,
                    "TABLE_IS_READ_ONLY",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "the table is read-only on this replica",
                    SEEN),
            new Rule(243, "NOT_ENOUGH_SPACE", Says.OVERLOAD, Stored.PERHAPS, "the server's disk is full", SEEN),
            new Rule(
                    244,
                    "UNEXPECTED_ZOOKEEPER_ERROR",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "the server's keeper failed",
                    NAMED),
            new Rule(246, "CORRUPTED_DATA", Says.REPLICA, Stored.PERHAPS, "the server found damaged data", NAMED),
            new Rule(248, "INVALID_PARTITION_VALUE", Says.ROWS, Stored.NONE, "no partition for a value", NAMED),
            new Rule(
                    252,
                    "TOO_MANY_PARTS",
                    "Too many partitions",
                    Says.SIZE,
                    Stored.NONE,
                    "more table partitions in one insert than max_partitions_per_insert_block lets in",
                    false,
                    PROVOKED),
            new Rule(252, "TOO_MANY_PARTS", Says.OVERLOAD, Stored.PERHAPS, "the table has too many parts", PROVOKED),
            new Rule(254, "NO_ACTIVE_REPLICAS", Says.REPLICA, Stored.PERHAPS, "no replica is active", NAMED),
            new Rule(271, "CANNOT_DECOMPRESS", Says.REPLICA, Stored.NONE, "the compressed body is damaged", NAMED),
            new Rule(
                    279,
                    "ALL_CONNECTION_TRIES_FAILED",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "the server reaches no other",
                    NAMED),
            new Rule(
                    285,
                    "TOO_FEW_LIVE_REPLICAS",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "too few replicas for the quorum",
                    NAMED),
            new Rule(
                    286,
                    "UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "the quorum waits",
                    NAMED),
            new Rule(291, "DATABASE_ACCESS_DENIED", Says.SETTINGS, Stored.NONE, "no right", true, NAMED),
            new Rule(306, "TOO_DEEP_RECURSION", Says.ROWS, Stored.NONE, "too deep for the server's stack", NAMED),
            new Rule(307, "TOO_MANY_BYTES", Says.SIZE, Stored.NONE, "more bytes than the server takes", NAMED),
            new Rule(
                    319,
                    "UNKNOWN_STATUS_OF_INSERT",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "the server does not know",
                    "issues 76579 and 81260 of ClickHouse's"),
            new Rule(
                    321,
                    "VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE",
                    Says.ROWS,
                    Stored.NONE,
                    "out of the column's range",
                    NAMED),
            new Rule(
                    349,
                    "CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN",
                    Says.ROWS,
                    Stored.NONE,
                    "null in a column that takes none",
                    NAMED),
            new Rule(354, "ZLIB_INFLATE_FAILED", Says.REPLICA, Stored.NONE, "the compressed body is damaged", NAMED),
            new Rule(
                    364,
                    "RECEIVED_ERROR_TOO_MANY_REQUESTS",
                    Says.OVERLOAD,
                    Stored.PERHAPS,
                    "what the server writes to is overloaded",
                    NAMED),
            new Rule(369, "ALL_REPLICAS_ARE_STALE", Says.REPLICA, Stored.PERHAPS, "every replica is behind", NAMED),
            new Rule(373, "SESSION_IS_LOCKED", Says.NOBODY, Stored.NONE, "the session is in use", NAMED),
            new Rule(376, "CANNOT_PARSE_UUID", Says.ROWS, Stored.NONE, "not a UUID", PROVOKED),
            new Rule(
                    377,
                    "ILLEGAL_SYNTAX_FOR_DATA_TYPE",
                    Says.SETTINGS,
                    Stored.NONE,
                    "a type that is none",
                    true,
                    NAMED),
            new Rule(
                    381,
                    "HTTP_LENGTH_REQUIRED",
                    Says.SETTINGS,
                    Stored.NONE,
                    "something between took the body's length away",
                    NAMED),
            new Rule(389, "INSERT_WAS_DEDUPLICATED", Says.NOBODY, Stored.PERHAPS, "told as a repeat", NAMED),
            new Rule(
                    394,
                    "QUERY_WAS_CANCELLED",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "the insert was cancelled",
                    "issues 112149 and 111196 of ClickHouse's"),
            new Rule(
                    395,
                    "FUNCTION_THROW_IF_VALUE_IS_NON_ZERO",
                    Says.NOBODY,
                    Stored.PERHAPS,
                    "an expression behind the insert threw",
                    PROVOKED),
            new Rule(396, "TOO_MANY_ROWS_OR_BYTES", Says.SIZE, Stored.NONE, "more than the server takes", NAMED),
            new Rule(407, "DECIMAL_OVERFLOW", Says.ROWS, Stored.NONE, "a decimal is out of its column's range", NAMED),
            new Rule(425, "SYSTEM_ERROR", Says.REPLICA, Stored.PERHAPS, "the server's system failed", NAMED),
            new Rule(432, "UNKNOWN_CODEC", Says.SETTINGS, Stored.NONE, "a compression the server lacks", true, NAMED),
            new Rule(
                    439, "CANNOT_SCHEDULE_TASK", Says.OVERLOAD, Stored.PERHAPS, "the server has no thread free", NAMED),
            new Rule(
                    441,
                    "CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING",
                    Says.ROWS,
                    Stored.NONE,
                    "not of its column's type",
                    NAMED),
            new Rule(
                    452,
                    "SETTING_CONSTRAINT_VIOLATION",
                    Says.SETTINGS,
                    Stored.NONE,
                    "a setting may not be set",
                    true,
                    NAMED),
            new Rule(467, "CANNOT_PARSE_BOOL", Says.ROWS, Stored.NONE, "neither true nor false", PROVOKED),
            new Rule(469, "VIOLATED_CONSTRAINT", Says.ROWS, Stored.NONE, "a constraint is violated", PROVOKED),
            new Rule(
                    471,
                    "INVALID_SETTING_VALUE",
                    Says.SETTINGS,
                    Stored.NONE,
                    "a setting's value is not taken",
                    true,
                    NAMED),
            new Rule(472, "READONLY_SETTING", Says.SETTINGS, Stored.NONE, "a setting may not be set", true, NAMED),
            new Rule(473, "DEADLOCK_AVOIDED", Says.NOBODY, Stored.NONE, "a lock was not to be had", NAMED),
            new Rule(497, "ACCESS_DENIED", Says.SETTINGS, Stored.NONE, "no right", true, NAMED),
            new Rule(499, "S3_ERROR", Says.REPLICA, Stored.PERHAPS, "the server's storage failed", NAMED),
            new Rule(516, "AUTHENTICATION_FAILED", Says.LOGIN, Stored.NONE, "user or password not accepted", NAMED),
            new Rule(561, "ZSTD_DECODER_FAILED", Says.REPLICA, Stored.NONE, "the compressed body is damaged", NAMED),
            new Rule(563, "CANNOT_READ_MAP_FROM_TEXT", Says.ROWS, Stored.NONE, "not a map", NAMED),
            new Rule(
                    574,
                    "DISTRIBUTED_TOO_MANY_PENDING_BYTES",
                    Says.OVERLOAD,
                    Stored.PERHAPS,
                    "the queue of a Distributed table is full",
                    NAMED),
            new Rule(618, "LZ4_DECODER_FAILED", Says.REPLICA, Stored.NONE, "the compressed body is damaged", NAMED),
            new Rule(
                    626,
                    "CANNOT_SKIP_UNKNOWN_FIELD",
                    Says.ROWS,
                    Stored.NONE,
                    "a field that no column has, and that does not end",
                    NAMED),
            new Rule(
                    632,
                    "UNEXPECTED_DATA_AFTER_PARSED_VALUE",
                    Says.ROWS,
                    Stored.NONE,
                    "more than a value in a value's place",
                    NAMED),
            new Rule(
                    636,
                    "CANNOT_EXTRACT_TABLE_STRUCTURE",
                    Says.SETTINGS,
                    Stored.NONE,
                    "a format without columns",
                    NAMED),
            new Rule(645, "NUMBER_OF_DIMENSIONS_MISMATCHED", Says.ROWS, Stored.NONE, "arrays of unlike depth", NAMED),
            new Rule(649, "INVALID_TRANSACTION", Says.REPLICA, Stored.PERHAPS, "a transaction failed", NAMED),
            new Rule(
                    659,
                    "UNKNOWN_STATUS_OF_TRANSACTION",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "the server does not know",
                    NAMED),
            new Rule(675, "CANNOT_PARSE_IPV4", Says.ROWS, Stored.NONE, "not an IPv4 address", PROVOKED),
            new Rule(676, "CANNOT_PARSE_IPV6", Says.ROWS, Stored.NONE, "not an IPv6 address", PROVOKED),
            new Rule(677, "THREAD_WAS_CANCELED", Says.REPLICA, Stored.PERHAPS, "the insert was cancelled", NAMED),
            new Rule(
                    691,
                    "UNKNOWN_ELEMENT_OF_ENUM",
                    Says.ROWS,
                    Stored.NONE,
                    "not a word of the column's enum",
                    PROVOKED),
            new Rule(692, "TOO_MANY_MUTATIONS", Says.OVERLOAD, Stored.PERHAPS, "too many mutations wait", NAMED),
            new Rule(693, "AWS_ERROR", Says.REPLICA, Stored.PERHAPS, "the server's storage failed", NAMED),
            new Rule(
                    700,
                    "USER_SESSION_LIMIT_EXCEEDED",
                    Says.OVERLOAD,
                    Stored.NONE,
                    "too many sessions of this user",
                    NAMED),
            new Rule(710, "FAULT_INJECTED", Says.REPLICA, Stored.PERHAPS, "a fault was asked for", NAMED),
            new Rule(720, "USER_EXPIRED", Says.LOGIN, Stored.NONE, "the user's time is over", NAMED),
            new Rule(733, "TABLE_IS_BEING_RESTARTED", Says.REPLICA, Stored.PERHAPS, "the table restarts", NAMED),
            new Rule(
                    734,
                    "CANNOT_WRITE_AFTER_BUFFER_CANCELED",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "the insert was cancelled",
                    NAMED),
            new Rule(
                    735,
                    "QUERY_WAS_CANCELLED_BY_CLIENT",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "the insert was cancelled",
                    "issues 112149 and 111196 of ClickHouse's"),
            new Rule(745, "SERVER_OVERLOADED", Says.OVERLOAD, Stored.NONE, "the server is overloaded", NAMED),
            new Rule(749, "TCP_CONNECTION_LIMIT_REACHED", Says.OVERLOAD, Stored.NONE, "too many connections", NAMED),
            new Rule(762, "HTTP_CONNECTION_LIMIT_REACHED", Says.OVERLOAD, Stored.NONE, "too many connections", NAMED),
            new Rule(763, "SESSION_REFUSED", Says.LOGIN, Stored.NONE, "the session was refused", NAMED),
            new Rule(
                    764,
                    "DEDUPLICATION_IS_NOT_POSSIBLE",
                    Says.SETTINGS,
                    Stored.NONE,
                    "the server can not drop repeats here",
                    true,
                    NAMED),
            new Rule(767, "REQUIRED_SECOND_FACTOR", Says.LOGIN, Stored.NONE, "a second factor is asked for", NAMED),
            new Rule(
                    774,
                    "TABLE_IS_PERMANENTLY_READ_ONLY",
                    Says.REPLICA,
                    Stored.PERHAPS,
                    "the table is read-only on this replica",
                    NAMED),
            new Rule(
                    776,
                    "RESOURCE_LIMIT_EXCEEDED",
                    Says.OVERLOAD,
                    Stored.PERHAPS,
                    "a limit of the server is reached",
                    NAMED),
            new Rule(
                    777,
                    "MEMORY_RESERVATION_KILLED",
                    Says.OVERLOAD,
                    Stored.PERHAPS,
                    "the server is out of memory",
                    NAMED),
            new Rule(
                    778,
                    "MEMORY_RESERVATION_FAILED",
                    Says.OVERLOAD,
                    Stored.PERHAPS,
                    "the server is out of memory",
                    NAMED),
            new Rule(
                    779,
                    "UNSUPPORTED_MEDIA_TYPE",
                    Says.SETTINGS,
                    Stored.NONE,
                    "a body the server does not take",
                    true,
                    NAMED),
            new Rule(999, "KEEPER_EXCEPTION", Says.REPLICA, Stored.PERHAPS, "the server's keeper failed", NAMED),
            new Rule(1000, "POCO_EXCEPTION", Says.REPLICA, Stored.PERHAPS, "a library of the server's failed", NAMED),
            new Rule(1001, "STD_EXCEPTION", Says.REPLICA, Stored.PERHAPS, "a library of the server's failed", NAMED),
            new Rule(1002, "UNKNOWN_EXCEPTION", Says.REPLICA, Stored.PERHAPS, "the server does not know", NAMED));

    static final Rule THREW_IN_VIEW =
            new Rule(0, "", Says.NOBODY, Stored.PERHAPS, "a view behind the table threw", PROVOKED);

    static final Rule OTHER_COLUMNS =
            new Rule(117, "INCORRECT_DATA", Says.SETTINGS, Stored.NONE, "the table has other columns now", true, SEEN);

    static final Rule UNKNOWN = new Rule(
            0,
            "",
            Says.REPLICA,
            Stored.PERHAPS,
            "an error that is not known",
            "no source: what is not known is taken for the worst");

    private Codes() {}

    /// `text` is what the server said.
    static Rule of(int code, String text) {
        if (IN_VIEW.matcher(text).matches()) return THREW_IN_VIEW;
        if (code == OTHER_COLUMNS.code() && IN_HEADER.matcher(text).matches()) return OTHER_COLUMNS;
        for (var rule : TABLE)
            if (rule.code() == code && (rule.text() == null || text.contains(rule.text()))) return rule;
        return UNKNOWN;
    }
}
