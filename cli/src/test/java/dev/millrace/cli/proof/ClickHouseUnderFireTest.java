package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.lab.clickhouse.EngineLibrary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A hundred poison rows among many, two shards of ClickHouse's own engine with two fronts each that are
/// cut again and again, engines that are killed and started on their data, and a process that is killed.
///
/// The build runs a slice. At full size, by properties of the build:
///
/// `mvn -pl cli -am -Dtest=ClickHouseUnderFireTest -Dsurefire.failIfNoSpecifiedTests=false
/// -Dmillrace.clickhouse.rows=1000000 -Dmillrace.clickhouse.kills=5 -Dmillrace.clickhouse.apart=1000
/// -Dmillrace.clickhouse.seed=1 test`
@ExtendWith(LabExtension.class)
class ClickHouseUnderFireTest {
    private static final int ROWS = Integer.getInteger("millrace.clickhouse.rows", 50_000);
    private static final int POISON = 100;
    private static final int KILLS = Integer.getInteger("millrace.clickhouse.kills", 1);
    private static final long SEED = Long.getLong("millrace.clickhouse.seed", 1);

    /// Longest from one cut to the next, in milliseconds.
    private static final int APART = Integer.getInteger("millrace.clickhouse.apart", 400);

    private static final int LATEST_KILL_MILLIS = 300;

    @ParameterizedTest(name = "killed: {0}")
    @ValueSource(booleans = {false, true})
    @Tag("POI-2")
    @Tag("POI-5")
    @Tag("CKP-1")
    @Tag("DRN-2")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    @DisplayName(
            "CH-1 WRT-11: amid cuts and killed engines every healthy row lands once, but for replays after a kill of"
                    + " Millrace, and every poison row is set aside as it was")
    void everyHealthyRowLandsAndEveryPoisonRowIsSetAside(boolean killed, SharedLab lab, @TempDir Path directory)
            throws Exception {
        assumeTrue(EngineLibrary.available());
        var kills = killed ? KILLS : 0;
        var chance = new SplittableRandom(SEED);
        try (var fire = new Fire(lab, directory, _ -> new FireClickHouse(), ROWS, ROWS / POISON, SEED)) {
            fire.produce();
            var produced = System.nanoTime();
            var cuts = Cuts.start(fire.ways(), Duration.ofMillis(APART), SEED);
            try (cuts) {
                for (var kill = 0; kill < kills; kill++) {
                    var run = fire.start();
                    // Early enough that a quick machine is not done before the last of them.
                    run.awaitCommitted((long) ((kill + chance.nextDouble()) / (kills + 3) * ROWS));
                    var moment = Deadline.in(Duration.ofMillis(chance.nextInt(LATEST_KILL_MILLIS)));
                    run.await("the moment of a kill", moment::passed);
                    run.kill();
                    fire.committedIsDurable();
                }
                fire.start().awaitPolledAll();
            }
            var made = cuts.end();
            var report = fire.drain();
            var seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - produced);

            var poison = new BitSet();
            fire.mix().poison().forEach(poison::set);
            var letters = fire.letters();
            var landed = fire.landed();
            System.err.printf(
                    "proof: ClickHouse, seed %d, %,d rows, %d of them poison, %d kills, cuts %s; done in %d s: %,d rows"
                            + " landed and %,d repeats of them, %d dead letters and %d repeats of them%n",
                    SEED,
                    ROWS,
                    poison.cardinality(),
                    kills,
                    made,
                    seconds,
                    landed.ids().cardinality(),
                    landed.repeats(),
                    letters.ids().cardinality(),
                    letters.repeats());
            assertThat(letters.ids()).as("poison rows that are set aside").isEqualTo(poison);
            assertThat(landed.altered())
                    .as("rows that are not as they were produced")
                    .isEmpty();
            var healthy = new BitSet();
            healthy.set(0, ROWS);
            healthy.andNot(poison);
            assertThat(landed.ids()).as("rows in the tables").isEqualTo(healthy);
            assertThat(fire.unexplained(landed))
                    .as("rows that are there more often than kills of the process explain")
                    .isEmpty();
            assertThat(fire.committed()).as("committed").isEqualTo(fire.ends());
            assertThat(report.drained()).as("drained, of %s", report).isTrue();
            assertThat(report.caughtUp()).as("caught up, of %s", report).isTrue();
            assertThat(made.values()).as("cuts").isNotEmpty();
        }
    }
}
