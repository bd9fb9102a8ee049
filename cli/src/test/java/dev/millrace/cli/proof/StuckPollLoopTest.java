package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import dev.millrace.lab.FreePort;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// One thread of a process that runs well is halted by a debugger: the one that polls.
@ExtendWith(LabExtension.class)
class StuckPollLoopTest {
    private static final int MAX_POLL_INTERVAL_MILLIS = 6_000;
    private static final String POLLS = "millrace-source-0";

    @Test
    @Tag("OPS-7")
    @Timeout(value = 90, unit = TimeUnit.SECONDS)
    @DisplayName(
            "CASES 38: a poll loop that stands is what makes /healthz say 503, from half of max.poll.interval.ms on,"
                    + " and 200 again when it turns")
    void onlyAPollLoopThatStandsMakesIt503(SharedLab lab, @TempDir Path directory) throws Exception {
        try (var stage = new Stage(lab)) {
            stage.execute("create table t (id integer primary key, p integer)");
            var topic = stage.topic("a");
            stage.topics().create(topic, 1);
            var recipe = stage.recipe("[ " + topic + " ]", "t", "")
                    .set(
                            "source.kafka.properties",
                            "{ max.poll.interval.ms: " + MAX_POLL_INTERVAL_MILLIS
                                    + ", session.timeout.ms: 5000, heartbeat.interval.ms: 300 }")
                    .set("source.kafka.rebalance", "{ drain_timeout: 1s }");
            var file = Files.writeString(directory.resolve("pipeline.yaml"), recipe.text());
            var port = FreePort.take();
            try (var process = MillraceProcess.run(
                    file,
                    "-Xmx256m",
                    "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:" + port)) {
                var pages = new AdminPages(recipe.port());
                await(process, "ready", () -> pages.code("/readyz") == 200);
                var machine = attached(port);
                try {
                    var polls = thread(machine, POLLS);
                    var began = System.nanoTime();
                    polls.suspend();
                    await(process, "told to be ill", () -> pages.code("/healthz") == 503);
                    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
                            .as("ms after it stood")
                            .isGreaterThan(MAX_POLL_INTERVAL_MILLIS / 2 - 500);
                    assertThat(body(recipe.port())).startsWith("the poll loop has not turned for ");
                    polls.resume();
                } finally {
                    machine.dispose();
                }
                await(process, "well again", () -> pages.code("/healthz") == 200);
                stage.topics().produce(Stage.rows(topic, 0, 0, 10));
                await(process, "all committed", () -> stage.caughtUp(topic));
                process.terminate();
                assertThat(process.awaitExit(Duration.ofSeconds(15)))
                        .as(process::evidence)
                        .isZero();
            }
        }
    }

    private static VirtualMachine attached(int port) throws Exception {
        for (AttachingConnector connector : Bootstrap.virtualMachineManager().attachingConnectors()) {
            if (!connector.name().equals("com.sun.jdi.SocketAttach")) continue;
            var arguments = connector.defaultArguments();
            Map.of("hostname", "127.0.0.1", "port", Integer.toString(port))
                    .forEach((name, value) ->
                            Objects.requireNonNull(arguments.get(name)).setValue(value));
            return connector.attach(arguments);
        }
        throw new AssertionError("this JDK attaches to no socket");
    }

    private static ThreadReference thread(VirtualMachine machine, String name) {
        return machine.allThreads().stream()
                .filter(thread -> thread.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /// What a page says, whatever its status.
    private static String body(int port) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            var asked = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/healthz"))
                    .build();
            return client.send(asked, BodyHandlers.ofString()).body();
        }
    }

    private static void await(MillraceProcess process, String what, Callable<Boolean> holds) throws Exception {
        process.await(Duration.ofSeconds(40), what, holds);
    }
}
