package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A secret of each kind, shown to a server that tells everybody what it was shown, and looked for in all that Millrace
/// says.
@ExtendWith(LabExtension.class)
class PlantedSecretsTest {
    private static final String PLANTED = "zq9planted-";
    private static final Pattern WORD = Pattern.compile(PLANTED + "[a-z]+");
    private static final Duration LIMIT = Duration.ofSeconds(40);
    private static final List<String> PAGES =
            List.of("/", "/status", "/status.txt", "/stuck", "/stuck.txt", "/readyz", "/healthz", "/metrics", "/pause");

    @TempDir
    private Path directory = Path.of("");

    /// What was shown to the server.
    private final Set<String> shown = new ConcurrentSkipListSet<>();

    private final StringBuilder said = new StringBuilder();

    /// Refuses everything, with the secrets in header and body.
    private void tellTale(HttpExchange exchange) throws IOException {
        try (exchange) {
            var told = new StringBuilder();
            for (var name : List.of("Authorization", "X-Api-Key", "X-Token", "X-ClickHouse-Key")) {
                var value = exchange.getRequestHeaders().getFirst(name);
                if (value != null) told.append(value).append(' ');
            }
            WORD.matcher(told).results().forEach(word -> shown.add(word.group()));
            exchange.getRequestBody().readAllBytes();
            var body = ("Code: 516. DB::Exception: " + told).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Millrace-Reason", "not " + told);
            exchange.sendResponseHeaders(403, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private String secret(String name) throws IOException {
        return "\"${file:" + Files.writeString(directory.resolve(name), PLANTED + name + "\n") + "}\"";
    }

    private Recipe recipe(Stage stage, String topic, int port) throws IOException {
        var server = "http://127.0.0.1:" + port;
        var token = Files.writeString(directory.resolve("admin"), PLANTED + "admin-token\n");
        return stage.recipe("[ " + topic + " ]")
                .set(
                        "source.kafka.properties",
                        "{ session.timeout.ms: 3000, heartbeat.interval.ms: 300, ssl.key.password: " + secret("key")
                                + ", ssl.truststore.password: " + secret("trust") + ", sasl.jaas.config: "
                                + secret("jaas") + " }")
                .set(
                        "sinks.warehouse.http",
                        "{ bearer_token: " + secret("bearer") + ", headers: { X-Api-Key: " + secret("api") + " } }")
                .set("sinks.warehouse.shards.s0", "[ \"" + server + "/rows\" ]")
                .set("sinks.house.clickhouse", "{ database: d, table: t, token: " + secret("click") + " }")
                .set("sinks.house.advisory", "true")
                .set("sinks.house.shards.s0", "[ \"" + server + "\" ]")
                .set(
                        "sinks.store.postgres",
                        "{ table: t, user: " + stage.postgres().user() + ", password: " + secret("postgres") + " }")
                .set("sinks.store.shards.s0", "[ \"" + stage.endpoint() + "\" ]")
                .set("sinks.store.batch", "{ linger: 100ms }")
                .set(
                        "metrics",
                        "{ otlp: \"" + server + "/v1/metrics\", otlp_interval: 1s, otlp_headers: { X-Token: "
                                + secret("otlp") + " } }")
                .set("admin.token_file", token.toString())
                .set("drain.timeout", "1s")
                .set("logging", "{ format: text, level: trace }");
    }

    private void look(int port) throws IOException {
        for (var path : PAGES) {
            var connection = (HttpURLConnection)
                    URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
            connection.setReadTimeout(5_000);
            if (path.equals("/pause")) {
                connection.setRequestMethod("POST");
                connection.setRequestProperty("Authorization", "Bearer " + PLANTED + "another-token");
            }
            var code = connection.getResponseCode();
            try (InputStream in = code < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                said.append(connection.getHeaderFields());
                if (in != null) said.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
            connection.disconnect();
        }
    }

    private void command(Path file, String... arguments) throws Exception {
        var all = new ArrayList<>(List.of(arguments));
        all.add(file.toString());
        try (var process = MillraceProcess.of(arguments[0], file, all.toArray(String[]::new))) {
            process.awaitExit(LIMIT);
            assertThat(process.stdout()).as("%s", all).isNotEmpty();
            said.append(process.stdout()).append(process.stderr());
        }
    }

    @Test
    @Tag("CFG-5")
    @Tag("OPS-10")
    @Timeout(value = 180, unit = TimeUnit.SECONDS)
    @DisplayName("CFG-5: no secret is in any log line, page, metric or report, nor told by a command")
    void noSecretIsTold(SharedLab lab) throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::tellTale);
        server.start();
        try (var stage = new Stage(lab)) {
            Files.writeString(directory.resolve("jaas"), "");
            stage.execute("create table t (id integer primary key, p integer)");
            var topic = stage.topic("planted");
            stage.topics().create(topic, 1);
            var recipe = recipe(stage, topic, server.getAddress().getPort());
            Files.writeString(
                    directory.resolve("jaas"),
                    "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"me\" password=\""
                            + PLANTED + "jaas\";");
            var file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
            try (var process = MillraceProcess.run(file)) {
                var pages = new AdminPages(recipe.port());
                process.await(LIMIT, "it listens", () -> pages.code("/healthz") == 200);
                stage.topics()
                        .produce(List.of(new ProducerRecord<>(
                                topic, 0, null, "{\"id\":1,\"p\":0}".getBytes(StandardCharsets.UTF_8))));
                process.await(LIMIT, "refused", () -> pages.body("/status").contains("http-403"));
                process.await(LIMIT, "all was shown", () -> shown.size() == 4);
                look(recipe.port());
                process.terminate();
                assertThat(process.awaitExit(LIMIT)).as(process::evidence).isEqualTo(3);
                said.append(process.stdout()).append(process.stderr());
                assertThat(process.stdout()).contains("http-403", "(not ");
            }
            command(file, "doctor");
            command(file, "doctor", "--json");
            command(file, "explain");
            command(file, "validate");
        } finally {
            server.stop(0);
        }
        assertThat(shown)
                .containsExactlyInAnyOrder(PLANTED + "api", PLANTED + "bearer", PLANTED + "click", PLANTED + "otlp");
        assertThat(said.toString()).contains("http-403", "***").doesNotContain(PLANTED);
    }
}
