package dev.millrace.lab.clickhouse;

import java.util.Map;
import java.util.Set;

/// Which HTTP status goes with which code of an error, as the server's `exceptionCodeToHTTPStatus` has it.
///
/// Errors in the data stand on both sides of 500, which is why a client must go by the code.
final class HttpStatuses {
    private static final Set<Integer> BAD_REQUEST = Set.of(
            6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427, 441, 675,
            676);
    private static final Set<Integer> FORBIDDEN = Set.of(192, 193, 497, 512, 516);
    private static final Set<Integer> NOT_FOUND = Set.of(46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511);
    private static final Map<Integer, Integer> OTHERS = Map.of(
            194, 401, // REQUIRED_PASSWORD
            229, 413, // QUERY_IS_TOO_LARGE
            48, 501, // NOT_IMPLEMENTED
            209, 503, // SOCKET_TIMEOUT
            76, 503, // CANNOT_OPEN_FILE
            439, 503, // CANNOT_SCHEDULE_TASK
            381, 411, // HTTP_LENGTH_REQUIRED
            159, 408, // TIMEOUT_EXCEEDED
            779, 415); // UNSUPPORTED_MEDIA_TYPE

    private static final Map<Integer, String> REASONS = Map.ofEntries(
            Map.entry(200, "OK"),
            Map.entry(307, "Temporary Redirect"),
            Map.entry(400, "Bad Request"),
            Map.entry(401, "Unauthorized"),
            Map.entry(403, "Forbidden"),
            Map.entry(404, "Not Found"),
            Map.entry(408, "Request Timeout"),
            Map.entry(413, "Request Entity Too Large"),
            Map.entry(429, "Too Many Requests"),
            Map.entry(500, "Internal Server Error"),
            Map.entry(501, "Not Implemented"),
            Map.entry(502, "Bad Gateway"),
            Map.entry(503, "Service Unavailable"),
            Map.entry(504, "Gateway Timeout"));

    private HttpStatuses() {}

    static int of(int code) {
        if (BAD_REQUEST.contains(code)) return 400;
        if (FORBIDDEN.contains(code)) return 403;
        if (NOT_FOUND.contains(code)) return 404;
        return OTHERS.getOrDefault(code, 500);
    }

    static String reason(int status) {
        return REASONS.getOrDefault(status, "Status " + status);
    }
}
