package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.config.KafkaSourceConfig.GroupProtocol;
import dev.millrace.lab.clickhouse.EngineLibrary;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/// Two processes of one group that are killed again and again amid everything else that can befall
/// them, their broker and their sink: each row that was produced is in the sink once.
///
/// The build runs a slice. At full size, by properties of the build (kills of PostgreSQL and of
/// ClickHouse together, rows a second):
///
/// `mvn -pl cli -am -Dtest=EffectivelyOnceUnderFireTest -Dsurefire.failIfNoSpecifiedTests=false
/// -Dmillrace.once.kills=200 -Dmillrace.once.rows=2000 -Dmillrace.once.seed=1 test`
@ExtendWith(LabExtension.class)
@Tag("EO-6")
@Tag("EO-1")
@Tag("EO-3")
class EffectivelyOnceUnderFireTest {
    private static final int KILLS = Integer.getInteger("millrace.once.kills", 20);
    private static final int ROWS_PER_SECOND = Integer.getInteger("millrace.once.rows", 1_000);
    private static final long SEED = Long.getLong("millrace.once.seed", 1);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory = Path.of("");

    private void arm(String arm, OnceStore store, GroupProtocol protocol, int kills, int killsPerRound)
            throws Exception {
        var began = System.nanoTime();
        try (var rig = new OnceRig(directory, store, protocol, ROWS_PER_SECOND);
                var watch = OnceWatch.over(rig)) {
            var made = rig.init(new SplittableRandom(SEED));
            assertThat(made.code()).as(made.toString()).isZero();
            var rounds = new OnceRounds(rig, SEED ^ arm.hashCode());
            rounds.begin();
            rounds.until(kills, killsPerRound, watch);
            rounds.end();
            var looks = watch.end();
            System.err.printf(
                    "proof: effectively once, %s, %s protocol, seed %d: %s; %d looks, %d s%n",
                    arm,
                    protocol,
                    SEED,
                    rounds.told(),
                    looks,
                    TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began));
            assertThat(looks).isPositive();
            if (store.level().equals("L3")) verified(rig);
        }
    }

    private static void verified(OnceRig rig) {
        var ended = rig.command("verify");
        assertThat(ended.code()).as(ended.toString()).isZero();
    }

    private static GroupProtocol protocol(int arm) {
        return (SEED + arm) % 2 == 0 ? GroupProtocol.CONSUMER : GroupProtocol.CLASSIC;
    }

    @Test
    @Tag("EO-13")
    @Tag("PG-5")
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    @DisplayName("EO-6 PG-5: amid kills of everything each row is in PostgreSQL once")
    void eachRowIsInPostgresOnce(SharedLab lab) throws Exception {
        arm("PostgreSQL", new OncePostgres(lab.postgres(), lab.fresh()), protocol(0), KILLS / 2, 4);
    }

    @Test
    @Tag("CH-1")
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    @DisplayName("EO-6 CH-1: amid kills of everything each row is once in ClickHouse whose replicas share their tokens")
    void eachRowIsInClickHouseOnce() throws Exception {
        assumeTrue(EngineLibrary.available());
        arm("ClickHouse", new OnceClickHouse(true), protocol(1), KILLS - KILLS / 2, 4);
    }

    @Test
    @Tag("WRT-11")
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    @DisplayName("EO-6 WRT-11: where replicas share no tokens each row is in ClickHouse, and what may be there twice is"
            + " counted")
    void whatMayBeThereTwiceIsCounted() throws Exception {
        assumeTrue(EngineLibrary.available());
        arm("ClickHouse, nothing shared", new OnceClickHouse(false), protocol(0), Math.max(3, KILLS / 10), 1);
    }
}
