package dev.millrace.lab.clickhouse;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Which parameters of a URL the front takes itself, and which are settings for the engine.
final class QueryParameters {
    private static final Set<String> OWN = Set.of(
            "query",
            "database",
            "default_format",
            "user",
            "password",
            "quota_key",
            "query_id",
            "wait_end_of_query",
            "buffer_size",
            "stacktrace",
            "compress",
            "decompress",
            "client_protocol_version");

    /// What the server has and a front has not.
    private static final Set<String> MISSING = Set.of("session_id", "session_check", "session_timeout", "role");

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private QueryParameters() {}

    /// The answer to parameters that cannot be taken, or null.
    static @Nullable Answer refusal(RequestHead head) {
        for (String name : head.parameters().keySet()) {
            if (MISSING.contains(name))
                return Answer.exception(48, "NOT_IMPLEMENTED", "The lab's front has no '" + name + "'");
            if (!NAME.matcher(name).matches())
                return Answer.exception(115, "UNKNOWN_SETTING", "Unknown setting '" + name + "'");
        }
        for (String name : Set.of("compress", "decompress")) {
            if (head.parameter(name).equals("1"))
                return Answer.exception(48, "NOT_IMPLEMENTED", "The lab's front has no '" + name + "=1'");
        }
        return null;
    }

    static String database(RequestHead head) {
        String named = head.parameter("database");
        return named.isEmpty() ? head.header("x-clickhouse-database") : named;
    }

    /// Empty if it names none.
    static String defaultFormat(RequestHead head) {
        String named = head.parameter("default_format");
        return named.isEmpty() ? head.header("x-clickhouse-format") : named;
    }

    static Map<String, String> settings(RequestHead head) {
        var settings = new LinkedHashMap<String, String>();
        head.parameters().forEach((name, value) -> {
            if (!OWN.contains(name)) settings.put(name, value);
        });
        // What is asked by GET may change nothing. Last: it forbids to set what follows it.
        if (head.method().equals("GET")) settings.put("readonly", "2");
        return settings;
    }
}
