package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.millrace.config.Configuration;
import dev.millrace.config.LoggingConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.ReadResult;
import dev.millrace.config.Redaction;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/// What the log of a process says, from a logger to the bytes on standard error.
@Tag("OPS-10")
class LogLinesTest {
    private static final String PLANTED = "hunter2-planted";
    private static final String FILE = """
            pipeline: { name: shop }
            source:
              kafka:
                bootstrap_servers: a:9092
                topics: [orders]
                group_id: shop
                allow_plaintext: true
                properties:
                  security.protocol: SASL_PLAINTEXT
                  sasl.mechanism: PLAIN
                  sasl.jaas.config: "${JAAS}"
            format: { json: {} }
            sinks:
              warehouse:
                postgres: { table: t, user: u, password: "${PASSWORD}", allow_plaintext: true }
                shards: { s0: [ "postgres://a:5432/shop" ] }
              remote:
                http: { allow_plaintext: true, headers: { X-Api-Key: "${KEY}", X-Source: kafka-of-the-shop } }
                shards: { s0: [ "http://a:80/rows" ] }
            """;

    private static PipelineConfig config() {
        return switch (Configuration.read("pipeline.yaml", FILE, name -> switch (name) {
            case "JAAS" ->
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\" password=\"" + PLANTED
                        + "-jaas\";";
            case "PASSWORD" -> PLANTED + "-password";
            case "KEY" -> PLANTED + "-key";
            default -> null;
        })) {
            case ReadResult.Loaded(var config, var _) -> config;
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems.toString());
        };
    }

    private static List<String> told(LoggingConfig.Format format, Consumer<Logger> tells) {
        return told(new LogFormat(format, Redaction.of(config())), _ -> {}, tells);
    }

    private static List<String> told(LogFormat format, Consumer<LogAppender> before, Consumer<Logger> tells) {
        var out = new ByteArrayOutputStream();
        var context = new LoggerContext();
        var appender = new LogAppender(format, false, new PrintStream(out, true, StandardCharsets.UTF_8), () -> 0);
        before.accept(appender);
        appender.setContext(context);
        appender.start();
        var logger = context.getLogger("dev.millrace.test");
        logger.addAppender(appender);
        logger.setLevel(Level.TRACE);
        tells.accept(logger);
        context.stop();
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    @DisplayName("OPS-10: while another file is looked at, its secrets are left out beside those of the one that runs")
    void theSecretsOfAFileThatIsLookedAtAreLeftOutToo() {
        var runs = new LogFormat(LoggingConfig.Format.TEXT, new Redaction(List.of("secret-that-runs")));
        Consumer<LogAppender> looks = appender -> appender.hide(Redaction.of(config()));
        var lines = told(runs, looks, logger -> logger.atWarn().log("secret-that-runs {}-password", PLANTED));
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst()).contains("***").doesNotContain("secret-that-runs", PLANTED);
    }

    @Test
    @DisplayName("OPS-5: what can't be asked for its text loses its line and no other, and that is told")
    void aLineThatCannotBeMadeIsTold() {
        var mute = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("mute");
            }
        };
        for (var field : List.of("shard", "other"))
            for (var format : LoggingConfig.Format.values()) {
                var lines = told(format, logger -> {
                    logger.atWarn()
                            .addKeyValue("event", "one")
                            .addKeyValue(field, mute)
                            .log("a text");
                    logger.atWarn().addKeyValue("event", "two").log("another");
                });
                assertThat(lines).hasSize(2);
                assertThat(lines.getFirst()).contains("line_unmade", "dev.millrace.test", "IllegalStateException");
                assertThat(lines.getLast()).contains("two", "another");
            }
    }

    private static void forged(Logger logger) {
        var cause = new IllegalStateException("no\n2026-01-01T00:00:00.000Z INFO  event=drained\u001b[2J");
        logger.atWarn()
                .addKeyValue("event", "poll_failed")
                .addKeyValue("why", "it said \"no\"\r\nevent=drained")
                .addKeyValue("attempts", 3)
                .setCause(cause)
                .log("a text\nevent=drained exit_code=0 \u202e");
    }

    @Test
    void nobodysTextBeginsALine() {
        var lines = told(LoggingConfig.Format.TEXT, LogLinesTest::forged);
        assertThat(lines.getFirst())
                .contains(" WARN  event=poll_failed why=\"it said \\\"no\\\"\\r\\nevent=drained\" attempts=3 a text"
                        + "\\nevent=drained")
                .endsWith("\\u202e");
        assertThat(lines.subList(1, lines.size()))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).startsWith("\t"));
        assertThat(String.join("", lines)).doesNotContain("\u001b", "\u202e", "\r");
    }

    @Test
    @DisplayName("OPS-5: a line of JSON is one object with the event, its fields and its cause")
    void aLineOfJsonIsOneObject() throws Exception {
        var lines = told(LoggingConfig.Format.JSON, LogLinesTest::forged);
        assertThat(lines).hasSize(1);
        var line = new ObjectMapper().readTree(lines.getFirst());
        assertThat(line.get("event").asText()).isEqualTo("poll_failed");
        assertThat(line.get("level").asText()).isEqualTo("WARN");
        assertThat(line.get("attempts").asInt()).isEqualTo(3);
        assertThat(line.get("attempts").isNumber()).isTrue();
        assertThat(line.get("why").asText()).isEqualTo("it said \"no\"\r\nevent=drained");
        assertThat(line.get("message").asText()).startsWith("a text\nevent=drained");
        assertThat(line.at("/error/0").asText()).startsWith("java.lang.IllegalStateException: no\n");
        assertThat(line.get("time").asText()).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
    }

    @Test
    void noSecretOfTheFileAndNoUserInfoIsTold() {
        Consumer<Logger> tells = logger -> {
            for (var suffix : List.of("-jaas", "-password", "-key")) {
                logger.atError()
                        .addKeyValue("event", "fatal")
                        .addKeyValue("why", "of " + PLANTED + suffix)
                        .log("it says '{}'", PLANTED + suffix);
                logger.atError()
                        .addKeyValue("event", "fatal")
                        .setCause(new IllegalStateException(PLANTED + suffix))
                        .log("x" + suffix);
            }
            logger.atInfo()
                    .addKeyValue("event", "started")
                    .log("at http://me:"
                            + "other-word@a:80/rows and {\"password\": \"a-third\"}"
                            + " password=a-fourth,kafka-of-the-shop");
        };
        for (var format : LoggingConfig.Format.values()) {
            var all = String.join("\n", told(format, tells));
            assertThat(all)
                    .doesNotContain(PLANTED, "other-word", "a-third", "a-fourth")
                    .contains("it says '***'", "http://***@a:80/rows", "password=***,kafka-of-the-shop");
        }
    }

    @Test
    @DisplayName("OPS-5: a repeat of the same subject is counted, another subject is told")
    void aRepeatOfTheSameSubjectIsCounted() {
        var lines = told(LoggingConfig.Format.TEXT, logger -> {
            for (var i = 0; i < 5; i++)
                for (var replica : List.of("a", "b"))
                    logger.atWarn()
                            .addKeyValue("event", "replica_opened")
                            .addKeyValue("replica", replica)
                            .addKeyValue("seconds", i)
                            .log("it is out");
            for (var i = 0; i < 3; i++)
                logger.atInfo()
                        .addKeyValue("event", "new_partition")
                        .log("partition=orders-{} from_its_beginning=0", i);
            for (var i = 0; i < 3; i++)
                logger.atWarn()
                        .addKeyValue("event", "row_poison")
                        .addKeyValue("shard", "s0")
                        .log("a line for each cause");
            for (var i = 0; i < 3; i++)
                logger.atDebug().addKeyValue("event", "commit_failed").log("why");
        });
        assertThat(lines)
                .filteredOn(line -> line.contains("replica_opened"))
                .hasSize(4)
                .anySatisfy(line -> assertThat(line).contains("replica=a seconds=0 it"))
                .anySatisfy(line -> assertThat(line).contains("replica=a seconds=4 repeated=3 it"))
                .anySatisfy(line -> assertThat(line).contains("replica=b seconds=4 repeated=3 it"));
        assertThat(lines).filteredOn(line -> line.contains("new_partition")).hasSize(3);
        assertThat(lines).filteredOn(line -> line.contains("row_poison")).hasSize(3);
        assertThat(lines).filteredOn(line -> line.contains("commit_failed")).hasSize(3);
    }

    @Test
    void whatALibraryTellsIsAnEventToo() {
        assertThat(told(LoggingConfig.Format.TEXT, logger -> logger.warn("it broke off")))
                .singleElement()
                .asString()
                .endsWith(" WARN  event=library from=dev.millrace.test it broke off");
        assertThat(told(LoggingConfig.Format.JSON, logger -> logger.warn("it broke off")))
                .singleElement()
                .asString()
                .contains("\"event\":\"library\"", "\"from\":\"dev.millrace.test\"");
    }

    @Test
    void aTextIsNoLongerThanItsBound() {
        var lines = told(
                LoggingConfig.Format.TEXT,
                logger -> logger.atWarn().addKeyValue("event", "poll_failed").log("{}", "x".repeat(10_000)));
        assertThat(lines).singleElement().asString().hasSizeLessThan(4_300).endsWith("x… and 5904 characters more");
    }
}
