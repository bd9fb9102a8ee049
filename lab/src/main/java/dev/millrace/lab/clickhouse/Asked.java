package dev.millrace.lab.clickhouse;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// What a client asked of a front, without the rows.
///
/// @param method `GET` or `POST`
/// @param path such as `/` or `/ping`
/// @param sql the statement, empty for a ping
/// @param parameters of the URL, settings among them, without the statement
/// @param headers by their names in lower case
public record Asked(
        String method, String path, String sql, Map<String, String> parameters, Map<String, String> headers) {
    private static final Pattern INSERT = Pattern.compile("(?is)\\s*INSERT\\s+INTO\\b.*");

    public Asked {
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    public boolean insert() {
        return INSERT.matcher(sql).matches();
    }

    public boolean ping() {
        return path.equals("/ping");
    }

    /// The token by which the engine knows an insert again, empty if there is none.
    public String token() {
        return parameters.getOrDefault("insert_deduplication_token", "");
    }

    public Optional<String> setting(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
    }
}
