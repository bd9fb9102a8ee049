package dev.millrace.lab.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.lab.LabException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ClickHouseEngineTest {
    @BeforeAll
    @Timeout(value = 20, unit = TimeUnit.MINUTES) // the first use on a machine fetches it
    static void engine() {
        assumeTrue(EngineLibrary.available());
    }

    @Test
    void anEngineThatWasKilledOrStoppedHasAllItAnswered() {
        try (var engine = ClickHouseEngine.launch()) {
            engine.execute("CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n");
            engine.execute("INSERT INTO t SELECT number FROM numbers(1000)");

            engine.kill();
            assertThat(engine.running()).isFalse();
            assertThatThrownBy(() -> engine.count("t")).isInstanceOf(LabException.class);
            engine.start();

            assertThat(engine.count("t")).isEqualTo(1000);
            engine.stop();
            engine.start();

            assertThat(engine.count("t")).isEqualTo(1000);
        }
    }

    @Test
    void itIsTheVersionThatFrontsSay() {
        try (var engine = ClickHouseEngine.launch()) {
            assertThat(engine.query("SELECT version()")).isEqualTo(ClickHouseFront.VERSION);
        }
    }

    @Test
    void itsMemoryIsBounded() {
        try (var engine = ClickHouseEngine.launch(400)) {
            assertThatThrownBy(() -> engine.query("SELECT length(groupArray(repeat('x', 1000))) FROM numbers(2000000)"))
                    .hasMessageContaining("Code: 241")
                    .hasMessageContaining("MEMORY_LIMIT_EXCEEDED");

            assertThat(engine.queryLong("SELECT 1")).isEqualTo(1);
        }
    }

    @Test
    void itsDirectoryGoesWithIt() {
        var engine = ClickHouseEngine.launch();
        engine.close();

        assertThat(engine.directory()).doesNotExist();
        assertThat(engine.running()).isFalse();
    }

    @Test
    void itEndsAndDeletesItsDataWhenTheProcessThatLaunchedItDies() throws Exception {
        var parent = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Parent.class.getName())
                .redirectErrorStream(true)
                .start();
        try (var said = parent.inputReader()) {
            var line = said.lines().filter(l -> l.startsWith(Parent.SAYS)).findFirst();
            assertThat(line).isPresent();
            String[] words = line.get().substring(Parent.SAYS.length()).split(" ", 2);
            var engine = ProcessHandle.of(Long.parseLong(words[0])).orElseThrow();
            assertThat(Path.of(words[1])).isDirectory();

            parent.destroyForcibly();

            assertThat(engine.onExit()).succeedsWithin(Duration.ofSeconds(30));
            assertThat(Path.of(words[1])).doesNotExist();
        } finally {
            parent.destroyForcibly();
        }
    }

    /// A process that launches an engine, says its number and its directory, and waits to be killed.
    static final class Parent {
        static final String SAYS = "engine ";

        public static void main(String[] args) throws InterruptedException {
            var engine = ClickHouseEngine.launch();
            System.out.println(SAYS + engine.pid() + " " + engine.directory());
            new CountDownLatch(1).await();
        }
    }

    @Test
    void whatADeadProcessLeftIsDeletedByTheNext() throws Exception {
        var dead = new ProcessBuilder("true").start();
        dead.waitFor();
        Path left = Files.createTempDirectory("millrace-clickhouse-" + dead.pid() + "-");
        Files.writeString(left.resolve("data"), "left");

        try (var engine = ClickHouseEngine.launch()) {
            assertThat(engine.directory()).isDirectory();
            assertThat(left).doesNotExist();
        }
    }
}
