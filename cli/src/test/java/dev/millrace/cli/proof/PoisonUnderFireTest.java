package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

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

/// One poison row in 10,000, two shards with two ways each that are cut again and again, and a process
/// that is killed.
///
/// The build runs a slice. At full size, by properties of the build:
///
/// `mvn -pl cli -am -Dtest=PoisonUnderFireTest -Dsurefire.failIfNoSpecifiedTests=false
/// -Dmillrace.poison.rows=2000000
/// -Dmillrace.poison.kills=5 -Dmillrace.poison.apart=4000 -Dmillrace.poison.seed=1 test`
@ExtendWith(LabExtension.class)
class PoisonUnderFireTest {
    private static final int ROWS = Integer.getInteger("millrace.poison.rows", 100_000);
    private static final int EVERY = Integer.getInteger("millrace.poison.every", 10_000);
    private static final int KILLS = Integer.getInteger("millrace.poison.kills", 1);
    private static final long SEED = Long.getLong("millrace.poison.seed", 1);

    /// Longest from one cut to the next, in milliseconds.
    private static final int APART = Integer.getInteger("millrace.poison.apart", 800);

    private static final int LATEST_KILL_MILLIS = 300;

    @ParameterizedTest(name = "with a key: {0}")
    @ValueSource(booleans = {false, true})
    @Tag("POI-5")
    @Tag("POI-8")
    @Tag("POI-14")
    @Tag("CKP-1")
    @Tag("DRN-2")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    @DisplayName("POI-2: amid cuts and kills every healthy row lands, and every poison row is set aside as it was")
    void everyHealthyRowLandsAndEveryPoisonRowIsSetAside(boolean withKey, SharedLab lab, @TempDir Path directory)
            throws Exception {
        assertThat(ROWS / EVERY).as("kinds of poison").isGreaterThanOrEqualTo(PoisonKind.values().length);
        var began = System.nanoTime();
        var chance = new SplittableRandom(SEED);
        try (var fire =
                new Fire(lab, directory, name -> new FirePostgres(lab.postgres(), name, withKey), ROWS, EVERY, SEED)) {
            fire.produce();
            var produced = System.nanoTime();
            var cuts = Cuts.start(fire.ways(), Duration.ofMillis(APART), SEED);
            try (cuts) {
                for (var kill = 0; kill < KILLS; kill++) {
                    var run = fire.start();
                    run.awaitCommitted((long) ((kill + chance.nextDouble()) / (KILLS + 1) * ROWS));
                    var moment = Deadline.in(Duration.ofMillis(chance.nextInt(LATEST_KILL_MILLIS)));
                    run.await("the moment of a kill", moment::passed);
                    run.kill();
                    fire.committedIsDurable();
                }
                fire.start().awaitPolledAll();
            }
            var made = cuts.end();
            var report = fire.drain();
            var ended = System.nanoTime();

            var poison = new BitSet();
            fire.mix().poison().forEach(poison::set);
            var letters = fire.letters();
            var landed = fire.landed();
            assertThat(letters.ids()).as("poison rows that are set aside").isEqualTo(poison);
            assertThat(landed.altered())
                    .as("rows that are not as they were produced")
                    .isEmpty();
            var healthy = new BitSet();
            healthy.set(0, ROWS);
            healthy.andNot(poison);
            assertThat(landed.ids()).as("rows in the tables").isEqualTo(healthy);
            assertThat(fire.committed()).as("committed").isEqualTo(fire.ends());
            assertThat(report.drained()).as("drained, of %s", report).isTrue();
            assertThat(report.caughtUp()).as("caught up, of %s", report).isTrue();
            assertThat(made.values()).as("cuts").isNotEmpty();
            System.err.printf(
                    "proof: %s a key, seed %d, %,d rows, %d of them poison, %d kills, cuts %s; produced in %d s, done in %d s more:"
                            + " %,d rows landed and %,d repeats of them, %d dead letters and %d repeats of them%n",
                    withKey ? "with" : "without",
                    SEED,
                    ROWS,
                    poison.cardinality(),
                    KILLS,
                    made,
                    TimeUnit.NANOSECONDS.toSeconds(produced - began),
                    TimeUnit.NANOSECONDS.toSeconds(ended - produced),
                    landed.ids().cardinality(),
                    landed.repeats(),
                    letters.ids().cardinality(),
                    letters.repeats());
        }
    }
}
