package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.FreePort;
import dev.millrace.lab.LabPostgres;
import dev.millrace.lab.http.Pem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.net.ssl.SSLHandshakeException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Rows that are posted, into a PostgreSQL of the lab.
@ExtendWith(LabExtension.class)
class IntakeTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int POSTERS = 8;
    private static final int ENOUGH = 2_000;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final int port = FreePort.take();
    private final HttpClient client = HttpClient.newHttpClient();

    private static String database(SharedLab lab) {
        var name = lab.fresh();
        lab.postgres().createDatabase(name);
        lab.postgres().execute(name, "create table orders (id bigint primary key, what text)");
        return name;
    }

    private Recipe recipe(LabPostgres postgres, String host, int at, String database) {
        return Recipe.posted("[orders]", port)
                .postgres(postgres.user(), "orders", "", "postgres://" + host + ":" + at + "/" + database);
    }

    private HttpResponse<String> post(String query, String body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/orders" + query))
                .timeout(LONG)
                .POST(HttpRequest.BodyPublishers.ofString(body));
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String row(long id) {
        return "{\"id\":" + id + ",\"what\":\"lamp\"}\n";
    }

    /// What clients were told of each row.
    private static final class Told {
        private final Set<Long> written = ConcurrentHashMap.newKeySet();
        private final Set<Long> admitted = ConcurrentHashMap.newKeySet();
        private final Set<Long> refused = ConcurrentHashMap.newKeySet();
        private final Set<Long> unanswered = ConcurrentHashMap.newKeySet();

        private void answer(long id, int status) {
            switch (status) {
                case 200 -> written.add(id);
                case 202, 502, 504 -> admitted.add(id);
                default -> refused.add(id);
            }
        }
    }

    /// SIGTERM amid load: what was answered is true, and what was admitted is written or counted.
    @Test
    @Tag("DRN-1")
    @Tag("DRN-2")
    void whatWasAnsweredIsTrueThroughAStopUnderLoad(SharedLab lab, @TempDir Path directory) throws Exception {
        var database = database(lab);
        var recipe =
                recipe(lab.postgres(), lab.postgres().host(), lab.postgres().port(), database);
        var file = Files.writeString(directory.resolve("intake.yaml"), recipe.text());
        var told = new Told();
        try (var process = MillraceProcess.run(file)) {
            var pages = new AdminPages(recipe.port());
            process.await(LONG, "ready", () -> pages.code("/readyz") == 200);
            assertThat(post("?wait=durable", row(-1)).statusCode()).isEqualTo(200);
            told.answer(-1, 200);
            var over = new AtomicBoolean();
            var ids = new AtomicLong();
            var posters = new ArrayList<Thread>();
            for (var i = 0; i < POSTERS; i++) {
                var query = i % 2 == 0 ? "" : "?wait=durable";
                posters.add(Thread.ofVirtual().start(() -> load(query, ids, told, over)));
            }
            process.await(LONG, "load", () -> told.admitted.size() + told.written.size() >= ENOUGH);
            process.terminate();
            assertThat(process.awaitExit(LONG)).as(process::evidence).isZero();
            over.set(true);
            for (var poster : posters) poster.join();
            check(told, JSON.readTree(process.stdout()), lab.postgres(), database);
        }
    }

    private void load(String query, AtomicLong ids, Told told, AtomicBoolean over) {
        while (!over.get()) {
            var id = ids.incrementAndGet();
            try {
                told.answer(id, post(query, row(id)).statusCode());
            } catch (IOException _) {
                told.unanswered.add(id);
                return; // nobody listens any more
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static void check(Told told, JsonNode report, LabPostgres postgres, String database) {
        var stored = postgres.query(database, "select id from orders").stream()
                .map(Long::valueOf)
                .collect(Collectors.toSet());
        assertThat(stored).as("200 is the truth").containsAll(told.written);
        assertThat(stored).as("whole or not at all").doesNotContainAnyElementsOf(told.refused);
        var posted = report.get("posted");
        var sink = posted.get("sinks").get(0);
        var lost = sink.get("rows_lost_unreachable").asLong()
                + sink.get("rows_lost_shutdown").asLong();
        assertThat(sink.get("rows_written").asLong()).as("counted once").isEqualTo(stored.size());
        assertThat(posted.get("rows_admitted").asLong()).isEqualTo(stored.size() + lost);
        assertThat(told.admitted.stream().filter(id -> !stored.contains(id)).count())
                .as("written, or counted as lost")
                .isLessThanOrEqualTo(lost);
        assertThat(lost).as("the drain had time").isZero();
        assertThat(report.get("source").asText()).isEqualTo("http");
        assertThat(report.get("replay").asText()).isEqualTo("none");
        assertThat(report.get("rows").get("polled").asLong())
                .isEqualTo(posted.get("rows_admitted").asLong());
    }

    @Test
    void aSinkThatIsDownRefusesByItsLimitAndGoesOnByItself(SharedLab lab) throws Exception {
        var database = database(lab);
        try (var proxy = ChaosProxy.launch(lab.postgres().host(), lab.postgres().port());
                var run = InProcess.start(recipe(lab.postgres(), proxy.host(), proxy.port(), database)
                        .set("admission", "{ max_rows: 1000 }")
                        .set("sinks.warehouse.batch", "{ linger: 50ms, max_rows: 500 }"))) {
            run.ready();
            proxy.refuse();
            var admitted = 0L;
            var answer = post("", row(++admitted));
            while (answer.statusCode() == 202) answer = post("", row(++admitted));
            assertThat(answer.statusCode()).isEqualTo(429);
            var refused = JSON.readTree(answer.body());
            assertThat(refused.get("refused_by").asText()).isEqualTo("rows");
            assertThat(refused.get("limit").asLong()).isEqualTo(999);
            assertThat(answer.headers().firstValueAsLong("Retry-After").orElseThrow())
                    .isBetween(1L, 30L);
            assertThat(run.pages().body("/status")).contains("\"rows_admitted\":999");
            assertThat(run.metrics().sum("millrace_intake_refused_total")).isPositive();
            proxy.heal();
            run.await("room", () -> post("?wait=durable", row(100_000)).statusCode() == 200);
            run.askToStop();
        }
        assertThat(lab.postgres().count(database, "orders")).isEqualTo(1000);
    }

    @Test
    void aStopWithTheSinkDownReportsWhatIsLost(SharedLab lab) throws Exception {
        var database = database(lab);
        try (var proxy = ChaosProxy.launch(lab.postgres().host(), lab.postgres().port());
                var run = InProcess.start(recipe(lab.postgres(), proxy.host(), proxy.port(), database)
                        .set("drain.timeout", "500ms"))) {
            run.ready();
            proxy.refuse();
            assertThat(post("", row(1) + row(2)).statusCode()).isEqualTo(202);
            run.askToStop();
            var report = JSON.readTree(run.end().json());
            assertThat(report.get("exit_code").asInt()).isEqualTo(3);
            assertThat(report.get("drained").asBoolean()).isFalse();
            var sink = report.get("posted").get("sinks").get(0);
            assertThat(sink.get("rows_lost_shutdown").asLong()).isEqualTo(2);
            assertThat(sink.get("rows_held").asLong()).isZero();
            assertThat(report.get("rows").get("abandoned").asLong()
                            + report.get("rows").get("in_doubt").asLong())
                    .isEqualTo(2);
        }
    }

    @Test
    void aLineThatTheStoreRefusesIsToldToWhoWaits(SharedLab lab) throws Exception {
        var database = database(lab);
        try (var run = InProcess.start(
                recipe(lab.postgres(), lab.postgres().host(), lab.postgres().port(), database))) {
            run.ready();
            assertThat(post("?wait=durable", row(7)).statusCode()).isEqualTo(200);
            var answer = post("?wait=durable", row(8) + row(7) + row(9));
            assertThat(answer.statusCode()).isEqualTo(422);
            assertThat(answer.body()).contains("\"line\":2", "23505", "\"written\":2", "\"rejected\":1");
            assertThat(post("", "{\"id\":\"x\"}").statusCode()).isEqualTo(400);
            run.askToStop();
        }
        assertThat(lab.postgres().count(database, "orders")).isEqualTo(3);
    }

    private static HttpClient trusting(Pem pem) throws Exception {
        return HttpClient.newBuilder()
                .sslContext(pem.context(pem.certificate()))
                .build();
    }

    /// A body of which one byte is to come.
    private Socket begun() throws IOException {
        var slow = new Socket(InetAddress.getLoopbackAddress(), port);
        slow.setSoTimeout((int) LONG.toMillis());
        slow.getOutputStream()
                .write("POST /v1/orders HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{"
                        .getBytes(StandardCharsets.US_ASCII));
        return slow;
    }

    /// Were it to linger, nothing would be written before the body that is still read is given up.
    @Test
    @Tag("DRN-1")
    void whatIsOpenAtAStopIsWrittenWhileBodiesAreStillRead() throws Exception {
        var recipe = Recipe.posted("[orders]", port)
                .blackhole()
                .set("source.http.max_requests", "1")
                .set("sinks.warehouse.batch", "{ linger: 15s }")
                .set("drain.timeout", "60s");
        try (var run = InProcess.start(recipe)) {
            run.ready();
            var waits = CompletableFuture.supplyAsync(() -> status("?wait=durable"));
            run.await("it is taken in", () -> run.pages().body("/status").contains("\"rows_admitted\":1"));
            try (var slow = begun()) {
                run.await("it is read", () -> status("") == 429);
                run.askToStop();
                assertThat(waits.get(60, TimeUnit.SECONDS)).isEqualTo(200);
                slow.getOutputStream().write('}');
                var answer = new byte[12];
                assertThat(slow.getInputStream().readNBytes(answer, 0, 12)).isEqualTo(12);
                assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 202");
            }
            assertThat(run.end().exitCode()).isZero();
        }
    }

    private int status(String query) {
        try {
            return post(query, row(1)).statusCode();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    @Test
    void aReloadBringsAnIntakeInAndTakesItAwayAgain(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = stage.topic("a");
            stage.topics().create(topic, 1);
            var posted = Recipe.posted("[orders]", port).blackhole();
            var reads = stage.recipe("[" + topic + "]").blackhole().set("admin.listen", "127.0.0.1:" + posted.port());
            var pages = new AdminPages(posted.port());
            var file = Files.writeString(directory.resolve("pipeline.yaml"), reads.text());
            try (var process = MillraceProcess.run(file)) {
                process.await(LONG, "ready", () -> pages.code("/readyz") == 200);
                Files.writeString(file, posted.text());
                process.hangUp();
                process.await(LONG, "an intake", () -> reloads(pages) == 1);
                assertThat(post("?wait=durable", row(1)).statusCode()).isEqualTo(200);

                Files.writeString(file, reads.text());
                process.hangUp();
                process.await(LONG, "none", () -> reloads(pages) == 2);
                assertThatThrownBy(() -> post("", row(2))).isInstanceOf(ConnectException.class);
                stage.topics().produce(List.of(new ProducerRecord<>(topic, row(3).getBytes(StandardCharsets.UTF_8))));
                process.await(LONG, "it reads", () -> stage.caughtUp(topic));
                process.terminate();
                assertThat(process.awaitExit(LONG)).as(process::evidence).isZero();
                var reports = process.stdout().lines().toList();
                assertThat(reports).hasSize(3);
                assertThat(JSON.readTree(reports.get(1))
                                .get("posted")
                                .get("rows_admitted")
                                .asLong())
                        .isOne();
                assertThat(JSON.readTree(reports.get(2))
                                .get("rows")
                                .get("polled")
                                .asLong())
                        .isOne();
            }
        }
    }

    private static int reloads(AdminPages pages) throws IOException {
        return pages.code("/readyz") == 200
                ? pages.status().get("configuration").get("reloads").asInt()
                : -1;
    }

    @Test
    void itShowsItsCertificateAndTakesNothingFromWhoDoesNotTrustIt(@TempDir Path directory) throws Exception {
        var pem = Pem.make(directory, "server", "EC", "256");
        var token = Files.writeString(directory.resolve("token"), "0123456789abcdef0123");
        var recipe = Recipe.posted("[orders]", port)
                .blackhole()
                .set("source.http.token_file", token.toString())
                .set("source.http.tls.cert_file", pem.certificateFile().toString())
                .set("source.http.tls.key_file", pem.keyFile().toString());
        try (var run = InProcess.start(recipe);
                var trusting = trusting(pem)) {
            run.ready();
            var request = HttpRequest.newBuilder(URI.create("https://localhost:" + port + "/v1/orders?wait=durable"))
                    .timeout(LONG)
                    .POST(HttpRequest.BodyPublishers.ofString("{}"));
            assertThatThrownBy(() -> client.send(request.build(), HttpResponse.BodyHandlers.ofString()))
                    .isInstanceOf(SSLHandshakeException.class);
            var denied = trusting.send(request.build(), HttpResponse.BodyHandlers.ofString());
            assertThat(denied.statusCode()).isEqualTo(401);
            var taken = trusting.send(
                    request.header("Authorization", "Bearer 0123456789abcdef0123")
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(taken.statusCode()).isEqualTo(200);

            var renewed = Pem.make(directory, "renewed", "EC", "256");
            Files.copy(renewed.certificateFile(), pem.certificateFile(), StandardCopyOption.REPLACE_EXISTING);
            try (var before = trusting(pem)) {
                assertThat(before.send(request.build(), HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                        .as("its key is not there yet")
                        .isEqualTo(200);
            }
            Files.copy(renewed.keyFile(), pem.keyFile(), StandardCopyOption.REPLACE_EXISTING);
            try (var after = trusting(renewed)) {
                assertThat(after.send(request.build(), HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(200);
            }
            run.askToStop();
        }
    }
}
