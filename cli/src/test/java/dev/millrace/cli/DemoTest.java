package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.lab.clickhouse.EngineLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The demo as a new user runs it, in a process of its own: real parts, a replica cut and brought back,
/// equal counts.
final class DemoTest {
    @TempDir
    private Path folder;

    private int exitCode(String... arguments) throws IOException, InterruptedException {
        return exitCode(Map.of(), arguments);
    }

    private int exitCode(Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var command = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), Main.class.getName());
        command.command().addAll(List.of(arguments));
        command.environment().putAll(environment);
        command.redirectOutput(folder.resolve("out").toFile());
        command.redirectError(folder.resolve("err").toFile());
        var process = command.start();
        try {
            assertThat(process.waitFor(110, TimeUnit.SECONDS))
                    .as("ends by itself: %s", output())
                    .isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("out")) + Files.readString(folder.resolve("err"));
    }

    @Test
    @Tag("BRK-3")
    @Tag("DRN-2")
    void everyOrderArrivesAcrossAReplicaThatIsCutAndComesBack() throws Exception {
        assertThat(exitCode("demo", "--events", "3000", "--rate", "2000", "--seed", "7"))
                .as(output())
                .isZero();
        assertThat(output())
                .contains("warehouse/s1 b breaker open")
                .contains("warehouse/s1 b breaker half-open")
                .contains("warehouse/s1 b breaker closed")
                .contains("\"drained\": true")
                .contains("\"exit_code\": 0")
                .containsPattern("produced 3000, in the database 3000 \\(duplicates refused: \\d+\\)");
    }

    @Test
    @Tag("BRK-3")
    @Tag("CH-1")
    @Tag("DRN-2")
    void everyOrderArrivesInClickHouseOnce() throws Exception {
        assumeTrue(EngineLibrary.available());
        assertThat(exitCode("demo", "--sink", "clickhouse", "--events", "3000", "--rate", "2000", "--seed", "7"))
                .as(output())
                .isZero();
        assertThat(output())
                .contains("warehouse/s1 b breaker open")
                .contains("warehouse/s1 b breaker half-open")
                .contains("warehouse/s1 b breaker closed")
                .contains("\"drained\": true")
                .contains("\"exit_code\": 0")
                .containsPattern("produced 3000, in ClickHouse 3000 \\(repeats dropped: \\d+ batches\\)");
    }

    @Test
    void itsHelpNamesTheSinks() throws Exception {
        assertThat(exitCode("demo", "--help")).isZero();
        assertThat(output()).contains("--sink").contains("postgres, clickhouse");
    }

    @Test
    void withoutTheEngineItSaysInOneLineWhatToDo() throws Exception {
        var nothing = Map.of("MILLRACE_CACHE", folder.toString(), "PATH", folder.toString());
        assertThat(exitCode(nothing, "demo", "--sink", "clickhouse")).isEqualTo(2);
        assertThat(output().lines())
                .singleElement(STRING)
                .contains("npm", "--sink postgres")
                .doesNotContain("Exception");
    }

    @Test
    void aDemoTooSmallToShowAnythingIsRefused() throws Exception {
        assertThat(exitCode("demo", "--events", "10")).isEqualTo(2);
        assertThat(output()).contains("--events is at least");
    }
}
