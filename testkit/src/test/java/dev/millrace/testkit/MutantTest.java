package dev.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Planted bugs are caught: a driver that finds nothing has first to show that it would.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MutantTest {
    private static final int MOST_SEEDS = 2_000;
    private static final int CONTROL_SEEDS = 30;

    private final List<String> table = new ArrayList<>();

    @Test
    void theUnchangedCodeHoldsThroughTheSameLoader() throws ReflectiveOperationException {
        var run = MutatedCode.control().seedRun();
        for (var seed = 0; seed < CONTROL_SEEDS; seed++)
            assertThat(run.apply(seed)).isEqualTo("");
    }

    static List<Mutant> mutants() {
        return Mutant.all();
    }

    @ParameterizedTest
    @MethodSource("mutants")
    void aPlantedBugIsCaught(Mutant mutant) throws ReflectiveOperationException {
        var run = MutatedCode.of(mutant).seedRun();
        for (var seed = 0; seed < MOST_SEEDS; seed++) {
            var violation = String.valueOf(run.apply(seed));
            if (violation.isEmpty()) continue;
            var oracle = violation.substring(violation.indexOf(" ms: ") + 5, violation.indexOf('\n'));
            table.add(String.format("%-45s seed %4d  %s", mutant, seed, oracle));
            return;
        }
        throw new AssertionError("'" + mutant + "' is not caught by " + MOST_SEEDS + " seeds");
    }

    @AfterAll
    void tell() {
        System.out.println(table.size() + " of " + mutants().size() + " planted bugs caught:");
        table.forEach(line -> System.out.println("  " + line));
    }
}
