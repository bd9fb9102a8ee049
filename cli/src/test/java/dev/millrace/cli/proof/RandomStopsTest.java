package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.KafkaSourceConfig.GroupProtocol;
import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.Cue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
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

/// SIGTERM at random moments of a life, from its first line on, with rows on their way and a sink that is well,
/// refuses, hangs or loses its answers; now and then a second one.
///
/// The build runs a slice. At full size, by properties of the build:
///
/// `mvn -pl cli -am -Dtest=RandomStopsTest -Dsurefire.failIfNoSpecifiedTests=false -Dmillrace.stops=200
/// -Dmillrace.stops.seed=1 test`
@ExtendWith(LabExtension.class)
class RandomStopsTest {
    private static final int STOPS = Integer.getInteger("millrace.stops", 8);
    private static final long SEED = Long.getLong("millrace.stops.seed", 1);
    private static final int FAULT_AT_LATEST_MILLIS = 800;
    private static final int STOP_AT_LATEST_MILLIS = 2_400;
    private static final int PIECE = 300;
    private static final int SECOND_AFTER_MILLIS = 300;
    private static final Duration DRAIN = Duration.ofMillis(2_500);
    private static final Duration SESSION = Duration.ofMillis(1_500);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory = Path.of("");

    private enum Way {
        WELL,
        REFUSES,
        HANGS,
        LOSES_ANSWERS;

        void befall(ChaosProxy proxy) {
            switch (this) {
                case WELL -> proxy.heal();
                case REFUSES -> proxy.refuse();
                case HANGS -> proxy.blackHole();
                case LOSES_ANSWERS -> proxy.dropAnswers(Cue.POSTGRES_COMMITTED);
            }
        }
    }

    private final Map<Way, Integer> ways = new EnumMap<>(Way.class);
    private int drained;
    private int left;
    private int cutShort;
    private long slowestMillis;

    @Test
    @Tag("DRN-1")
    @Tag("DRN-2")
    @Tag("DRN-4")
    @Tag("DRN-6")
    @Tag("DRN-9")
    @Tag("DRN-11")
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    @DisplayName("CASES 33: whenever it is stopped it ends in time, leaves its group, has committed what is stored and"
            + " no more, and its report is true; a second signal ends it at once")
    void wheneverItIsStoppedItEndsInTimeAndTellsTheTruth(SharedLab lab) throws Exception {
        var chance = new SplittableRandom(SEED);
        var protocol = SEED % 2 == 0 ? GroupProtocol.CONSUMER : GroupProtocol.CLASSIC;
        try (var scene = lab.scene(new Scene.Shape(2, 1, 4), directory);
                var watch = DurabilityWatch.over(scene)) {
            for (var round = 0; round < STOPS; round++) stop(scene, protocol, chance);
            scene.heal();
            var last = scene.startReady(yaml(scene, protocol).drainTimeout(Duration.ofSeconds(10)));
            last.awaitCaughtUp();
            last.terminate(0);
            assertThat(scene.store().against(scene.orders()))
                    .as("seed %d", SEED)
                    .isEqualTo(Store.Difference.NONE);
            System.err.printf(
                    "proof: %d stops with seed %d, %s: %d drained, %d left something, %d cut short by a second signal;"
                            + " %s; the longest took %d ms of %d; %d rows, each once; %d looks%n",
                    STOPS,
                    SEED,
                    protocol,
                    drained,
                    left,
                    cutShort,
                    ways,
                    slowestMillis,
                    DRAIN.toMillis() + 2_000,
                    scene.orders().ids().size(),
                    watch.end());
        }
    }

    private void stop(Scene scene, GroupProtocol protocol, SplittableRandom chance) throws Exception {
        scene.heal();
        scene.orders().produce(PIECE);
        var trial = scene.start(yaml(scene, protocol));
        // A signal before that finds no handler: the system ends the process, which has done nothing yet.
        trial.await("its first event", () -> trial.process().stderr().contains("event="));
        var way = Way.values()[chance.nextInt(Way.values().length)];
        pause(trial, chance.nextInt(FAULT_AT_LATEST_MILLIS));
        scene.eachProxy(way::befall);
        ways.merge(way, 1, Integer::sum);
        scene.orders().produce(PIECE);
        pause(trial, chance.nextInt(STOP_AT_LATEST_MILLIS));
        // A part of it is on its way, or still in an open batch, when the signal comes.
        scene.orders().produce(PIECE);
        var began = System.nanoTime();
        trial.process().terminate();
        var again = chance.nextInt(4) == 0;
        if (again) {
            pause(chance.nextInt(SECOND_AFTER_MILLIS));
            trial.process().terminate();
        }
        var report = again ? trial.awaitEnd(143, 0, 3) : trial.awaitEnd(0, 3);
        slowestMillis = Math.max(slowestMillis, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
        trial.agreesWithTheBroker(report);
        // What an earlier process has sent may still come, so there is no upper bound here.
        assertThat(trial.rowsThatCame())
                .isGreaterThanOrEqualTo(
                        report.rows().delivered() - report.rows().duplicate());
        assertThat(report.cutShort()).isEqualTo(report.exitCode() == 143);
        switch (report.exitCode()) {
            case 0 -> drained++;
            case 3 -> left++;
            default -> cutShort++;
        }
        // Who is cut short says good-bye to nobody: the broker notices when its session is over.
        if (report.cutShort())
            Deadline.in(SESSION.multipliedBy(10))
                    .until("its session is over", () -> scene.members().isEmpty(), report::toString);
        assertThat(scene.members()).as("it left the group").isEmpty();
    }

    private static void pause(Trial trial, int millis) throws Exception {
        var moment = Deadline.in(Duration.ofMillis(millis));
        trial.await("the moment", moment::passed);
    }

    private static void pause(int millis) throws Exception {
        var moment = Deadline.in(Duration.ofMillis(millis));
        Deadline.in(Duration.ofSeconds(10)).until("the moment", moment::passed, () -> "time stands");
    }

    private static PipelineYaml yaml(Scene scene, GroupProtocol protocol) throws Exception {
        return scene.yaml(protocol, SESSION)
                .sink("write", "{ timeout: 1s }")
                .sink("breaker", "{ failures: 2, open_for: 500ms }")
                .drainTimeout(DRAIN);
    }
}
