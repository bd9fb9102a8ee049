package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// `millrace run` and `millrace dlq replay` as processes of their own, with a real topic and a real table between them.
@ExtendWith(LabExtension.class)
class DlqProcessTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Path SCRIPT = Path.of("/usr/bin/script");
    private static final int HEALTHY = 300;
    private static final int UNLUCKY = 12;
    private static final int NO_JSON = 3;

    @TempDir
    private Path directory = Path.of("");

    private final Stage stage;
    private final String topic;
    private final String dead;
    private final LetterBox box;
    private final Recipe recipe;
    private Path file = Path.of("");
    private int commands;

    DlqProcessTest(SharedLab lab) {
        stage = new Stage(lab);
        topic = stage.topic("orders");
        dead = stage.topic("dead");
        box = new LetterBox(stage.topics(), dead);
        recipe = stage.recipe("[ " + topic + " ]", "t", ", on_conflict: error").set("poison.topic", dead);
    }

    @BeforeEach
    void prepare() throws IOException {
        stage.execute("create table t (id integer primary key, p integer, constraint lucky check (p <> 7))");
        stage.topics().create(topic, 2);
        file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
    }

    @AfterEach
    void close() {
        stage.close();
    }

    /// Rows that the table takes, and among them rows that it does not, and records that are no rows.
    private void produceMixed() {
        var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
        for (var id = 0; id < HEALTHY; id++) {
            records.add(Stage.row(topic, id % 2, "{\"id\":" + id + ",\"p\":1}"));
            if (id % (HEALTHY / UNLUCKY) == 3) records.add(unlucky(1000 + id));
            if (id % (HEALTHY / NO_JSON) == 50) records.add(Stage.row(topic, 1, "nonsense"));
        }
        stage.topics().produce(records);
    }

    private ProducerRecord<byte[], byte[]> unlucky(int id) {
        var record = new ProducerRecord<>(
                topic, id % 2, 1_700_000_000_000L, bytes("key-" + id), bytes("{\"id\":" + id + ",\"p\":7}"));
        record.headers().add("trace", bytes("trace-" + id));
        return record;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private MillraceProcess started() throws Exception {
        var run = MillraceProcess.run(file);
        await(run, "ready", () -> new AdminPages(recipe.port()).code("/readyz") == 200);
        return run;
    }

    private static void await(MillraceProcess process, String what, Callable<Boolean> holds) throws Exception {
        process.await(LIMIT, what, holds);
    }

    /// What a command printed on standard output, where it ended with this code.
    private String dlq(int exitCode, String what, String... more) throws Exception {
        try (var process = MillraceProcess.dlq("dlq-" + ++commands, file, what, more)) {
            assertThat(process.awaitExit(LIMIT)).as(process::evidence).isEqualTo(exitCode);
            assertThat(process.stderr()).as("no bar outside of a terminal").doesNotContain("\u001b", "\r");
            return process.stdout();
        }
    }

    private Map<TopicPartition, Long> ends() {
        var ends = stage.topics().endOffsets(topic);
        ends.putAll(stage.topics().endOffsets(dead));
        return ends;
    }

    private Report ended(MillraceProcess run, int exitCode) throws Exception {
        run.terminate();
        assertThat(run.awaitExit(LIMIT)).as(run::evidence).isEqualTo(exitCode);
        var report = Report.parse(run.stdout());
        report.addsUp();
        return report;
    }

    @Test
    @Timeout(value = 180, unit = TimeUnit.SECONDS)
    @DisplayName(
            "POI-10: rows that a running process set aside land once when they are replayed after the cause is mended")
    void whatWasSetAsideLandsOnce() throws Exception {
        produceMixed();
        try (var run = started()) {
            await(run, "all committed", () -> stage.caughtUp(topic));
            assertThat(stage.count("t")).as("one bad row costs one row").isEqualTo(HEALTHY);
            assertThat(box.letters("23514")).hasSize(UNLUCKY);

            var before = ends();
            assertThat(dlq(0, "replay", "--where", "reason=23514", "--dry-run"))
                    .isEqualTo("would replay " + UNLUCKY + ", skipped 0, failed 0\n");
            assertThat(ends()).as("a dry run sends nothing").isEqualTo(before);

            stage.execute("alter table t drop constraint lucky");
            assertThat(dlq(0, "replay", "--where", "reason=23514", "--rate", "100/s"))
                    .isEqualTo("replayed " + UNLUCKY + ", skipped 0, failed 0\n");
            await(run, "they land", () -> stage.count("t") == HEALTHY + UNLUCKY);
            await(run, "all committed", () -> stage.caughtUp(topic));
            assertThat(stage.query("select id from t where p = 7 order by id"))
                    .isEqualTo(IntStream.range(0, HEALTHY)
                            .filter(id -> id % (HEALTHY / UNLUCKY) == 3)
                            .mapToObj(id -> Integer.toString(1000 + id))
                            .toList());
            assertThat(box.letters("23514")).as("none came back").hasSize(UNLUCKY);
            assertThat(dlq(0, "list").lines()).as("what is left to mend").hasSize(NO_JSON);

            var after = ends();
            assertThat(dlq(0, "replay", "--where", "reason=23514"))
                    .startsWith("replayed 0, skipped " + UNLUCKY + ", failed 0\n");
            assertThat(ends()).as("each goes once").isEqualTo(after);

            var rows = ended(run, 0).rows();
            assertThat(rows.delivered()).isEqualTo(HEALTHY + UNLUCKY);
            assertThat(rows.duplicate()).isZero();
            assertThat(rows.deadLettered()).isEqualTo(UNLUCKY + NO_JSON);
        }
    }

    @Test
    @Timeout(value = 180, unit = TimeUnit.SECONDS)
    @DisplayName(
            "POI-10, POI-14: a row that fails again returns with its headers replaced and its count raised, thrice")
    void whatFailsAgainDoesNotLoop() throws Exception {
        stage.topics().produce(Stage.rows(topic, 0, 0, 10));
        stage.topics().produce(List.of(unlucky(1000)));
        try (var run = started()) {
            await(run, "set aside", () -> box.letters("23514").size() == 1);
            for (var again = 1; again <= 3; again++) {
                var round = again;
                assertThat(dlq(0, "replay")).startsWith("replayed 1, ");
                await(run, "it returns", () -> box.letters("23514").size() == round + 1);
                var letter = box.letters("23514").getLast();
                assertThat(letter.said("replays")).isEqualTo(Integer.toString(round));
                assertThat(letter.said("history").lines()).hasSize(round);
            }
            assertThat(dlq(0, "replay"))
                    .as("no row loops for ever")
                    .startsWith("replayed 0, ")
                    .contains("skipped 1: replayed --max-replays times; mend the cause, then --force");
            await(run, "all committed", () -> stage.caughtUp(topic));
            var all = box.letters("23514");
            assertThat(all).hasSize(4);
            var first = all.getFirst();
            for (var letter : all) {
                assertThat(letter.record().key()).isEqualTo(first.record().key());
                assertThat(letter.record().value()).isEqualTo(first.record().value());
                assertThat(letter.others()).isEqualTo(first.others()).hasSize(1);
                assertThat(letter.headerNames()).doesNotHaveDuplicates();
            }
            assertThat(all)
                    .extracting(LetterBox.Letter::place)
                    .as("where it was this time")
                    .doesNotHaveDuplicates();

            stage.execute("alter table t drop constraint lucky");
            assertThat(dlq(
                            0,
                            "replay",
                            "--force",
                            "--where",
                            "offset=" + all.getLast().said("offset")))
                    .startsWith("replayed 1, ");
            await(run, "it lands", () -> stage.count("t") == 11);
            assertThat(ended(run, 0).rows().deadLettered()).isEqualTo(4);
        }
    }

    @Test
    @Timeout(value = 180, unit = TimeUnit.SECONDS)
    @DisplayName("POI-10: a signal ends a replay after what is on its way, and the next one sends the rest once")
    void aSignalEndsIt() throws Exception {
        produceMixed();
        try (var run = started()) {
            await(run, "all committed", () -> stage.caughtUp(topic));
            stage.execute("alter table t drop constraint lucky");
            var before = ends();
            String told;
            try (var slow = MillraceProcess.dlq("slow", file, "replay", "--where", "reason=23514", "--rate", "1/s")) {
                await(slow, "the first is sent", () -> !ends().equals(before));
                slow.terminate();
                assertThat(slow.awaitExit(LIMIT)).as(slow::evidence).isEqualTo(1);
                assertThat(slow.stderr()).contains("ended early: stopped");
                told = slow.stdout();
            }
            var sent = Integer.parseInt(told.replaceAll("(?s)replayed ([0-9]+), .*", "$1"));
            assertThat(told)
                    .isEqualTo("replayed " + sent + ", skipped 0, failed 0, not tried " + (UNLUCKY - sent) + "\n");
            assertThat(dlq(0, "replay", "--where", "reason=23514"))
                    .startsWith("replayed " + (UNLUCKY - sent) + ", skipped " + sent + ", failed 0\n");
            await(run, "they land", () -> stage.count("t") == HEALTHY + UNLUCKY);
            await(run, "all committed", () -> stage.caughtUp(topic));
            assertThat(ended(run, 0).rows().delivered()).as("no row came twice").isEqualTo(HEALTHY + UNLUCKY);
        }
    }

    @Test
    @Timeout(value = 180, unit = TimeUnit.SECONDS)
    @DisplayName("POI-10: the bar is drawn on a terminal, and elsewhere only lines are printed")
    void theBarIsForTerminals() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(SCRIPT), "no terminal can be made here");
        stage.topics().produce(Stage.rows(topic, 0, 0, 10));
        stage.topics().produce(List.of(unlucky(1000), unlucky(1002)));
        try (var run = started()) {
            await(run, "all committed", () -> stage.caughtUp(topic));
            assertThat(ended(run, 0).rows().deadLettered()).isEqualTo(2);
        }
        var seen = onTerminal("replay", "--dry-run", "--rate", "1/s");
        assertThat(seen)
                .contains("\r\u001b[2K[###############...............] 1 of 2")
                .contains("\r\u001b[2K[##############################] 2 of 2\r\n")
                .contains("would replay 2, skipped 0, failed 0");

        try (var process = MillraceProcess.dlq("lines", file, "replay", "--dry-run", "--rate", "1/s")) {
            assertThat(process.awaitExit(LIMIT)).as(process::evidence).isZero();
            assertThat(process.stdout()).isEqualTo("would replay 2, skipped 0, failed 0\n");
            assertThat(process.stderr()).contains("1 of 2\n").doesNotContain("\u001b", "\r");
        }
    }

    /// All that a person sees of a command.
    private String onTerminal(String what, String... more) throws Exception {
        var words = MillraceProcess.dlqCommand(file, what, more).stream()
                .map(word -> "'" + word + "'")
                .toList();
        var seen = directory.resolve("seen");
        var process = new ProcessBuilder(SCRIPT.toString(), "-qec", String.join(" ", words), "/dev/null")
                .redirectErrorStream(true)
                .redirectOutput(seen.toFile())
                .start();
        process.getOutputStream().close();
        try {
            assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            return Files.readString(seen);
        } finally {
            process.destroyForcibly();
        }
    }
}
