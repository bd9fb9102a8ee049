package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.FreePort;
import dev.millrace.postgres.TokenTables;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Everything that keeps a process from starting: all that it prints, and its exit code, against a
/// kept text.
@ExtendWith(LabExtension.class)
class StartFailureTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int AT_ONCE = 5;

    private final Map<String, Recipe> cases = new LinkedHashMap<>();
    private final Map<String, String> shortened = new LinkedHashMap<>();

    @Test
    @Tag("CFG-10")
    @Tag("DRN-8")
    @Timeout(value = 150, unit = TimeUnit.SECONDS)
    void eachFailureToStartHasItsOneLineAndItsExitCode(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var stage = new Stage(lab);
                var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            describe(stage, taken.getLocalPort(), directory);
            var told = new StringBuilder();
            for (var wave : waves()) {
                var started = new ArrayList<MillraceProcess>();
                for (var name : wave) started.add(start(name, directory));
                for (var i = 0; i < wave.size(); i++) told.append(outcome(wave.get(i), started.get(i)));
            }
            assertThat(told.toString()).isEqualTo(expected());
        }
    }

    @Test
    @Tag("CFG-10")
    void aCompressionThatCantBeLoadedIsNotToldAsAServerThatDoesNotAnswer(@TempDir Path directory) throws Exception {
        var recipe = Recipe.posted("[orders]", FreePort.take())
                .set("sinks.warehouse.http", "{ compression: zstd }")
                .set("sinks.warehouse.shards.s0", "[ \"http://127.0.0.1:9/rows\" ]");
        var file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
        // Nothing can be unpacked into what is no folder, as into one that is full.
        try (var process = MillraceProcess.run(file, "-Xmx512m", "-Djava.io.tmpdir=" + file)) {
            assertThat(process.awaitExit(Duration.ofSeconds(60)))
                    .as(process::evidence)
                    .isEqualTo(2);
            assertThat(process.stderr())
                    .contains(
                            "sinks.warehouse.http.compression: zstd can't be loaded here: ", "-Djava.io.tmpdir=FOLDER");
        }
    }

    private List<List<String>> waves() {
        var names = List.copyOf(cases.keySet());
        var waves = new ArrayList<List<String>>();
        for (var i = 0; i < names.size(); i += AT_ONCE)
            waves.add(names.subList(i, Math.min(i + AT_ONCE, names.size())));
        return waves;
    }

    private void describe(Stage stage, int takenPort, Path directory) {
        stage.execute("create table t (id integer, p integer); create table raw (v bytea)");
        stage.execute(TokenTables.sql("public.t"));
        stage.postgres().createUser(stage.name(), "s3sam-open");
        var topic = stage.topic("a");
        stage.topics().create(topic, 1);
        var nobody = FreePort.take();
        shorten(stage, takenPort, nobody, directory);

        cases.put(
                "unreachable broker",
                good(stage, topic)
                        .set("source.kafka.bootstrap_servers", "127.0.0.1:" + nobody)
                        .set("source.kafka.startup_timeout", "1s"));
        cases.put("unknown topic", good(stage, "misspelt"));
        cases.put("a group without offsets", good(stage, topic).set("source.kafka.on_no_offset", "fail"));
        cases.put("missing table", stage.recipe("[ " + topic + " ]", "nowhere", ""));
        cases.put(
                "missing raw column",
                stage.recipe("[ " + topic + " ]", "raw", ", raw_column: w").set("format", "{ raw: {} }"));
        cases.put("wrong password", withLogin(stage, topic, stage.name(), "wrong"));
        cases.put("unknown user", withLogin(stage, topic, stage.name() + "x", "wrong"));
        cases.put("missing right", withLogin(stage, topic, stage.name(), "s3sam-open"));
        cases.put(
                "missing database",
                stage.recipe("[ " + topic + " ]").postgres(stage.postgres().user(), "t", "", stage.endpoint() + "x"));
        cases.put("port in use", good(stage, topic).set("admin.listen", "127.0.0.1:" + takenPort));
        cases.put(
                "report's folder missing", good(stage, topic).set("drain.report", directory + "/missing/report.json"));
        cases.put("a part that is not built", good(stage, topic).set("route.key", "$.customer_id"));
        stage.topics().create(stage.topic("compacted"), 1, Map.of("cleanup.policy", "compact"));
        cases.put("a dead-letter topic that forgets", good(stage, topic).set("poison.topic", stage.topic("compacted")));
        cases.put("dead letters that would be read again", good(stage, topic).set("poison.topic", topic));
        cases.put(
                "client properties that do not fit each other",
                good(stage, topic)
                        .set("source.kafka.properties", "{ session.timeout.ms: 3000, heartbeat.interval.ms: 3000 }"));
        cases.put(
                "a client property that is not a user's",
                good(stage, topic).set("source.kafka.properties", "{ enable.auto.commit: true }"));
    }

    private static Recipe good(Stage stage, String topic) {
        return stage.recipe("[ " + topic + " ]", "t", "");
    }

    private static Recipe withLogin(Stage stage, String topic, String user, String password) {
        return stage.recipe("[ " + topic + " ]", "t", "")
                .set(
                        "sinks.warehouse.postgres",
                        "{ table: t, user: " + user + ", password: " + Recipe.password(password) + " }");
    }

    private void shorten(Stage stage, int takenPort, int nobody, Path directory) {
        shortened.put(directory.toString(), "<directory>");
        shortened.put(stage.bootstrapServers(), "<broker>");
        shortened.put("127.0.0.1:" + nobody, "<nobody>");
        shortened.put("127.0.0.1:" + takenPort, "<taken>");
        shortened.put("127.0.0.1:" + stage.postgres().port(), "<postgres>");
        shortened.put(stage.name(), "<name>");
    }

    private MillraceProcess start(String name, Path directory) throws IOException {
        var recipe = cases.get(name);
        if (recipe == null) throw new AssertionError(name);
        shortened.putIfAbsent("127.0.0.1:" + recipe.port(), "<admin>");
        recipe.set("logging.level", "warn");
        var file = directory.resolve(name.replaceAll("\\W", "-") + ".yaml");
        Files.writeString(file, recipe.text());
        return MillraceProcess.run(file);
    }

    /// All that it said, on both outputs. Ports and names are of this run alone.
    private String outcome(String name, MillraceProcess process) throws InterruptedException {
        try (process) {
            var code = process.awaitExit(LIMIT);
            var told = process.stdout() + process.stderr();
            for (var one : shortened.entrySet()) told = told.replace(one.getKey(), one.getValue());
            return name + ": exit " + code + "\n    "
                    + told.replace("\n", "\n    ").stripTrailing() + "\n";
        }
    }

    private static String expected() throws IOException {
        try (var in = StartFailureTest.class.getResourceAsStream("start-failures.txt")) {
            if (in == null) throw new AssertionError("no start-failures.txt");
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
