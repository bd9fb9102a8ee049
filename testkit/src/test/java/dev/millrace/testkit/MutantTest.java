package dev.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Planted bugs are caught: a driver that finds nothing has first to show that it would. Writes the table of them to
/// `target/mutants.md`.
///
/// The seed that docs/reliability.md names for a bug comes first, and where it no longer finds it, all from 0: the
/// whole
/// search takes minutes, and only who writes the page anew (`-Dmillrace.golden.write=true`) needs the first seed of
/// all.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MutantTest {
    private static final int MOST_SEEDS = 10_000;
    private static final int CONTROL_SEEDS = 30;

    private final List<String> table = new ArrayList<>();

    @Test
    void theUnchangedCodeHoldsThroughTheSameLoader() throws ReflectiveOperationException {
        var run = MutatedCode.control().seedRun();
        for (var seed = 0; seed < CONTROL_SEEDS; seed++)
            assertThat(run.apply(seed)).isEqualTo("");
    }

    static List<Mutant> mutants() {
        return Stream.of(Mutant.all(), PlanMutants.all(), SlotMutants.all())
                .flatMap(List::stream)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("mutants")
    @Timeout(600)
    void aPlantedBugIsCaught(Mutant mutant) throws ReflectiveOperationException, IOException {
        var run = MutatedCode.of(mutant).seedRun();
        var known = knownSeed(mutant);
        if (known >= 0 && catches(mutant, run, known)) return;
        for (var seed = 0; seed < MOST_SEEDS; seed++) if (catches(mutant, run, seed)) return;
        throw new AssertionError("'" + mutant + "' is not caught by " + MOST_SEEDS + " seeds");
    }

    /// The seed that the page names for a bug; -1 for none, and where the page is to be written anew.
    private static int knownSeed(Mutant mutant) throws IOException {
        if (Reliability.isWriting()) return -1;
        return Reliability.part("mutants")
                .lines()
                .filter(line -> line.startsWith("| " + mutant + " |"))
                .map(line -> line.split("\\|", -1)[4].strip())
                .mapToInt(Integer::parseInt)
                .findFirst()
                .orElse(-1);
    }

    private boolean catches(Mutant mutant, LongFunction<?> run, int seed) {
        var violation = String.valueOf(run.apply(seed));
        if (violation.isEmpty()) return false;
        table.add(row(mutant, seed, violation));
        return true;
    }

    private static String row(Mutant mutant, int seed, String violation) {
        var oracle = violation.substring(violation.indexOf(" ms: ") + 5).split(":", 2)[0];
        var type = mutant.type().substring(mutant.type().lastIndexOf('.') + 1);
        return "| " + mutant + " | `" + mutant.module() + "`, " + type + " | " + oracle + " | " + seed + " |";
    }

    @AfterAll
    void tell() throws IOException {
        var page = Reliability.MUTANTS_HEAD + String.join("\n", table) + "\n";
        Files.writeString(Path.of("target", "mutants.md"), page);
        System.out.println(table.size() + " of " + mutants().size() + " planted bugs caught:\n" + page);
        if (table.size() == mutants().size()) Reliability.writeIfAsked("mutants", page);
    }
}
