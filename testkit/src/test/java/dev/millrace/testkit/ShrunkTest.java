package dev.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

/// A failing seed is made small, and still fails by the same oracle.
class ShrunkTest {
    private static final int MOST_SEEDS = 2_000;

    /// More are no list that a person reads.
    private static final int FEW = 6;

    @Test
    void aSeedThatFindsNothingIsNotShrunk() {
        assertThat(Shrunk.of(0)).isNull();
    }

    @Test
    void aFailingSeedShrinksToTheFaultThatItNeeds() throws ReflectiveOperationException {
        var mutant = Mutant.all().stream()
                .filter(one -> one.name().equals("a commit sent twice"))
                .findFirst()
                .orElseThrow();
        var code = MutatedCode.of(mutant);
        var run = code.seedRun();
        var seed = 0L;
        while (String.valueOf(run.apply(seed)).isEmpty()) assertThat(++seed).isLessThan(MOST_SEEDS);
        var told = String.valueOf(code.shrinkRun().apply(seed)).split("\n", 6);
        assertThat(told[0]).isEqualTo("C2");
        assertThat(told[1]).as("oracle of the shrunken run").isEqualTo(told[0]);
        // An answer that never came: the bug is in what follows it.
        assertThat(Set.of(told[2].split(" "))).containsAnyOf("COMMIT_LOST", "COMMIT_LATE");
        assertThat(Integer.parseInt(told[3])).isBetween(1, FEW);
        assertThat(Integer.parseInt(told[4])).isLessThanOrEqualTo(Shrunk.MOST_RUNS);
        assertThat(told[5])
                .contains(
                        "seed " + seed + " (",
                        "C2: ",
                        "./millrace simulate --seed " + seed,
                        "topics 1, partitions 1",
                        "commit answered Unknown");
    }

    /// The script of incidents stays as it is when one of them is left out.
    @Test
    void whatIsLeftOutDoesNotHappenAndTheRestOfTheScriptDoes() {
        for (var seed = 0L; seed < 6; seed++) {
            var whole = Simulation.without(Suppressed.NOTHING, seed).faults();
            for (var happened : whole) {
                var fault = happened.fault();
                // While everything is down nothing else befalls anybody: what an outage held back comes without it.
                if (!Incidents.KINDS.contains(fault.kind()) || fault.kind() == Fault.OUTAGE_OF_HOURS) continue;
                var left = Simulation.without(Suppressed.NOTHING.and(Set.of(fault)), seed)
                        .faults();
                assertThat(left).doesNotContain(happened);
                assertThat(left.stream().filter(ShrunkTest::isIncident).toList())
                        .isEqualTo(whole.stream()
                                .filter(ShrunkTest::isIncident)
                                .filter(other -> !other.equals(happened))
                                .toList());
            }
        }
    }

    private static boolean isIncident(FaultScript.Happened happened) {
        return Incidents.KINDS.contains(happened.fault().kind());
    }
}
