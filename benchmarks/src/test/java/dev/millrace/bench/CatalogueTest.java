package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.bench.Shape.Codec;
import dev.millrace.bench.SuiteArm.Twist;
import dev.millrace.config.Configuration;
import dev.millrace.config.Delivery;
import dev.millrace.config.ReadResult;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Which arms the suite has, and what becomes of their readings.
final class CatalogueTest {
    private static final Pattern ALL = Pattern.compile("");

    private static Stream<SuiteArm> arms() {
        return Catalogue.groups().stream().flatMap(group -> group.arms().stream());
    }

    static Stream<SuiteArm> pipelines() {
        return arms().filter(arm -> !arm.program().bare());
    }

    @ParameterizedTest
    @MethodSource("pipelines")
    void millraceTakesTheFileOfEachArm(SuiteArm arm) {
        var file = new PipelineFile(
                "127.0.0.1:9092",
                shard -> switch (arm.program().store()) {
                    case POSTGRES -> "postgres://127.0.0.1:5432/suite";
                    case CLICKHOUSE, HTTP -> "http://127.0.0.1:" + (8123 + shard);
                    case NONE -> "blackhole:s" + shard;
                },
                "postgres://127.0.0.1:1/suite",
                "somebody");
        assertThat(Configuration.read("suite.yaml", file.text(arm, "topic", "group"), _ -> null))
                .isInstanceOfSatisfying(ReadResult.Loaded.class, loaded -> {
                    assertThat(loaded.config().delivery()).isEqualTo(arm.delivery());
                    var sink = loaded.config().sinks().getFirst();
                    assertThat(sink.shards())
                            .hasSize(arm.shards())
                            .allSatisfy(shard ->
                                    assertThat(shard.endpoints()).hasSize(arm.twist() == Twist.DEAD_REPLICA ? 2 : 1));
                });
    }

    @Test
    void everyFactorIsThereWithEachOfItsValues() {
        var all = arms().toList();
        assertThat(all.stream().map(arm -> arm.shape().valueBytes())).contains(100, 200, 1024, 10_240);
        assertThat(all.stream().map(arm -> arm.shape().codec())).contains(Codec.values());
        assertThat(all.stream().map(arm -> arm.shape().partitions())).contains(1, 4, 12, 64, 256);
        assertThat(all.stream().map(SuiteArm::shards)).contains(1, 4, 16, 64);
        assertThat(all.stream().map(SuiteArm::program)).contains(Program.values());
        assertThat(all.stream().map(SuiteArm::twist)).contains(Twist.values());
        assertThat(all.stream().map(arm -> arm.shape().poisonEvery())).contains(10_000);
        for (var partitions : List.of(12, 64))
            assertThat(all.stream()
                            .filter(arm -> arm.shape().partitions() == partitions)
                            .map(SuiteArm::delivery))
                    .contains(Delivery.values());
    }

    @Test
    void eachGoalIsOfAnArmThatIsThereAndHasALoopToBeHeldAgainst() {
        for (var path : Goal.paths())
            assertThat(Catalogue.groups())
                    .as(path)
                    .anySatisfy(group -> assertThat(group.arms())
                            .anySatisfy(arm -> assertThat(group.path(arm)).isEqualTo(path)));
        for (var group : Catalogue.groups())
            for (var arm : group.arms())
                if (group.name().startsWith("1k") || group.name().startsWith("200b"))
                    assertThat(group.reference(arm)).as(group.path(arm)).isNotNull();
    }

    @Test
    void aPatternChoosesArmsAndTheLoopsTheyAreHeldAgainst() {
        var chosen = Catalogue.groups().stream()
                .map(group -> group.only(Pattern.compile("^1k/raw-http$"), false))
                .flatMap(group -> group.arms().stream().map(group::path))
                .toList();
        assertThat(chosen).containsExactly("1k/bare", "1k/raw-http");
        assertThat(Catalogue.groups().stream()
                        .map(group -> group.only(Pattern.compile("nothing-is-called-so"), false))
                        .flatMap(group -> group.arms().stream()))
                .isEmpty();
    }

    @Test
    void aQuickRunHasAFewOfEachKind() {
        var quick = Catalogue.groups().stream()
                .flatMap(group -> group.only(ALL, true).arms().stream())
                .toList();
        assertThat(quick).hasSizeLessThan(20);
        assertThat(quick.stream().map(SuiteArm::program)).contains(Program.values());
        assertThat(quick.stream().map(SuiteArm::delivery)).contains(Delivery.values());
        assertThat(quick.stream().map(SuiteArm::twist)).contains(Twist.DEAD_REPLICA, Twist.LIVE_JOINED);
    }

    private static final SuiteGroup CELLS = Catalogue.groups().getFirst();
    private static final FilledTopic TOPIC =
            new FilledTopic("topic", CELLS.arms().getFirst().shape(), 1_000, 0, 5, 1.0);

    private static Measured measured(String name, int round, long wall, long cpu) {
        var arm = CELLS.arms().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
        var figures = Map.of(Figure.ROWS, 1_000L, Figure.WALL_NANOS, wall, Figure.CPU_NANOS, cpu);
        return new Measured(CELLS, arm, TOPIC, round, ReadingTest.reading(figures));
    }

    @Test
    void aRatioIsOfTwoReadingsOfOneRound() {
        var results = new Results();
        // Round 2 was slow for both: neither median alone says what the ratios do.
        long[] loop = {100, 400, 100};
        long[] ours = {120, 480, 160};
        for (var round = 1; round <= 3; round++) {
            results.add(measured("bare-sum", round, 1_000, loop[round - 1]));
            results.add(measured("raw-blackhole", round, 1_200, ours[round - 1]));
        }
        var cpu = goal(results, "1 KB, raw → blackhole: CPU s/GB, times the loop's");
        assertThat(cpu.measured().median()).isCloseTo(1.2, within(1e-9));
        assertThat(cpu.measured().min()).isCloseTo(1.2, within(1e-9));
        assertThat(cpu.measured().max()).isCloseTo(1.6, within(1e-9));
        assertThat(cpu.firstReached()).isTrue();
        assertThat(cpu.secondReached()).isTrue();
        var speed = goal(results, "1 KB, raw → blackhole: records/s, times the loop's");
        assertThat(speed.measured().median()).isBetween(0.83, 0.84);
        assertThat(speed.firstReached()).isTrue();
    }

    private static Goal goal(Results results, String what) {
        return Goal.of(results).stream()
                .filter(goal -> goal.what().equals(what))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aGoalThatIsMissedIsToldAndCounts() {
        var missed = new Goal("x", new Figures(1.51, 1.4, 1.6), Goal.Sense.AT_MOST, 1.5, Double.NaN);
        assertThat(missed.firstReached()).isFalse();
        assertThat(missed.secondReached()).as("none is set").isTrue();
        assertThat(missed.text(missed.first())).isEqualTo("≤ 1.50");
        var least = new Goal("x", new Figures(1_499, 1_000, 2_000), Goal.Sense.AT_LEAST, Double.NaN, 1_500);
        assertThat(least.firstReached()).isTrue();
        assertThat(least.secondReached()).isFalse();
        assertThat(least.text(least.second())).isEqualTo("≥ 1,500");
    }
}
