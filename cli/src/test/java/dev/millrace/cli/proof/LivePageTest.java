package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.lab.ChaosProxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What the live page says of a running pipeline, in a real browser, to eyes and to a screen reader.
@ExtendWith(LabExtension.class)
@Tag("OPS-1")
class LivePageTest {
    private static final String TABLE = "create table t (id integer primary key, p integer check (p < 1000))";
    private static final String TOKEN = "a-token-for-tests-0123456789";
    private static final Duration LONG = Duration.ofSeconds(30);

    /// Two shards; the first has two ways to its server, so that one may die.
    private static final class Drill implements AutoCloseable {
        private final Stage stage;
        private final ChaosProxy a;
        private final ChaosProxy b;
        private final ChaosProxy c;
        private final String topic;
        private final InProcess run;
        private final Chromium browser;
        private int rows;

        Drill(SharedLab lab, Path directory) throws Exception {
            var program = Chromium.program();
            assumeTrue(program != null, "no Chromium on this machine: apt-get install chromium");
            stage = new Stage(lab);
            var server = stage.postgres();
            a = ChaosProxy.launch(server.host(), server.port());
            b = ChaosProxy.launch(server.host(), server.port());
            c = ChaosProxy.launch(server.host(), server.port());
            server.createDatabase(stage.name() + "_s1");
            stage.execute(TABLE);
            server.execute(stage.name() + "_s1", TABLE);
            topic = stage.topic("orders");
            stage.topics().create(topic, 2);
            var token = Files.writeString(directory.resolve("token"), TOKEN + "\n");
            var recipe = stage.recipe("[ " + topic + " ]")
                    .postgres(server.user(), "t", ", on_conflict: ignore", to(a, ""), to(c, "_s1"))
                    .set("sinks.warehouse.shards.s0", "[ \"" + to(a, "") + "\", \"" + to(b, "") + "\" ]")
                    .set("delivery", "at_least_once")
                    .set("route", "{ key: partition }")
                    .set("poison", "{ single_row: wait, evidence: 1s, max_rate: 50% }")
                    .set("sinks.warehouse.breaker", "{ failures: 1, open_for: 2s }")
                    .set("admin.token_file", token.toString());
            run = stage.start(recipe).ready();
            browser = Chromium.launch(program, Files.createDirectories(directory.resolve("profile")));
            browser.open("http://127.0.0.1:" + recipe.port() + "/");
        }

        private String to(ChaosProxy way, String database) {
            return "postgres://127.0.0.1:" + way.port() + "/" + stage.name() + database;
        }

        /// Rows for each partition: one is a shard's, the other the other's.
        void produce(int count) {
            for (var partition = 0; partition < 2; partition++)
                stage.topics().produce(Stage.rows(topic, partition, rows, count));
            rows += count;
        }

        /// Rows are what a replica is tried with.
        void recovered() throws Exception {
            Deadline.in(LONG)
                    .until(
                            "all is well",
                            () -> {
                                produce(10);
                                return run.pages().status().at("/troubles").isEmpty();
                            },
                            () -> "it is not");
        }

        void passes(int millis) throws Exception {
            run.await("time", Deadline.in(Duration.ofMillis(millis))::passed);
        }

        /// A row that the table's check refuses.
        void refused(int number) {
            stage.topics().produce(List.of(Stage.row(topic, 0, "{\"id\":" + (900_000 + number) + ",\"p\":1000}")));
        }

        void post(String path) throws Exception {
            assertThat(run.pages().post(path, TOKEN)).isEqualTo(200);
        }

        /// Returns when a screen reader is given all of these.
        void hears(String... parts) throws Exception {
            Deadline.in(LONG)
                    .until(
                            String.join(" and ", parts),
                            () -> {
                                var all = String.join("\n", browser.heard());
                                return List.of(parts).stream().allMatch(all::contains);
                            },
                            () -> {
                                try {
                                    return String.join("\n", browser.heard());
                                } catch (Exception unheard) {
                                    return unheard.toString();
                                }
                            });
        }

        @Override
        public void close() {
            browser.close();
            stage.close();
            a.close();
            b.close();
            c.close();
        }
    }

