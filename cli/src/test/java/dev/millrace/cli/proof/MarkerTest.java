package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A word that stands in rows, keys, headers and in what PostgreSQL says of them, and in nothing that Millrace says.
@ExtendWith(LabExtension.class)
class MarkerTest {
    private static final String MARKER = "zq7marker";
    private static final Duration LIMIT = Duration.ofSeconds(40);

    private final StringBuilder said = new StringBuilder();

    @Test
    @Tag("OPS-10")
    @Tag("OPS-5")
    @Tag("POI-6")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void noRowsContentIsInAnyLogLinePageMetricOrReport(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer, txt text unique, constraint no_marker check (txt <> '" + MARKER
                    + "'))");
            var topic = stage.topic("secret");
            stage.topics().create(topic, 1);
            var recipe = stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error")
                    .set("poison.action", "skip")
                    .set("drain.timeout", "1s")
                    .set("logging", "{ format: json, level: trace }");
            var file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
            try (var process = MillraceProcess.run(file)) {
                var pages = new AdminPages(recipe.port());
                await(process, "ready", () -> pages.code("/readyz") == 200);
                badRows(stage, topic, process);
                refusals(stage, topic, process, pages);
                process.terminate();
                assertThat(process.awaitExit(LIMIT)).as(process::evidence).isEqualTo(3);
                said.append(process.stdout()).append(process.stderr());
                assertThat(process.stdout()).contains("blocked_by").contains("P0001");
                everyLineIsAnEvent(process.stderr());
            }
            assertThat(said.toString()).doesNotContain(MARKER);
            assertThat(stage.count("t")).isEqualTo(2);
        }
    }

    /// Poison of each kind, of which the log says where it is, and why.
    private static void badRows(Stage stage, String topic, MillraceProcess process) throws Exception {
        for (var bad :
                List.of(MARKER, "{\"id\":" + MARKER + "}", "{\"" + MARKER + "\":1}", "{\"id\":1,\"txt\":\"" + MARKER))
            stage.topics().produce(List.of(record(topic, bad)));
        await(process, "all skipped", () -> stage.caughtUp(topic));
        assertThat(process.stderr()).contains("row_skipped", "unknown_field", topic + "-0@0");
    }

    /// Each of them PostgreSQL answers with a text that holds the row. Each is mended but the last.
    private void refusals(Stage stage, String topic, MillraceProcess process, AdminPages pages) throws Exception {
        refused(stage, topic, process, pages, "{\"id\":\"" + MARKER + "\"}", "22P02");
        stage.execute("alter table t alter column id type text");
        await(process, "all committed", () -> stage.caughtUp(topic));
        refused(stage, topic, process, pages, "{\"txt\":\"" + MARKER + "\"}", "23514");
        stage.execute("alter table t drop constraint no_marker");
        await(process, "all committed", () -> stage.caughtUp(topic));
        refused(stage, topic, process, pages, "{\"txt\":\"" + MARKER + "\"}", "23505");
        stage.execute(
                "create function no() returns trigger language plpgsql as $$ begin raise exception 'never %', new.txt"
                        + " using detail = new.txt, hint = new.txt, column = new.txt, table = new.txt, constraint = new.txt; end $$;"
                        + "create trigger no before insert on t for each row execute function no()");
        await(process, "the trigger's answer", () -> pages.body("/status").contains("P0001"));
        look(pages);
    }

    private void refused(
            Stage stage, String topic, MillraceProcess process, AdminPages pages, String value, String state)
            throws Exception {
        stage.topics().produce(List.of(record(topic, value)));
        await(process, "refused with " + state, () -> pages.body("/status").contains(state));
        await(process, "and told", () -> process.stderr().contains(state));
        look(pages);
    }

    private void look(AdminPages pages) throws Exception {
        said.append(pages.body("/status")).append(pages.body("/metrics"));
        try (var client = HttpClient.newHttpClient()) {
            for (var path : List.of("/readyz", "/healthz", "/" + MARKER)) {
                var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + pages.port() + path))
                        .build();
                said.append(client.send(request, HttpResponse.BodyHandlers.ofString())
                        .body());
            }
        }
    }

    /// JSON, with the event's name among the keys of the line.
    private static void everyLineIsAnEvent(String stderr) throws Exception {
        var json = new ObjectMapper();
        assertThat(stderr.lines()).isNotEmpty();
        for (var line : stderr.lines().toList()) {
            var tree = json.readTree(line);
            var event = tree.at("/kvpList").findValuesAsText("event");
            assertThat(event)
                    .as("the event of %s", line)
                    .hasSize(1)
                    .allSatisfy(name -> assertThat(name).matches("[a-z_]+"));
            assertThat(line).as("an event is named once").doesNotContain("event=");
        }
    }

    private static ProducerRecord<byte[], byte[]> record(String topic, String value) {
        var key = ("key-" + MARKER).getBytes(StandardCharsets.UTF_8);
        var record = new ProducerRecord<>(topic, key, value.getBytes(StandardCharsets.UTF_8));
        record.headers().add(MARKER, key);
        return record;
    }

    private static void await(MillraceProcess process, String what, Callable<Boolean> holds) throws Exception {
        Deadline.in(LIMIT)
                .until(
                        what,
                        () -> {
                            if (!process.alive())
                                throw new AssertionError("it ended before: " + what + "\n" + process.evidence());
                            return holds.call();
                        },
                        process::evidence);
    }
}
