package dev.millrace.cli.proof;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.lab.clickhouse.EngineLibrary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/// A constant rate and faults all the while, into PostgreSQL and ClickHouse at once, and one process that is never
/// started again: what it takes stays flat, and in the end every row is there once.
///
/// The build runs three minutes of it. The hour, by properties of the build:
///
/// `mvn -pl cli -am -Dtest=SoakTest -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.soak.minutes=60
/// -Dmillrace.soak.rows=2000 -Dmillrace.soak.seed=1 test`
///
/// Flat is what [Flatness] says, with the bounds of each [Vital], of what is looked at after a warm-up: a tenth of the
/// run, and a minute at least. Three minutes find what leaks with each fault, or with each batch; the hour finds a
/// tenth of that. `docs/soak.md` says more.
@ExtendWith(LabExtension.class)
class SoakTest {
    private static final int MINUTES = Integer.getInteger("millrace.soak.minutes", 3);
    private static final int ROWS_PER_SECOND = Integer.getInteger("millrace.soak.rows", 2_000);
    private static final int EVERY = Integer.getInteger("millrace.soak.poison", 10_000);
    private static final long SEED = Long.getLong("millrace.soak.seed", 1);

    private static final int SECONDS = MINUTES * 60;
    private static final int ROWS = SECONDS * ROWS_PER_SECOND;
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /// What the encoder refuses, what the servers refuse and name, and what one of the two takes.
    private static final List<PoisonKind> KINDS = List.of(
            PoisonKind.CHECK,
            PoisonKind.NONSENSE,
            PoisonKind.FOREIGN_KEY,
            PoisonKind.UNKNOWN_FIELD,
            PoisonKind.OUT_OF_RANGE);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory = Path.of("");

    @Test
    @Tag("EO-6")
    @Tag("POI-5")
    @Tag("DRN-2")
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    @DisplayName("CASE-6: amid faults what the process takes stays flat, and every row is there once")
    void whatItTakesStaysFlatAndEveryRowIsThereOnce(SharedLab lab) throws Exception {
        assumeTrue(EngineLibrary.available());
        var mix = new PoisonMix(ROWS, SoakRig.PARTITIONS, EVERY, KINDS, SEED, System.currentTimeMillis() - ROWS);
        try (var warehouse = new SoakPostgres(lab.postgres(), lab.fresh());
                var lake = new SoakClickHouse();
                var rig = new SoakRig(directory, List.of(warehouse, lake))) {
            rig.await("ready", LIMIT, () -> rig.pages().code("/readyz") == 200);
            var began = System.nanoTime();
            var warm = Math.max(SECONDS / 10.0, Math.min(60, SECONDS / 4.0));
            try (var load = SoakLoad.start(mix, SoakRig.TOPIC, ROWS_PER_SECOND, rig.bootstrapServers());
                    var watch = VitalsWatch.over(rig.process(), directory, warm);
                    var harms = Harms.start(rig.harms(), new SplittableRandom(SEED))) {
                rig.await("all produced", Duration.ofSeconds(SECONDS).plus(LIMIT), () -> {
                    watch.check();
                    harms.check();
                    return load.done();
                });
                var seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
                var vitals = watch.end();
                var made = harms.end();
                System.err.printf(
                        "proof: soak, seed %d: %,d rows in %d s, %,d a second; %d faults: %s%n%s%n",
                        SEED,
                        ROWS,
                        seconds,
                        ROWS / seconds,
                        made.values().stream().mapToInt(Integer::intValue).sum(),
                        made,
                        table(vitals));
                rig.await("all committed", LIMIT, rig::caughtUp);
                var report = rig.drain();
                assertThat(rig.produced()).as("rows in the log").isEqualTo(ROWS);
                for (var sink : List.of(warehouse, lake)) conserved(sink, mix, rig, report);
                assertThat(made.keySet())
                        .as("kinds of faults")
                        .containsAll(rig.harms().stream().map(Harm::name).toList());
                flat(vitals, watch);
            }
        }
    }

    private static String table(Map<Vital, Series> vitals) {
        var lines = new ArrayList<>(List.of(Vital.head()));
        vitals.forEach((vital, series) -> lines.add(vital.row(series)));
        return String.join("\n", lines);
    }

    /// Every row that the sink does not refuse is there once, as it was produced, and every one that it does is set
    /// aside.
    private static void conserved(SoakSink sink, PoisonMix mix, SoakRig rig, Report report) throws Exception {
        var refused = new BitSet();
        for (var id : mix.poison()) if (sink.refuses(requireNonNull(mix.kind(id)))) refused.set(id);
        var expected = new BitSet();
        expected.set(0, mix.rows());
        expected.andNot(refused);

        var landed = sink.landed(mix);
        assertThat(landed.altered())
                .as("rows of %s that are not as produced", sink.name())
                .isEmpty();
        assertThat(landed.ids()).as("rows of %s", sink.name()).isEqualTo(expected);
        var letters = rig.letters(mix, sink);
        assertThat(letters.ids()).as("letters of %s", sink.name()).isEqualTo(refused);

        var reports = new ArrayList<>(rig.reportsOfOthers());
        reports.add(report);
        var told = reports.stream()
                .flatMap(one -> one.sinks().stream())
                .filter(one -> one.name().equals(sink.name()))
                .toList();
        var possible = told.stream()
                .flatMap(one -> one.shards().stream())
                .mapToLong(Report.Shard::possibleDuplicates)
                .sum();
        System.err.printf(
                "proof: soak, %s (%s): %,d rows there, %,d different, %d twice, at most %d as told; %d poison, %d set"
                        + " aside and %d letters again; %,d delivered, %,d of them repeats that it knew%n",
                sink.name(),
                sink.level(),
                landed.ids().cardinality() + landed.repeats(),
                landed.ids().cardinality(),
                landed.repeats(),
                possible,
                refused.cardinality(),
                letters.ids().cardinality(),
                letters.repeats(),
                told.stream().mapToLong(one -> one.rows().delivered()).sum(),
                told.stream().mapToLong(one -> one.rows().duplicate()).sum());
        assertThat((long) landed.repeats()).as("rows twice").isZero().isLessThanOrEqualTo(possible);
        assertThat(told.stream().mapToLong(one -> one.rows().deadLettered()).sum())
                .as("letters that were told are there")
                .isLessThanOrEqualTo(letters.ids().cardinality() + letters.repeats());
    }

    private static void flat(Map<Vital, Series> vitals, VitalsWatch watch) {
        var objections = new ArrayList<String>();
        vitals.forEach((vital, series) -> vital.flatness()
                .objections(series)
                .forEach(objection -> objections.add(vital.words() + ": " + objection)));
        assertThat(objections)
                .as("what has most grown on the heap:\n%s\n", watch.grown())
                .isEmpty();
    }
}
