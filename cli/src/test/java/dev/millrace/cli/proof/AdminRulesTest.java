package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.AdminConfig;
import dev.millrace.config.Configuration;
import dev.millrace.config.ReadResult;
import dev.millrace.lab.EmbeddedBroker;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// When the process says that it lives, and when that it is ready; and to whom.
@ExtendWith(LabExtension.class)
class AdminRulesTest {
    private static final Duration A_WHILE = Duration.ofSeconds(3);
    private static final String TABLE = "create table t (id integer primary key, p integer)";

    @Test
    @Tag("OPS-7")
    @Tag("OPS-11")
    @Tag("DRN-3")
    @Tag("DRN-4")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName("CASES 38: it lives through a Kafka outage, and its report says what it could not read")
    void itLivesThroughAKafkaOutageAndItsReportSaysWhatItCouldNotRead(SharedLab lab) throws Exception {
        try (var broker = EmbeddedBroker.launch(SharedLab.settings());
                var stage = new Stage(lab, broker.bootstrapServers())) {
            stage.execute(TABLE);
            var topic = stage.topic("a");
            stage.topics().create(topic, 1);
            stage.topics().produce(Stage.rows(topic, 0, 0, 100));
            var run = stage.start(stage.recipe("[ " + topic + " ]", "t", "")).ready();
            run.await("all committed", () -> stage.caughtUp(topic));

            broker.stop();
            var outage = Deadline.in(A_WHILE);
            run.await("the outage lasts", () -> {
                assertThat(run.pages().code("/healthz")).isEqualTo(200);
                return outage.passed();
            });
            var report = run.stop(0);

            assertThat(report.drained())
                    .as("what was taken was committed before")
                    .isTrue();
            assertThat(report.caughtUp())
                    .as("nobody could say where the log ends")
                    .isNull();
            assertThat(report.partitions()).singleElement().satisfies(partition -> {
                assertThat(partition.end()).isNull();
                assertThat(partition.undelivered()).isNull();
                assertThat(partition.committed()).isEqualTo(100);
            });
            assertThat(report.drainSeconds()).isLessThan(11);
        }
    }

    @Test
    @Tag("OPS-7")
    @Tag("DRN-1")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    @DisplayName("CASES 38: while it drains it is alive and not ready, and says so")
    void aDrainIsAliveAndNotReadyAndSaysThatItDrains(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key, p integer check (p > 0))");
            var topic = stage.topic("a");
            stage.topics().create(topic, 1);
            var run = stage.start(stage.recipe("[ " + topic + " ]", "t", "").set("drain.timeout", "30s"))
                    .ready();
            assertThat(run.pages().status().get("state").asText()).isEqualTo("running");
            stage.topics().produce(Stage.rows(topic, 0, 0, 10));
            run.await("refused", () -> run.metrics().sum("millrace_shard_blocked") == 1);

            run.askToStop();

            assertThat(run.pages().code("/healthz")).isEqualTo(200);
            assertThat(run.pages().code("/readyz")).isEqualTo(503);
            assertThat(run.pages().status().get("state").asText()).isEqualTo("draining");
            stage.execute("alter table t drop constraint t_p_check");
            var report = run.awaitEnd(0);
            assertThat(report.rows().delivered()).isEqualTo(10);
            assertThat(stage.caughtUp(topic)).isTrue();
        }
    }

    /// Probes and scrapers keep connections open, and ask to the end.
    @Test
    @Tag("OPS-1")
    @Tag("DRN-1")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    @DisplayName(
            "CASES 38: a drain waits for nobody who looks at it: not for an open connection, nor for half a question")
    void aDrainWaitsForNobodyWhoLooksAtIt(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute(TABLE);
            var topic = stage.topic("a");
            stage.topics().create(topic, 1);
            var run = stage.start(stage.recipe("[ " + topic + " ]", "t", "").set("drain.timeout", "40s"))
                    .ready();
            stage.topics().produce(Stage.rows(topic, 0, 0, 10));
            run.await("all committed", () -> stage.caughtUp(topic));
            try (var silent = connected(run);
                    var half = connected(run);
                    var kept = connected(run)) {
                half.getOutputStream().write(bytes("GET /status HTTP/1.1\r\nHost: loc"));
                kept.getOutputStream().write(bytes("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
                assertThat(kept.getInputStream().readNBytes(12)).asString().endsWith(" 200");
                assertThat(silent.isConnected()).isTrue();

                var report = run.stop(0);

                assertThat(report.drained()).isTrue();
                assertThat(report.drainSeconds()).as("seconds of 40").isLessThan(10);
            }
        }
    }

    private static Socket connected(InProcess run) throws IOException {
        var socket = new Socket();
        socket.connect(run.listensAt());
        return socket;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    @Tag("OPS-7")
    @Tag("SRC-12")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void aMemberWithNothingToDoIsReady(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute(TABLE);
            var topic = stage.topic("a");
            stage.topics().create(topic, 1);
            var recipe = stage.recipe("[ " + topic + " ]", "t", "");
            var first = stage.start(recipe).ready();
            var second = stage.start(stage.recipe("[ " + topic + " ]", "t", "")).ready();
            first.await("one of them owns it", () -> owns(first) + owns(second) == 1);
            first.ready();
            second.ready();

            var idle = owns(first) == 0 ? first : second;
            var busy = idle == first ? second : first;
            assertThat(idle.metrics().has("millrace_lag"))
                    .as("what is not owned is no series")
                    .isFalse();
            assertThat(idle.stop(0).caughtUp())
                    .as("it knows of no backlog, nor of none")
                    .isNull();
            assertThat(busy.stop(0).caughtUp()).isTrue();
        }
    }

    private static int owns(InProcess run) throws Exception {
        return run.metrics().of("millrace_watermark").size();
    }

    @Test
    @Tag("OPS-6")
    @Tag("OPS-1")
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void itListensOnLoopbackUnlessToldOtherwise(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab)) {
            var topic = stage.topic("a");
            stage.topics().create(topic, 1);
            var recipe = stage.recipe("[ " + topic + " ]").blackhole();
            var loaded = (ReadResult.Loaded)
                    Configuration.read("pipeline.yaml", recipe.text().replaceAll("(?s)admin:.*", ""), _ -> null);
            var listening = (AdminConfig.Listening) loaded.config().admin();
            assertThat(InetAddress.getByName(listening.listen().host()).isLoopbackAddress())
                    .isTrue();

            var run = stage.start(recipe).ready();
            assertThat(run.listensAt().getAddress().isLoopbackAddress()).isTrue();
            for (var page : new String[] {"/metrics", "/healthz", "/readyz", "/status", "/stuck"})
                assertThat(run.pages().code(page)).as(page).isEqualTo(200);
            assertThat(run.pages().code("/nothing")).isEqualTo(404);
            run.stop(0);
        }
    }
}
