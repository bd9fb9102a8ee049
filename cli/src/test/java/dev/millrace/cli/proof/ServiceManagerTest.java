package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.NotifySocket;
import dev.millrace.lab.FreePort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What systemd hears of a process that it starts with `Type=notify`, on a real socket.
@ExtendWith(LabExtension.class)
@EnabledOnOs(OS.LINUX)
class ServiceManagerTest {
    private static final Duration LIMIT = Duration.ofSeconds(40);

    @Test
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    void itIsReadyWhenItPollsAndSaysHowLongItsEndMayTake(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var stage = new Stage(lab);
                var socket = NotifySocket.listen(directory.resolve("notify").toString(), LIMIT)) {
            var topic = stage.topic("a");
            stage.topics().create(topic, 1);
            var recipe = stage.recipe("[ " + topic + " ]").blackhole().set("drain", "{ timeout: 7s }");
            var file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
            try (var process = MillraceProcess.managed("ready", file, socket.name())) {
                assertThat(socket.next()).startsWith("STATUS=").contains(" starts");
                assertThat(socket.next()).startsWith("READY=1\nSTATUS=").endsWith(" runs");
                process.await(
                        LIMIT, "the source was started", () -> process.stderr().contains("event=started"));
                process.terminate();
                assertThat(socket.next()).startsWith("STOPPING=1\n").endsWith("\nEXTEND_TIMEOUT_USEC=12000000");
                assertThat(process.awaitExit(LIMIT)).as(process::evidence).isZero();
            }
        }
    }

    @Test
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    void itIsNotReadyWhileItWaitsForASink(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var stage = new Stage(lab);
                var socket = NotifySocket.listen(directory.resolve("notify").toString(), LIMIT)) {
            var topic = stage.topic("a");
            stage.topics().create(topic, 1);
            var recipe = stage.recipe("[ " + topic + " ]", "t", "")
                    .set("sinks.warehouse.shards", "{ s0: [ \"postgres://127.0.0.1:" + FreePort.take() + "/shop\" ] }");
            var file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
            var pages = new AdminPages(recipe.port());
            try (var process = MillraceProcess.managed("waits", file, socket.name())) {
                assertThat(socket.next()).contains(" starts: a sink that can't be reached is waited for");
                process.await(LIMIT, "it waits", () -> pages.code("/readyz") == 503);
                process.terminate();
                assertThat(socket.next()).startsWith("STOPPING=1\n");
                process.awaitExit(LIMIT);
            }
        }
    }
}
