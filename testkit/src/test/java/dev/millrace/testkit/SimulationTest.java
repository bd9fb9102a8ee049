package dev.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// The production machines hold under seeded faults. `-Dmillrace.seed=N` runs one seed and prints its last events;
/// `-Dmillrace.seeds=N` runs more of them, from `-Dmillrace.seeds.from`.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SimulationTest {
    /// A state must be reached in at least so many of 2,000 seeds.
    private static final int LEAST_SEEDS = 5;

    private static final int THREADS = 2;

    private final List<Simulation.Report> reports = new ArrayList<>();

    @BeforeAll
    void runSeeds() throws InterruptedException, ExecutionException {
        var one = Long.getLong("millrace.seed");
        var from = one != null ? one : Long.getLong("millrace.seeds.from", 0);
        var count = one != null ? 1 : Long.getLong("millrace.seeds", 2_000);
        var next = new AtomicLong(from);
        Callable<List<Simulation.Report>> some = () -> {
            var out = new ArrayList<Simulation.Report>();
            for (var seed = next.getAndIncrement(); seed < from + count; seed = next.getAndIncrement())
                out.add(Simulation.run(seed));
            return out;
        };
        try (var pool = Executors.newFixedThreadPool(THREADS)) {
            for (var done : pool.invokeAll(Collections.nCopies(THREADS, some))) reports.addAll(done.get());
        }
        if (one != null) System.out.println(reports.getFirst().trace());
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
        assertThat(reports.stream()
                        .map(Simulation.Report::violation)
                        .filter(Objects::nonNull)
                        .toList())
                .as("violations in " + reports.size() + " seeds")
                .isEmpty();
    }

    @Test
    void everyStateWorthTestingIsReached() {
        if (reports.size() < 2_000) return;
        Map<Sometimes, Integer> seeds = new EnumMap<>(Sometimes.class);
        for (var report : reports) for (var state : report.reached().keySet()) seeds.merge(state, 1, Integer::sum);
        System.out.println(reports.size() + " seeds, "
                + reports.stream().mapToLong(Simulation.Report::steps).sum() + " steps, "
                + reports.stream().mapToLong(Simulation.Report::repeatedRows).sum()
                + " rows replayed; seeds that reach: "
                + seeds);
        var least = LEAST_SEEDS * reports.size() / 2_000;
        assertThat(Arrays.stream(Sometimes.values())
                        .filter(state -> seeds.getOrDefault(state, 0) < least)
                        .toList())
                .as("states reached by fewer than " + least + " seeds of " + reports.size())
                .isEmpty();
    }

    @Test
    void aSeedRepeatsItsRunEventByEvent() {
        for (var report : reports.subList(0, Math.min(30, reports.size()))) {
            var again = Simulation.run(report.seed());
            assertThat(again.traceHash()).as("trace of seed " + report.seed()).isEqualTo(report.traceHash());
            assertThat(again.steps()).isEqualTo(report.steps());
        }
    }

    /// In another virtual machine too, whose immutable sets and maps have another order.
    @Test
    void aSeedRepeatsItsRunInAnotherProcess() throws IOException, InterruptedException {
        var first = reports.getFirst().seed();
        var count = Math.min(40, reports.size());
        var child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        TraceHash.class.getName(),
                        String.valueOf(first),
                        String.valueOf(count))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String told;
        try (var out = child.inputReader()) {
            told = out.readLine();
        }
        assertThat(child.waitFor()).isZero();
        assertThat(told).isEqualTo(TraceHash.text(first, count));
    }
}
