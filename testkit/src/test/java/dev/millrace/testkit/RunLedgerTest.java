package dev.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is kept of a run is what it did, and counts once.
class RunLedgerTest {
    private static final String COMMIT = "a".repeat(40);

    @TempDir
    private Path directory = Path.of("");

    private Path file() {
        return directory.resolve("runs.csv");
    }

    private static Summary run(long from, long count) throws InterruptedException, ExecutionException {
        return Seeds.run(from, count, 1, _ -> {});
    }

    @Test
    void eachKindOfEachRunIsALine() throws Exception {
        var first = run(0, 40);
        var second = run(40, 40);
        RunLedger.add(file(), COMMIT, first);
        RunLedger.add(file(), COMMIT, second);
        var entries = RunLedger.read(file());
        assertThat(entries).hasSize(first.kinds().size() + second.kinds().size());
        assertThat(entries.stream().mapToLong(entry -> entry.done().schedules()).sum())
                .isEqualTo(80);
        assertThat(entries.stream().mapToLong(entry -> entry.done().steps()).sum())
                .isEqualTo(first.steps() + second.steps());
        assertThat(entries.stream().map(entry -> entry.kind().profile()).distinct())
                .hasSize(Profile.values().length);
        assertThat(entries.stream().map(entry -> entry.kind().delivery()).distinct())
                .containsExactlyInAnyOrder("at_least_once", "effectively_once");
        assertThat(entries.getFirst().from()).isZero();
        assertThat(entries.getLast().to()).isEqualTo(79);
        assertThat(Files.readAllLines(file())).startsWith(RunLedger.HEADER).doesNotHaveDuplicates();
    }

    @Test
    void seedsThatAreInItCountOnceForACommit() throws Exception {
        var run = run(10, 10);
        RunLedger.add(file(), COMMIT, run);
        var before = Files.readString(file());
        assertThatThrownBy(() -> RunLedger.add(file(), COMMIT, run(19, 2)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("seeds 10 to 19 of " + COMMIT + " are in it");
        assertThat(Files.readString(file())).isEqualTo(before);
        RunLedger.add(file(), "b".repeat(40), run);
        assertThat(RunLedger.read(file())).hasSize(2 * run.kinds().size());
    }

    @Test
    void whatIsNoLineOrCountsTwiceIsRefused() throws Exception {
        Files.writeString(file(), RunLedger.HEADER + "\n" + COMMIT + ",GENERAL,at_least_once,0,9,10,many,0\n");
        assertThatThrownBy(() -> RunLedger.read(file())).hasMessageContaining("runs.csv:2: no line of a run");
        var line = COMMIT + ",GENERAL,at_least_once,0,9,10,7,0\n";
        Files.writeString(file(), RunLedger.HEADER + "\n" + line + line);
        assertThatThrownBy(() -> RunLedger.read(file())).hasMessageContaining("runs.csv:3: a line that is in it");
        Files.writeString(file(), RunLedger.HEADER + "\n" + line + COMMIT + ",GENERAL,at_least_once,5,14,10,7,0\n");
        assertThatThrownBy(() -> RunLedger.read(file())).hasMessageContaining("runs.csv:3: seeds that are counted");
    }
}
