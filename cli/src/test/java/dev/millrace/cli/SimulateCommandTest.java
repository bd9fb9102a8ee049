package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// What `millrace simulate` prints, and its exit codes.
class SimulateCommandTest {
    @TempDir
    private Path directory = Path.of("");

    private final StringWriter out = new StringWriter();
    private final CommandLine millrace = new CommandLine(Main.class).setOut(new PrintWriter(out));

    @Test
    void manySeedsEndWithTheClaim() throws IOException {
        var json = directory.resolve("summary.json");
        assertThat(millrace.execute("simulate", "--from", "6", "--seeds", "40", "--json", json.toString()))
                .isZero();
        assertThat(out.toString())
                .startsWith("0 violations in 40 seeded fault schedules")
                .contains("seeds 6 to 45, of version ", "./millrace simulate --from 6 --seeds 40", "not modelled: ");
        assertThat(Files.readString(json)).contains("\"seeds\": 40,", "\"violations\": 0,", "\"holds\": true");
    }

    @Test
    void oneSeedShowsItsTrace() {
        assertThat(millrace.execute("simulate", "--seed", "4")).isZero();
        assertThat(out.toString()).contains(" ms  process ends ").contains("seed 4 finds nothing in ");
    }

    /// These tests run a build that no commit names.
    @Test
    void aRunIsKeptOfACommitOnlyAndNotOfOneSeed() {
        var runs = directory.resolve("runs.csv");
        assertThat(millrace.execute("simulate", "--seeds", "2", "--keep", runs.toString()))
                .isEqualTo(2);
        assertThat(millrace.execute("simulate", "--seed", "2", "--keep", runs.toString()))
                .isEqualTo(2);
        assertThat(out.toString()).isEmpty();
        assertThat(runs).doesNotExist();
    }

    @Test
    void noSeedsAreRefused() {
        assertThat(millrace.execute("simulate", "--seeds", "0")).isEqualTo(2);
        assertThat(millrace.execute("simulate", "--threads", "0")).isEqualTo(2);
        assertThat(out.toString()).isEmpty();
    }
}
