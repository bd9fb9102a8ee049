package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.EmbeddedBroker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What the live page says of a running pipeline, in a real browser, to eyes and to a screen reader, in each failure
/// drill.
///
/// `-Dmillrace.pictures=FOLDER` has pictures taken of each, for people: wide in light and dark, and on a phone.
@ExtendWith(LabExtension.class)
@Tag("OPS-1")
class LivePageTest {
    private static final String TABLE = "create table t (id integer primary key, p integer check (p < 1000))";
    private static final String TOKEN = "a-token-for-tests-0123456789";
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int WIDE = 1280;
    private static final int PHONE = 390;

    /// Two shards; the first has two ways to its server, so that one may die.
    private static final class Drill implements AutoCloseable {
        private final EmbeddedBroker broker;
        private final Stage stage;
        private final ChaosProxy a;
        private final ChaosProxy b;
        private final ChaosProxy c;
        private final String topic;
        private final InProcess run;
        private final Chromium browser;
        private final String page;
        private int rows;

        Drill(SharedLab lab, Path program, Path directory) throws Exception {
            broker = EmbeddedBroker.launch(SharedLab.settings());
            stage = new Stage(lab, broker.bootstrapServers());
            var server = stage.postgres();
            a = ChaosProxy.launch(server.host(), server.port());
            b = ChaosProxy.launch(server.host(), server.port());
            c = ChaosProxy.launch(server.host(), server.port());
            server.createDatabase(stage.name() + "_s1");
            stage.execute(TABLE);
            server.execute(stage.name() + "_s1", TABLE);
            topic = stage.topic("orders");
            stage.topics().create(topic, 3);
            var token = Files.writeString(directory.resolve("token"), TOKEN + "\n");
            var recipe = stage.recipe("[ " + topic + " ]")
                    .postgres(server.user(), "t", ", on_conflict: ignore", to(a, ""), to(c, "_s1"))
                    .set("sinks.warehouse.shards.s0", "[ \"" + to(a, "") + "\", \"" + to(b, "") + "\" ]")
                    .set("delivery", "at_least_once")
                    .set("route", "{ key: partition }")
                    .set("poison", "{ single_row: wait, evidence: 1s, max_rate: 50% }")
                    .set("sinks.warehouse.breaker", "{ failures: 1, open_for: 2s }")
                    .set("sinks.warehouse.write", "{ timeout: 1s }")
                    .set("admin.token_file", token.toString());
            run = stage.start(recipe).ready();
            browser = Chromium.launch(program, Files.createDirectories(directory.resolve("profile")));
            page = "http://127.0.0.1:" + recipe.port() + "/";
            browser.screen(WIDE, 900, false);
            browser.open(page);
        }

        private String to(ChaosProxy way, String database) {
            return "postgres://127.0.0.1:" + way.port() + "/" + stage.name() + database;
        }

        /// Rows for each of two partitions: one is a shard's, the other the other's.
        void produce(int count) {
            for (var partition = 0; partition < 2; partition++)
                stage.topics().produce(Stage.rows(topic, partition, rows, count));
            rows += count;
        }

        /// Until the process says so of itself.
        void produceUntil(String what, String inStatus) throws Exception {
            run.await(what, () -> {
                produce(10);
                return run.pages().body("/status").contains(inStatus);
            });
        }

        /// Rows are what a replica is tried with.
        void recovered() throws Exception {
            run.await("all is well", () -> {
                produce(10);
                return run.pages().status().at("/troubles").isEmpty();
            });
        }

        void passes(int millis) throws Exception {
            run.await("time", Deadline.in(Duration.ofMillis(millis))::passed);
        }

        /// A row that the table's check refuses.
        void refused(int number) {
            stage.topics().produce(List.of(Stage.row(topic, 0, "{\"id\":" + (900_000 + number) + ",\"p\":1000}")));
        }

