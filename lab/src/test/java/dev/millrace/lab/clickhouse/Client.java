package dev.millrace.lab.clickhouse;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// A statement for a front, put together step by step, and sent by the JDK's client, which sends a POST once.
final class Client {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final HttpClient http;
    private final ClickHouseFront front;
    private final Map<String, String> parameters = new LinkedHashMap<>();
    private final List<String> headers = new ArrayList<>();
    private BodyPublisher body = BodyPublishers.noBody();

    private Client(HttpClient http, ClickHouseFront front, String sql) {
        this.http = http;
        this.front = front;
        parameters.put("query", sql);
    }

    static Client ask(ClickHouseFront front, String sql) {
        return ask(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(), front, sql);
    }

    static Client ask(HttpClient http, ClickHouseFront front, String sql) {
        return new Client(http, front, sql);
    }

    /// Rows of JSON, one a line.
    static Client insert(ClickHouseFront front, String table, String... rows) {
        return ask(front, "INSERT INTO " + table + " FORMAT JSONEachRow").rows(String.join("\n", rows));
    }

    Client token(String token) {
        return with("insert_deduplication_token", token);
    }

    Client with(String parameter, String value) {
        parameters.put(parameter, value);
        return this;
    }

    Client header(String name, String value) {
        headers.addAll(List.of(name, value));
        return this;
    }

    Client rows(String rows) {
        return rows(rows.getBytes(StandardCharsets.UTF_8));
    }

    /// With a `Content-Length`.
    Client rows(byte[] rows) {
        body = BodyPublishers.ofByteArray(rows);
        return this;
    }

    /// In chunks.
    Client chunked(byte[] rows) {
        body = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(rows));
        return this;
    }

    HttpResponse<String> post() throws IOException, InterruptedException {
        return send("POST");
    }

    HttpResponse<String> get() throws IOException, InterruptedException {
        return send("GET");
    }

    private HttpResponse<String> send(String method) throws IOException, InterruptedException {
        String query = parameters.entrySet().stream()
                .map(parameter ->
                        parameter.getKey() + "=" + URLEncoder.encode(parameter.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        var request = HttpRequest.newBuilder(URI.create(front.url() + "/?" + query))
                .timeout(LIMIT)
                .method(method, body);
        if (!headers.isEmpty()) request.headers(headers.toArray(String[]::new));
        return http.send(request.build(), BodyHandlers.ofString());
    }

    /// The code of the exception that the answer's header tells, 0 if it tells none.
    static int code(HttpResponse<?> answer) {
        return answer.headers()
                .firstValue("X-ClickHouse-Exception-Code")
                .map(Integer::parseInt)
                .orElse(0);
    }
}
