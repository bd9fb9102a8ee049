package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.config.Configuration;
import dev.millrace.config.ReadResult;
import dev.millrace.pipeline.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The unit of systemd says what the program does.
final class SystemdUnitTest {
    private static final Path UNIT = Path.of("..", "deploy", "systemd", "millrace@.service");
    private static final String LAUNCHER = "/opt/millrace/bin/millrace";

    private final List<String> lines = lines();

    private static List<String> lines() {
        try {
            return Files.readAllLines(UNIT);
        } catch (IOException cause) {
            throw new AssertionError(cause);
        }
    }

    private List<String> all(String key) {
        return lines.stream()
                .filter(line -> line.startsWith(key + "="))
                .map(line -> line.substring(key.length() + 1))
                .toList();
    }

    private String one(String key) {
        assertThat(all(key)).as(key).hasSize(1);
        return all(key).getFirst();
    }

    @Test
    void itIsStartedWhenThePipelinePollsHoweverLongASinkIsAway() {
        assertThat(one("Type")).isEqualTo("notify");
        assertThat(one("NotifyAccess")).isEqualTo("main");
        assertThat(one("TimeoutStartSec")).isEqualTo("infinity");
        assertThat(one("ExecStart")).isEqualTo(LAUNCHER + " run /etc/millrace/%i.yaml");
    }

    /// A failure before the start would be restarted for ever, since the exit codes below are those of the process
    /// alone.
    @Test
    void aWrongFileIsToldAndNotRestarted() {
        assertThat(one("ExecStartPre")).isEqualTo("-" + LAUNCHER + " validate /etc/millrace/%i.yaml");
        assertThat(one("Restart")).isEqualTo("on-failure");
        assertThat(one("RestartPreventExitStatus")).isEqualTo(Integer.toString(ExitCode.BAD_CONFIGURATION.code()));
        assertThat(one("StartLimitIntervalSec")).isEqualTo("0");
    }

    @Test
    void aReloadValidatesFirst() {
        assertThat(all("ExecReload"))
                .containsExactly(LAUNCHER + " validate /etc/millrace/%i.yaml", "/bin/kill -HUP $MAINPID");
    }

    @Test
    void itIsKilledLaterThanTheDrainIsOver() {
        assertThat(one("KillSignal")).isEqualTo("SIGTERM");
        assertThat(one("KillMode")).isEqualTo("mixed");
        var patience = Duration.parse("PT" + one("TimeoutStopSec"));
        assertThat(patience).isGreaterThan(defaultDrain().plusSeconds(5));
    }

    private static Duration defaultDrain() {
        return switch (Configuration.read("pipeline.yaml", """
                pipeline: { name: a }
                source: { kafka: { bootstrap_servers: "a:1", topics: [ a ], group_id: a } }
                format: { json: {} }
                sinks: { a: { blackhole: {}, shards: { a: [ "blackhole:a" ] } } }
                """, _ -> null)) {
            case ReadResult.Loaded(var config, var _) -> config.drain().timeout();
            case ReadResult.Refused(var problems) -> throw new AssertionError(problems.toString());
        };
    }

    @Test
    void systemdFindsNothingWrongWithIt(@TempDir Path directory) throws Exception {
        assumeThat(Path.of("/usr/bin/systemd-analyze")).exists();
        // Where Millrace and its man page are not installed those two would be found missing.
        var unit = String.join("\n", lines).replace(LAUNCHER, "/bin/true").replace("man:millrace(1) ", "");
        var file = Files.writeString(directory.resolve("millrace@.service"), unit + "\n");
        var verify = new ProcessBuilder("/usr/bin/systemd-analyze", "verify", file.toString())
                .redirectErrorStream(true)
                .start();
        var said = new String(verify.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(verify.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(said).isEmpty();
        assertThat(verify.exitValue()).isZero();
    }
}