    @Test
    @Tag("OPS-8")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName(
            "OPS-1: with one dead replica the page says which, that nothing waits, and what to do; later that it lost"
                    + " contact")
    void thePageSaysWhatIsWrongAndWhatToDo(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var drill = new Drill(lab, directory)) {
            drill.produce(100);
            drill.hears("All is well.", "Nothing has to be done.", "● takes writes");
            assertThat(drill.browser.complaints())
                    .as("errors, and what its policy forbids")
                    .isEmpty();

            drill.b.refuse();
            drill.run.await("its breaker is open", () -> {
                drill.produce(10);
                return drill.run.pages().status().toString().contains("\"breaker\":\"open\"");
            });
            var replica = "127.0.0.1:" + drill.b.port();
            drill.hears(
                    "Replica " + replica
                            + " of shard warehouse/s0 refuses connections; the others take its rows, nothing waits.",
                    "Do: Start the server, or look why nothing listens there.",
                    "✕ left out",
                    "replica_opened");

            assertThat(drill.browser.heard())
                    .contains("banner: ", "main: ", "contentinfo: ", "navigation: Other pages")
                    .contains("heading: proof", "heading: What is wrong, and what to do")
                    .contains("region: What is wrong, and what to do", "rowheader: " + drill.topic + "-0")
                    .anySatisfy(line -> assertThat(line).startsWith("image: rows in a second, the last "))
                    .anySatisfy(line -> assertThat(line).startsWith("meter: "))
                    .anySatisfy(line -> assertThat(line).startsWith("status: "));
            drill.browser.tab();
            assertThat(drill.browser.run("document.activeElement.textContent").asText())
                    .isEqualTo("Skip to what is wrong");
            drill.browser.screen(390, 844, false);
            assertThat(drill.browser.run("document.documentElement.scrollWidth").asInt())
                    .as("on a phone nothing lies beside the screen")
                    .isLessThanOrEqualTo(390);

            drill.run.stop(0);
            drill.hears("✕ No contact with the process since ", "what stands below is as it was then");
        }
    }

    /// Pictures for people, by `-Dmillrace.pictures=FOLDER`: of each drill, wide in light and dark, and on a phone.
    @Test
    @EnabledIfSystemProperty(named = "millrace.pictures", matches = ".+")
    @Timeout(value = 170, unit = TimeUnit.SECONDS)
    void picturesOfEachDrill(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var drill = new Drill(lab, directory)) {
            for (var i = 0; i < 12; i++) {
                drill.produce(200 + 150 * (i % 4));
                drill.passes(500);
            }
            drill.hears("All is well.");
            pictures(drill, "1-health");
            drill.b.refuse();
            for (var i = 0; i < 6; i++) {
                drill.produce(100);
                drill.passes(300);
            }
            drill.hears("refuses connections");
            pictures(drill, "2-dead-replica");
            drill.c.blackHole();
            drill.a.refuse();
            drill.produce(20_000);
            drill.hears("takes nothing");
            pictures(drill, "3-dead-shard");
            drill.a.heal();
            drill.b.heal();
            drill.c.heal();
            drill.recovered();
            drill.post("/pause");
            drill.hears("Paused by hand");
            pictures(drill, "4-paused");
            drill.post("/resume");
            drill.post("/quarantine?shard=warehouse/s0&replica=127.0.0.1:" + drill.a.port());
            drill.hears("has been in quarantine");
            pictures(drill, "5-quarantine");
            drill.post("/release?shard=warehouse/s0&replica=127.0.0.1:" + drill.a.port());
            drill.recovered();
            drill.refused(0);
            drill.produce(100);
            drill.hears("1 row that no store can take was set aside");
            pictures(drill, "6-set-aside");
            drill.passes(2_000);
            drill.refused(1);
            drill.hears("holds a batch of 1 row that is not accepted");
            pictures(drill, "7-blocking-row");
            drill.stage.execute("alter table t drop constraint t_p_check");
            drill.run.await("taken", () -> drill.stage.caughtUp(drill.topic));
            drill.run.stop(0);
            drill.hears("No contact");
            pictures(drill, "8-lost-contact");
        }
    }

    private static void pictures(Drill drill, String name) throws Exception {
        var folder = Files.createDirectories(Path.of(System.getProperty("millrace.pictures")));
        drill.browser.screen(1280, 900, false);
        drill.browser.picture(folder.resolve(name + "-light.png"), true);
        drill.browser.screen(1280, 900, true);
        drill.browser.picture(folder.resolve(name + "-dark.png"), true);
        drill.browser.screen(390, 1300, false);
        drill.browser.picture(folder.resolve(name + "-phone.png"), false);
    }
}
