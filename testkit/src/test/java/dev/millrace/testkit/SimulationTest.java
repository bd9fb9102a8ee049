package dev.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The production machines hold under seeded faults. `-Dmillrace.seeds=N` runs more or fewer seeds, from
/// `-Dmillrace.seeds.from`; `./millrace simulate` runs many more, and single ones.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SimulationTest {
    private static final long FROM = Long.getLong("millrace.seeds.from", 0);
    private static final long COUNT = Long.getLong("millrace.seeds", 20_000);
    private static final int THREADS = 2;

    private Summary summary;

    @BeforeAll
    @Timeout(1_800)
    void runSeeds() throws InterruptedException, ExecutionException {
        summary = Seeds.run(FROM, COUNT, THREADS, _ -> {});
        System.out.println(summary.text("this build"));
    }

    @Test
    @Tag("CKP-8")
    @Tag("SEAL-4")
    @Tag("SEAL-6")
    @Tag("SEAL-7")
    @Tag("BRK-4")
    @Tag("BRK-5")
    @Tag("WRT-1")
    @Tag("WRT-7")
    @Tag("WRT-9")
    @Tag("WRT-10")
    @Tag("DRN-9")
    void everySeedLandsOrReplaysEveryRow() {
        assertThat(summary.found().stream().map(Simulation.Report::violation).toList())
                .as("the first of " + summary.violations() + " violations in " + COUNT + " seeds")
                .isEmpty();
        assertThat(summary.violations()).isZero();
    }

    /// Whatever ever found something is run for ever.
    @Test
    void noSeedOfThePastFindsAnything() {
        assertThat(Regressions.all().stream()
                        .map(Regressions.Found::seed)
                        .distinct()
                        .map(seed -> Simulation.run(seed).violation())
                        .filter(Objects::nonNull)
                        .toList())
                .isEmpty();
    }

    @Test
    void everyStateWorthTestingIsReached() {
        assertThat(summary.missed())
                .as("states that occur in fewer than " + summary.least() + " of " + COUNT + " seeds: "
                        + summary.reached())
                .isEmpty();
    }

    @Test
    void aSeedThatRunsTwiceRepeatsItsRunEventByEvent() {
        assertThat(summary.differing()).as("seeds whose second run was another").isEmpty();
        assertThat(summary.twice()).isBetween(COUNT / 200, COUNT / 50 + 1);
    }

    /// The last is the slowest: it interprets every byte code.
    static Stream<List<String>> otherMachines() {
        return Stream.of(
                List.of("40", "-XX:TieredStopAtLevel=1"),
                List.of("20", "-XX:+UseSerialGC", "-XX:-UseCompressedOops", "-XX:hashCode=2"),
                List.of("4", "-XX:+UseParallelGC", "-Xint"));
    }

    /// In another virtual machine too, whose immutable sets and maps have another order, whatever its flags are.
    @ParameterizedTest
    @MethodSource("otherMachines")
    void aSeedRepeatsItsRunInAnotherProcess(List<String> machine) throws IOException, InterruptedException {
        var count = Integer.parseInt(machine.getFirst());
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:+UnlockExperimentalVMOptions");
        command.addAll(machine.subList(1, machine.size()));
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.addAll(List.of(TraceHash.class.getName(), String.valueOf(FROM), String.valueOf(count)));
        var child = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String told;
        try (var out = child.inputReader()) {
            told = out.readLine();
        }
        assertThat(child.waitFor()).isZero();
        assertThat(told).isEqualTo(TraceHash.text(FROM, count));
    }
}
