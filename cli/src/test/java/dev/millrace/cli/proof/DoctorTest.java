package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.millrace.checkpoint.CommitNote;
import dev.millrace.checkpoint.Plan;
import dev.millrace.checkpoint.PlanCodec;
import dev.millrace.checkpoint.Segment;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.cli.MillraceCommandLine;
import dev.millrace.cli.MillraceCommandLine.Ended;
import dev.millrace.lab.FreePort;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.LabClickHouse;
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
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// `millrace doctor` and `millrace validate --connect`: what they print, and their exit codes.
@Tag("CFG-4")
@ExtendWith(LabExtension.class)
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class DoctorTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory = Path.of("");

    private Path file(Recipe recipe) throws IOException {
        return Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
    }

    private Ended doctor(Recipe recipe, String... more) throws IOException {
        var arguments = new ArrayList<>(List.of("doctor", file(recipe).toString()));
        arguments.addAll(more.length == 0 || !more[0].equals("--timeout") ? List.of("--timeout", "30s") : List.of());
        arguments.addAll(List.of(more));
        return MillraceCommandLine.run(arguments.toArray(String[]::new));
    }

    private static Recipe good(Stage stage) {
        var topic = stage.topic("a");
        stage.topics().create(topic, 1);
        stage.execute("create table t (id integer primary key, p integer)");
        return stage.recipe("[ " + topic + " ]", "t", ", on_conflict: ignore").set("poison.topic", stage.topic("dead"));
    }

    private static String last(Ended ended) {
        return ended.out().lines().toList().getLast();
    }

    @Test
    @DisplayName("CFG-4: where nothing is wrong it ends with 0 and makes nothing; hazards end it with 1 if they shall")
    void whatWorksEndsWithZero(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var recipe = good(stage);
            var ended = doctor(recipe);
            assertThat(ended.code()).as(ended.toString()).isZero();
            // The server of the tests is quick because it does not care for crashes of its host.
            assertThat(last(ended)).matches("0 faults, 0 unreached, 2 hazards, [23] notes");
            assertThat(ended.out())
                    .contains("hazard     sinks.warehouse.shards.s0 " + stage.endpoint() + ": fsync is off")
                    .contains("           do: turn it on")
                    .contains("millrace init")
                    .contains("note       poison.topic " + stage.topic("dead") + ": it is not there, and is made")
                    .contains("level      sinks.warehouse: L1, no table public.millrace_segments at ")
                    .contains("on_conflict: ignore and a unique index");
            assertThat(ended.err()).isEmpty();

            assertThat(doctor(recipe, "--strict").code()).isEqualTo(1);
            assertThat(stage.topics().committed(stage.group())).isEmpty();
            assertThat(Stage.done(stage.admin().listTopics().names())).doesNotContain(stage.topic("dead"));
        }
    }

    @Test
    @Tag("OPS-14")
    @DisplayName("OPS-14: a group of a pipeline that runs no more is told, and once when another pipeline starts")
    void whatIsLeftOfAnotherPipelineIsTold(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var recipe = good(stage);
            // The first by its name: of many that other tests left only some are named.
            var left = "0-" + stage.group();
            var place = new TopicPartition(stage.topic("a"), 0);
            var note = CommitNote.of(new TopicId("aaaaaaaaaaaaaaaaaaaaaQ"));
            Stage.done(stage.admin()
                    .alterConsumerGroupOffsets(left, Map.of(place, new OffsetAndMetadata(0, Optional.empty(), note)))
                    .all());
            var told = left + " (" + stage.topic("a") + ": gone, or made again)";
            assertThat(doctor(recipe).out()).contains("offsets of Millrace", told, "--delete --group NAME");

            try (var log = LogLines.capture()) {
                var run = stage.start(recipe).ready();
                run.await("it is told", () -> lines(log, "event=leftovers ") > 0);
                run.stop(0);
                assertThat(lines(log, "event=leftovers ")).isOne();
                assertThat(log.lines())
                        .anyMatch(line -> line.startsWith("event=leftovers count=") && line.contains(told));
            }
        }
    }

    @Test
    @Tag("EO-9")
    @DisplayName("EO-9: segments that are open are held against the file before it starts: its own are no matter")
    void openSegmentsAreHeldAgainstTheFile(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = stage.topic("a");
            var recipe = good(stage).set("delivery", "effectively_once");
            stage.topics().produce(Stage.rows(topic, 0, 0, 10));
            var run = stage.start(recipe).ready();
            run.await("all is written", () -> stage.caughtUp(topic));
            run.stop(0);
            var place = new TopicPartition(topic, 0);
            var left = Objects.requireNonNull(Stage.done(stage.admin()
                            .listConsumerGroupOffsets(stage.group())
                            .partitionsToOffsetAndMetadata())
                    .get(place));
            if (!(CommitNote.read(left.metadata(), left.offset()) instanceof CommitNote.Planned(var plan)))
                throw new AssertionError(left.metadata());
            var open = new Plan(
                    plan.fingerprint(),
                    plan.topicId(),
                    plan.cluster(),
                    plan.newestTokens(),
                    List.of(new Segment(4, 9, 1, 1, false)));
            var entry = new OffsetAndMetadata(4, Optional.empty(), PlanCodec.encode(open, 4));
            Stage.done(stage.admin()
                    .alterConsumerGroupOffsets(stage.group(), Map.of(place, entry))
                    .all());
            assertThat(doctor(recipe).out()).doesNotContain("cut under other settings");

            var changed = doctor(recipe.set("token_epoch", "2"));
            assertThat(changed.code()).as(changed.toString()).isEqualTo(2);
            assertThat(changed.out())
                    .contains("fault      source.kafka.topics " + topic + "-0: 1 segments [4, 9) are open that were cut"
                            + " under other settings")
                    .contains("           do: start it with the settings of before until it has drained");
        }
    }

    private static long lines(LogLines log, String beginning) {
        return log.lines().stream().filter(line -> line.startsWith(beginning)).count();
    }

    @Test
    @DisplayName("CFG-4: all faults are told at once, in a process as a user starts it, with exit code 2")
    void allFaultsAreToldAtOnce(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.topics().create(stage.topic("dead"), 1, Map.of("cleanup.policy", "compact"));
            var recipe = stage.recipe("[ misspelt ]")
                    .postgres(stage.postgres().user(), "nowhere", "", stage.endpoint(), stage.endpoint() + "x")
                    .set("poison.topic", stage.topic("dead"));
            var path = file(recipe);
            try (var process = MillraceProcess.of("validate", path, "validate", "--connect", path.toString())) {
                assertThat(process.awaitExit(Duration.ofSeconds(60)))
                        .as(process.evidence())
                        .isEqualTo(2);
                assertThat(process.stdout().lines().filter(line -> line.startsWith("fault")))
                        .hasSize(4)
                        .anyMatch(line -> line.startsWith("fault      source.kafka.topics misspelt: unknown topic"))
                        .anyMatch(line -> line.contains("poison.topic " + stage.topic("dead") + ": it is compacted"))
                        .anyMatch(line -> line.endsWith(": table nowhere does not exist"))
                        .anyMatch(line -> line.contains("no such database"));
                assertThat(process.stderr()).isEmpty();
            }
        }
    }

    @Test
    @DisplayName("CFG-4: one finding about several places is one line; with --json each is an object a line")
    void jsonIsAnObjectALine(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var recipe = good(stage)
                    .set(
                            "sinks.warehouse.postgres",
                            "{ table: nowhere, user: " + stage.postgres().user() + ", password: " + Recipe.password("x")
                                    + " }")
                    .set("sinks.warehouse.shards.s1", "[ \"" + stage.endpoint() + "b\" ]");
            stage.postgres().createDatabase(stage.name() + "b");
            assertThat(doctor(recipe).out())
                    .contains("fault      sinks.warehouse.shards.s0 " + stage.endpoint()
                            + ", sinks.warehouse.shards.s1 " + stage.endpoint() + "b: table nowhere does not exist");

            var ended = doctor(recipe, "--json");
            assertThat(ended.code()).isEqualTo(2);
            var lines = new ArrayList<JsonNode>();
            for (var line : ended.out().lines().toList()) lines.add(JSON.readTree(line));
            assertThat(lines.stream()
                            .filter(line -> line.path("severity").asText().equals("fault")))
                    .hasSize(2)
                    .allSatisfy(fault -> {
                        assertThat(fault.path("what").asText()).isEqualTo("table nowhere does not exist");
                        assertThat(fault.path("remedy").asText()).isNotEmpty();
                    });
            assertThat(lines.getLast().path("level").asText()).isEqualTo("L0");
            assertThat(ended.err()).startsWith("2 faults, ");
        }
    }

    @Test
    @DisplayName("CFG-4: what does not answer is unreached, and ends it with 5 in its time")
    void whatDoesNotAnswerEndsWithFive(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var recipe = good(stage)
                    .set("source.kafka.bootstrap_servers", "127.0.0.1:" + FreePort.take())
                    .set(
                            "sinks.warehouse.shards.s0",
                            "[ \"" + stage.endpoint() + "\", \"postgres://127.0.0.1:" + FreePort.take() + "/shop\" ]");
            var ended = doctor(recipe, "--timeout", "1s");
            assertThat(ended.code()).as(ended.toString()).isEqualTo(5);
            assertThat(last(ended)).startsWith("0 faults, 2 unreached, ");
            assertThat(ended.out())
                    .contains("unreached  source.kafka.bootstrap_servers: could not describe the cluster");
        }
    }

    @Test
    @DisplayName("CFG-4: of an advisory sink nothing is a fault, since nothing waits for it")
    void anAdvisorySinkHasNoFaults(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var recipe = good(stage)
                    .sink("shadow", stage.postgres().user(), "nowhere", "", stage.endpoint())
                    .set("sinks.shadow.advisory", "true");
            var ended = doctor(recipe);
            assertThat(ended.code()).as(ended.toString()).isZero();
            assertThat(ended.out())
                    .contains("hazard     sinks.shadow.shards.s0 " + stage.endpoint() + ": table nowhere");
        }
    }

    @Test
    @DisplayName("INPUT-40: a ClickHouse endpoint that is a web server is a fault, whatever the others say")
    @Tag("INPUT-40")
    @Tag("CASE-11")
    void aWebServerIsNoReplica(SharedLab lab) throws Exception {
        assumeTrue(EngineLibrary.available());
        var nginx = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        nginx.createContext("/", exchange -> {
            var page = "<html>Welcome to nginx!</html>".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        nginx.start();
        try (var stage = new Stage(lab);
                var store = LabClickHouse.unshared(1, 2)) {
            store.execute("CREATE TABLE orders (id UInt64, p UInt8) ENGINE = MergeTree ORDER BY id");
            var web = "http://127.0.0.1:" + nginx.getAddress().getPort();
            var topic = stage.topic("a");
            stage.topics().create(topic, 1);
            var recipe = stage.recipe("[ " + topic + " ]")
                    .set("sinks.warehouse.clickhouse", "{ database: default, table: orders, user: default }")
                    .set(
                            "sinks.warehouse.shards.s0",
                            "[ \"" + store.front(0, 0).url() + "\", \""
                                    + store.front(0, 1).url() + "\" ]");
            var alone = doctor(recipe);
            assertThat(alone.code()).as(alone.toString()).isZero();
            assertThat(alone.out())
                    .contains("remembers no tokens")
                    .contains("async_insert is on by default")
                    .contains("default.orders is not replicated")
                    .contains("level      sinks.warehouse: L0, MergeTree at ");

            var ended = doctor(recipe.set("sinks.warehouse.shards.s1", "[ \"" + web + "\" ]"));
            assertThat(ended.code()).as(ended.toString()).isEqualTo(2);
            assertThat(ended.out())
                    .contains("fault      sinks.warehouse.shards.s1 " + web + ": HTTP 200 from what is not ClickHouse");
        } finally {
            nginx.stop(0);
        }
    }

    @Test
    void optionsThatSayHowToLookAreRefusedWhereNothingIsLookedAt() throws Exception {
        var path = Files.writeString(directory.resolve("pipeline.yaml"), "pipeline: {}\n");
        var validate = MillraceCommandLine.run("validate", path.toString(), "--strict");
        assertThat(validate.code()).isEqualTo(2);
        assertThat(validate.err()).contains("--strict says how to look: add --connect");
        var doctor = MillraceCommandLine.run("doctor", path.toString(), "--timeout", "ten");
        assertThat(doctor.code()).isEqualTo(2);
    }
}
