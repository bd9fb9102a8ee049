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
import org.apache.kafka.common.header.Header;
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

    /// A trigger that tells the row in every field of its answer.
    private static final String NEVER =
            "create function no() returns trigger language plpgsql as $$ begin raise exception 'never %', new.txt"
                    + " using detail = new.txt, hint = new.txt, column = new.txt, table = new.txt,"
                    + " constraint = new.txt; end $$;"
                    + "create trigger no before insert on t for each row execute function no()";

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
            var recipe = recipe(stage, topic).set("poison.action", "skip");
            try (var process = started(recipe, directory)) {
                var pages = new AdminPages(recipe.port());
                badRows(stage, topic, process);
                refused(stage, topic, process, pages, "{\"txt\":\"" + MARKER + "\"}", "23514");
                stage.execute("alter table t drop constraint no_marker");
                await(process, "all committed", () -> stage.caughtUp(topic));
                // The table has taken a row since: the next that it does not take is poison.
                skipped(stage, topic, process, pages, "{\"txt\":\"" + MARKER + "\"}", "23505");
                stage.execute(NEVER);
                skipped(stage, topic, process, pages, "{\"txt\":\"" + MARKER + "-2\"}", "P0001");
                ended(process, 0);
            }
            assertThat(said.toString()).doesNotContain(MARKER);
            assertThat(stage.count("t")).isEqualTo(1);
        }
    }

    @Test
    @Tag("OPS-10")
    @Tag("POI-4")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void nothingOfARowThatIsHeldIsInTheReport(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer, txt text unique);" + NEVER);
            var topic = stage.topic("secret");
            stage.topics().create(topic, 1);
            var recipe = recipe(stage, topic).set("poison.action", "skip").set("drain.timeout", "1s");
            try (var process = started(recipe, directory)) {
                refused(stage, topic, process, new AdminPages(recipe.port()), "{\"txt\":\"" + MARKER + "\"}", "P0001");
                ended(process, 3);
                assertThat(process.stdout()).contains("blocked_by").contains("P0001");
            }
            assertThat(said.toString()).doesNotContain(MARKER);
        }
    }

    @Test
    @Tag("OPS-10")
    @Tag("POI-5")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void aDeadLetterHoldsTheRowAndWhatIsSaidOfItDoesNot(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer, txt text unique);");
            var topic = stage.topic("secret");
            var box = new LetterBox(stage.topics(), stage.topic("dead"));
            stage.topics().create(topic, 1);
            var recipe = recipe(stage, topic).set("poison.topic", box.topic());
            try (var process = started(recipe, directory)) {
                stage.topics().produce(List.of(record(topic, "{\"txt\":\"" + MARKER + "\"}")));
                await(process, "the first row", () -> stage.caughtUp(topic));
                stage.execute(NEVER);
                for (var bad : bad()) stage.topics().produce(List.of(record(topic, bad)));
                stage.topics().produce(List.of(record(topic, "{\"txt\":\"" + MARKER + "-2\"}")));
                await(process, "all set aside", () -> stage.caughtUp(topic));
                look(new AdminPages(recipe.port()));
                ended(process, 0);
            }
            assertThat(said.toString()).doesNotContain(MARKER);
            assertThat(box.letters())
                    .hasSize(bad().size() + 1)
                    .anySatisfy(letter -> assertThat(letter.code()).isEqualTo("P0001"))
                    .allSatisfy(letter -> {
                        assertThat(letter.others()).extracting(Header::key).containsExactly(MARKER);
                        for (var header : letter.record().headers()) {
                            if (header.key().startsWith("millrace-"))
                                assertThat(new String(header.value(), StandardCharsets.UTF_8))
                                        .doesNotContain(MARKER);
                        }
                    });
        }
    }

    private static Recipe recipe(Stage stage, String topic) {
        return stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error")
                .set("logging", "{ format: json, level: trace }");
    }

    private static MillraceProcess started(Recipe recipe, Path directory) throws Exception {
        var process = MillraceProcess.run(Files.writeString(directory.resolve("pipeline.yaml"), recipe.text()));
        await(process, "ready", () -> new AdminPages(recipe.port()).code("/readyz") == 200);
        return process;
    }

    private void ended(MillraceProcess process, int exitCode) throws Exception {
        process.terminate();
        assertThat(process.awaitExit(LIMIT)).as(process::evidence).isEqualTo(exitCode);
        said.append(process.stdout()).append(process.stderr());
        everyLineIsAnEvent(process.stderr());
    }

    /// Poison of each kind that is known as such before anything is sent.
    private static List<String> bad() {
        return List.of(
                MARKER,
                "{\"id\":" + MARKER + "}",
                "{\"" + MARKER + "\":1}",
                "{\"id\":1,\"txt\":\"" + MARKER,
                "{\"id\":\"" + MARKER + "\"}");
    }

    /// The log says where each is, and why.
    private static void badRows(Stage stage, String topic, MillraceProcess process) throws Exception {
        for (var bad : bad()) stage.topics().produce(List.of(record(topic, bad)));
        await(process, "all skipped", () -> stage.caughtUp(topic));
        assertThat(process.stderr()).contains("row_skipped", "unknown_field", "wrong_type", topic + "-0@0");
    }

    /// A row that PostgreSQL answers with a text that holds the row, while nothing speaks against the row.
    private void refused(
            Stage stage, String topic, MillraceProcess process, AdminPages pages, String value, String state)
            throws Exception {
        stage.topics().produce(List.of(record(topic, value)));
        await(process, "refused with " + state, () -> pages.body("/status").contains(state));
        await(process, "and told", () -> process.stderr().contains(state));
        look(pages);
    }

    /// The same, where it is poison.
    private void skipped(
            Stage stage, String topic, MillraceProcess process, AdminPages pages, String value, String state)
            throws Exception {
        stage.topics().produce(List.of(record(topic, value)));
        await(process, "skipped", () -> stage.caughtUp(topic));
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
            assertThat(tree.at("/event").asText()).as("the event of %s", line).matches("[a-z_]+");
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
        process.await(LIMIT, what, holds);
    }
}
