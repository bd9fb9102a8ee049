package dev.millrace.cli.proof;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/// The admin pages of a running process.
///
/// Thread ownership: any thread.
final class AdminPages {
    /// What stands for a status where nobody answers.
    static final int NOBODY = -1;

    private static final int LIMIT_MILLIS = 5_000;

    private final int port;

    AdminPages(int port) {
        this.port = port;
    }

    int port() {
        return port;
    }

    /// The status code of a page, or [#NOBODY].
    int code(String path) {
        try {
            var connection = open(path);
            try {
                return connection.getResponseCode();
            } finally {
                // One kept open counts against what the server allows.
                connection.disconnect();
            }
        } catch (IOException refused) {
            return NOBODY;
        }
    }

    JsonNode status() throws IOException {
        return new ObjectMapper().readTree(body("/status"));
    }

    /// The sum over all series of one metric.
    double metric(String name) throws IOException {
        return body("/metrics")
                .lines()
                .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /// What a page says, of one that says 200.
    String body(String path) throws IOException {
        try (var in = open(path).getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /// The status code that an act is answered with.
    int post(String path, String token) throws IOException {
        var connection = open(path);
        connection.setRequestMethod("POST");
        connection.setRequestProperty("Authorization", "Bearer " + token);
        try {
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }

    private HttpURLConnection open(String path) throws IOException {
        var connection = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        connection.setConnectTimeout(LIMIT_MILLIS);
        connection.setReadTimeout(LIMIT_MILLIS);
        return connection;
    }
}
