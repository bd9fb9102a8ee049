package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Holds the whole output of `explain` for files of different shape, and what must be true of it for any.
@Tag("CFG-5")
class ExplainTest {
    private static final Path EXPLAIN = Path.of("src/test/resources/explain");
    private static final String SECRET = "hunter2";
    private static final Map<String, String> ENV = Map.of(
            "PASSWORD",
            SECRET,
            "KAFKA",
            "kafka-a:9092,kafka-b:9092",
            "TOPIC",
            "payments",
            "DB",
            "db-1a:5432",
            "EMPTY",
            "");

    @TempDir
    private Path secrets = Path.of("");

    static List<Path> files() throws IOException {
        try (var files = Files.list(EXPLAIN)) {
            return files.filter(f -> f.toString().endsWith(".yaml")).sorted().toList();
        }
    }

    @BeforeEach
    void writeTheSecret() throws IOException {
        Files.writeString(secrets.resolve("postgres"), SECRET + "\n");
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyValueIsThereWithWhereItComesFrom(Path file) throws IOException {
        var text = explained(Files.readString(file), ENV);
        Golden.hold(
                file.resolveSibling(file.getFileName().toString().replace(".yaml", ".expected")),
                text.replace(secrets.toString(), "/run/secrets"));
    }

    @ParameterizedTest
    @MethodSource("files")
    void noSecretIsShown(Path file) throws IOException {
        assertThat(explained(Files.readString(file), ENV)).doesNotContain(SECRET);
    }

    @ParameterizedTest
    @MethodSource("files")
    void whatIsExplainedReadsToTheSameConfiguration(Path file) throws IOException {
        var text = Files.readString(file);
        assertThat(config(explained(text, ENV).replace("***", SECRET))).isEqualTo(config(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a b",
                "it's",
                "\"",
                "\\",
                "$",
                "$$",
                "${A}",
                "$${A}",
                "a: b",
                "a:",
                "- a",
                "#a",
                "a #b",
                "~",
                "null",
                "NULL",
                "*a",
                "&a",
                "!a",
                "%a",
                "@a",
                "[a",
                "{a}",
                "a,b",
                "? a",
                "| a",
                "> a",
                "jürgen",
                "\ud83d\ude00",
                "true",
                "1.0",
                "=",
                "<<",
                "-",
                "\u200d",
                "\u202ea",
                "\ufeffa"
            })
    void anyTextIsWrittenSoThatItIsReadBack(String user) {
        var env = new HashMap<>(ENV);
        env.put("USER", user);
        var text = explained(
                PipelineText.postgres()
                        .with("user: ingest\n", "user: ${USER}\n")
                        .text(),
                env);
        assertThat(text.lines())
                .hasSameSizeAs(
                        explained(PipelineText.postgres().text(), ENV).lines().toList());
        var sink = config(text.replace("***", SECRET)).sinks().getFirst();
        assertThat(((PostgresConfig) sink.kind()).user()).isEqualTo(user);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hunter2",
                "${PASSWORD}",
                "${NONE:-hunter2}",
                "${PASSWORD:?hunter2}",
                "x${PASSWORD}",
                "'${file:/run/secrets/postgres}'"
            })
    void aSecretIsStarsWhereverItComesFrom(String password) {
        var text = PipelineText.postgres().with("${PASSWORD}", password).text();
        assertThat(explained(text, ENV)).contains("password: ***  ").doesNotContain(SECRET);
    }

    @Test
    void whatComesFromASecretFileIsStarsUnderAnyKey() {
        var text = PipelineText.postgres()
                .with("user: ingest\n", "user: ${file:/run/secrets/postgres}\n")
                .kafka(
                        "properties: { client.id: \"a-${file:/run/secrets/postgres}\", ssl.key.password: \"${PASSWORD}\" }")
                .text();
        assertThat(explained(text, ENV).lines().map(String::strip))
                .anyMatch(line -> line.startsWith("user: ***  "))
                .anyMatch(line -> line.startsWith("client.id: ***  "))
                .anyMatch(line -> line.startsWith("ssl.key.password: ***  "))
                .noneMatch(line -> line.contains(SECRET));
    }

    @Test
    void theNameOfASecretFileCannotWriteALineOfItsOwn() throws IOException {
        Files.writeString(secrets.resolve("a\nb"), SECRET);
        var text = PipelineText.postgres()
                .with("${PASSWORD}", "\"${file:/run/secrets/a\\nb}\"")
                .text();
        assertThat(explained(text, ENV)).contains("a\\u000ab\n");
    }

    @Test
    void aWrongFileIsRefusedWithItsProblems() {
        var text = PipelineText.postgres().with("group_id", "group_idd").text();
        assertThat(Configuration.explain("pipeline.yaml", text, ENV::get))
                .isInstanceOfSatisfying(
                        ExplainResult.Refused.class,
                        refused -> assertThat(refused.problems())
                                .isEqualTo(((ReadResult.Refused) Configuration.read("pipeline.yaml", text, ENV::get))
                                        .problems()));
    }

    @Test
    void aFileIsExplainedWithItsWarnings() throws IOException {
        var file = secrets.resolve("pipeline.yaml");
        Files.writeString(
                file, PipelineText.postgres().root("drain: { timeout: 40s }").text());
        assertThat(Configuration.explain(file, ENV::get))
                .isInstanceOfSatisfying(ExplainResult.Explained.class, explained -> {
                    assertThat(explained.text()).contains("# " + file + ":1\n");
                    assertThat(explained.warnings()).extracting(Problem::path).containsExactly("drain.timeout");
                });
    }

    private String explained(String text, Map<String, String> env) {
        return switch (Configuration.explain("pipeline.yaml", withSecrets(text), env::get)) {
            case ExplainResult.Explained(var explained, var _) -> explained;
            case ExplainResult.Refused(var problems) -> throw new AssertionError(problems.toString());
        };
    }

    private PipelineConfig config(String text) {
        return switch (Configuration.read("pipeline.yaml", withSecrets(text), ExplainTest::variable)) {
            case ReadResult.Loaded(var config, var _) -> config;
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems.toString());
        };
    }

    private static @Nullable String variable(String name) {
        return ENV.get(name);
    }

    private String withSecrets(String text) {
        return text.replace("/run/secrets", secrets.toString());
    }
}