        /// Rows of a partition of their own, with a field that the table has not.
        void strange(int count) {
            stage.topics()
                    .produce(IntStream.range(0, count)
                            .mapToObj(id -> Stage.row(topic, 2, "{\"id\":" + id + ",\"strange\":1}"))
                            .toList());
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
                                browser.comesBack();
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

        /// The same, and eyes can read all of it, on each screen.
        void seen(String name, String... parts) throws Exception {
            hears(parts);
            looks(name + "-light", WIDE, 900, false);
            looks(name + "-dark", WIDE, 900, true);
            looks(name + "-phone-dark", PHONE, 1300, true);
            looks(name + "-phone", PHONE, 1300, false);
            browser.screen(WIDE, 900, false);
        }

        private void looks(String name, int width, int height, boolean dark) throws Exception {
            browser.screen(width, height, dark);
            browser.run("scrollTo(0, 0)");
            var faults = new ArrayList<String>();
            browser.run(script("page-faults.js")).forEach(fault -> faults.add(fault.asText()));
            assertThat(faults).as(name).isEmpty();
            var pictures = System.getProperty("millrace.pictures");
            if (pictures != null)
                browser.picture(Files.createDirectories(Path.of(pictures)).resolve(name + ".png"), width == WIDE);
        }

        /// The page, asking somebody who says the same of the process as the process but for its sinks.
        HttpServer withLevels() throws IOException {
            var status = (ObjectNode) run.pages().status();
            var sinks = status.putArray("sinks");
            for (var level = 0; level <= 4; level++)
                sinks.addObject()
                        .put("name", "sink" + level)
                        .put("level", "L" + level)
                        .put("why", "reason " + level);
            var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", exchange -> {
                var path = exchange.getRequestURI().getPath();
                var body =
                        path.equals("/status") ? status.toString() : run.pages().body(path);
                var end = path.substring(path.lastIndexOf('.') + 1);
                var kinds = Map.of("css", "text/css", "js", "text/javascript", "svg", "image/svg+xml");
                exchange.getResponseHeaders().set("Content-Type", kinds.getOrDefault(end, "text/html; charset=utf-8"));
                var bytes = body.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, bytes.length);
                try (var out = exchange.getResponseBody()) {
                    out.write(bytes);
                }
            });
            server.start();
            return server;
        }

        @Override
        public void close() {
            browser.close();
            stage.close();
            broker.close();
            a.close();
            b.close();
            c.close();
        }
    }

    private static String script(String name) throws IOException {
        try (var in = Objects.requireNonNull(LivePageTest.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /// Where a test is to fail rather than to be left out, one has to be there.
    private static Path program() {
        var program = Chromium.program();
        var remedy = "no Chromium on this machine: apt-get install chromium";
        if ("true".equals(System.getenv("CI"))) return Objects.requireNonNull(program, remedy);
        assumeTrue(program != null, remedy);
        return Objects.requireNonNull(program);
    }

    @Test
    @Tag("OPS-8")
    @Timeout(value = 170, unit = TimeUnit.SECONDS)
    @DisplayName("OPS-1: in each failure drill the page says what is wrong, what waits and what to do: to a screen"
            + " reader, and to eyes, dark and light, on a screen and on a phone")
    void thePageSaysWhatIsWrongAndWhatToDo(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var drill = new Drill(lab, program(), directory)) {
            healthy(drill);
            replicas(drill);
            brokersAndHands(drill);
            levels(drill);
            rows(drill);
            assertThat(drill.browser.complaints())
                    .as("errors, and what its policy forbids")
                    .isEmpty();
            end(drill);
        }
    }

    private static void healthy(Drill drill) throws Exception {
        drill.produce(100);
        // Lines that go up and down, for whoever looks at the pictures.
        for (var i = 0; System.getProperty("millrace.pictures") != null && i < 12; i++) {
            drill.produce(200 + 150 * (i % 4));
            drill.passes(500);
        }
        drill.seen("01-health", "All is well.", "Nothing has to be done.", "● takes writes");
        assertThat(drill.browser.heard())
                .contains("banner: ", "main: ", "contentinfo: ", "navigation: Other pages")
                .contains("heading: proof", "heading: What is wrong, and what to do")
                .contains("region: What is wrong, and what to do", "rowheader: " + drill.topic + "-0")
                .anySatisfy(line -> assertThat(line).startsWith("image: rows in a second, the last "))
                .anySatisfy(line -> assertThat(line).startsWith("meter: "))
                .anySatisfy(line -> assertThat(line).startsWith("status: "));
        assertThat(byTabulator(drill.browser))
                .containsExactly(
                        "Skip to what is wrong",
                        "partitions-title",
                        "events-title",
                        "as text",
                        "status",
                        "stuck",
                        "metrics",
                        "readyz",
                        "healthz");
        drill.browser.tab();
        drill.browser.enter();
        assertThat(drill.browser.run("document.activeElement.id").asText()).isEqualTo("now");
        drill.browser.run("document.activeElement.blur()");
    }

    /// What the tabulator reaches, one after the other, each with a frame about it.
    private static List<String> byTabulator(Chromium browser) throws Exception {
        var stops = new ArrayList<String>();
        while (stops.size() < 30) {
            browser.tab();
            var stop = browser.run("""
                    (() => {
                      const at = document.activeElement;
                      if (at === document.body) return '';
                      const style = getComputedStyle(at);
                      const frame = style.outlineStyle === 'solid' && parseFloat(style.outlineWidth) >= 2;
                      return (at.getAttribute('aria-labelledby') || at.textContent) + (frame ? '' : ' without a frame');
                    })()""").asText();
            if (stop.isEmpty()) break;
            stops.add(stop);
        }
        return stops;
    }

    private static void replicas(Drill drill) throws Exception {
        drill.b.refuse();
        drill.produceUntil("its breaker is open", "\"breaker\":\"open\"");
        var replica = "127.0.0.1:" + drill.b.port();
        drill.seen(
                "02-one-replica-refuses",
                "Replica " + replica
                        + " of shard warehouse/s0 refuses connections; the others take its rows, nothing waits.",
                "Do: Start the server, or look why nothing listens there.",
                "✕ left out",
                "replica_opened");
        drill.b.heal();
        drill.recovered();

        drill.b.blackHole();
        drill.produceUntil("its breaker is open", "\"breaker\":\"open\"");
        drill.seen(
                "03-one-replica-hangs",
                "Replica " + replica
                        + " of shard warehouse/s0 does not answer in time; the others take its rows, nothing waits.",
                "Do: Look at the server's load and disk, and at the network on the way to it.");
        drill.b.heal();
        drill.recovered();

        drill.c.refuse();
        drill.produce(2_000);
        drill.seen(
                "04-a-shard-is-dead",
                "Shard warehouse/s1 takes nothing: its only replica refuses connections.",
                "nothing is lost.",
                "It is tried again by itself; nothing has to be restarted.",
                "✕ takes nothing",
                "! 1 held up");
        drill.c.heal();
        drill.recovered();
    }

    /// What people do is seen while the brokers' silence lasts.
    private static void brokersAndHands(Drill drill) throws Exception {
        drill.broker.stop();
        drill.post("/pause");
        drill.seen("05-paused", "Paused by hand", "rows wait in Kafka, nothing is lost.", "millrace resume FILE");
        drill.post("/resume");
        var replica = "replica=127.0.0.1:" + drill.a.port();
        drill.post("/quarantine?shard=warehouse/s0&" + replica);
        drill.seen("06-quarantine", "has been in quarantine", "nothing waits.", "millrace release FILE");
        drill.post("/release?shard=warehouse/s0&" + replica);
        drill.seen(
                "07-kafka-is-down",
                "Kafka does not answer: no broker has, for ",
                "Rows wait there; nothing is lost.",
                "Do: Look whether the brokers are up");
        drill.broker.start();
        drill.recovered();
    }

    private static void levels(Drill drill) throws Exception {
        var server = drill.withLevels();
        try {
            drill.browser.open("http://127.0.0.1:" + server.getAddress().getPort() + "/");
            drill.seen(
                    "08-levels",
                    "sink0: L0",
                    "every row is stored; what is sent again may be stored twice",
                    "sink1: L1",
                    "what is sent again is stored once, but not what replays after a crash",
                    "sink2: L2",
                    "stored once, after crashes and restarts too, while the store remembers",
                    "sink3: L3",
                    "stored once; what is older than the store remembers is looked for first",
                    "sink4: L4",
                    "stored once, for ever",
                    "reason 4");
            drill.browser.open(drill.page);
            drill.hears("All is well.");
        } finally {
            server.stop(0);
        }
    }

    private static void rows(Drill drill) throws Exception {
        drill.refused(0);
        drill.produce(100);
        drill.seen(
                "09-rows-set-aside",
                "1 row that no store can take was set aside in the last minutes; the others go on.",
                "Do: See which and why: millrace dlq list FILE",
                "1 row in the dead-letter topic since the start");
        drill.passes(1_500);
        drill.refused(1);
        drill.seen("10-a-row-blocks", "holds a batch of 1 row that is not accepted", "nothing is lost.");
        drill.stage.execute("alter table t drop constraint t_p_check");
        drill.run.await("taken", () -> drill.stage.caughtUp(drill.topic));
        drill.strange(200);
        drill.seen(
                "11-drift",
                "Partition " + drill.topic + "-2 waits for a person: more of its rows are poison than poison.max_rate",
                "Do: See which rows are refused",
                "101 rows in the dead-letter topic since the start");
    }

    private static void end(Drill drill) throws Exception {
        drill.c.refuse();
        drill.produceUntil("it holds rows", "\"usable\":false");
        drill.run.askToStop();
        drill.seen(
                "12-draining",
                "Stopping: nothing more is read; what was taken is being finished, for at most ",
                "The report says what is left, and that is read again at the next start.");
        drill.c.heal();
        // The rows that drift are left.
        drill.run.awaitEnd(3);
        drill.seen(
                "13-lost-contact",
                "✕ No contact with the process since ",
                "what stands below is as it was then",
                "Look whether it runs; this page goes on asking.");
    }
}
