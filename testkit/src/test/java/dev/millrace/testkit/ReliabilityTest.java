package dev.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// `docs/reliability.md` says what the code is. `-Dmillrace.golden.write=true` writes its lists anew.
class ReliabilityTest {
    /// Which seed catches a bug may change with the model; which bugs are planted is in the page.
    @Test
    void everyPlantedBugStandsInThePage() throws IOException {
        var rows = Reliability.part("mutants").lines().skip(2).map(row -> row.split(" \\| ", 2)[0]);
        assertThat(rows)
                .as("run MutantTest with -Dmillrace.golden.write=true")
                .containsExactlyElementsOf(MutantTest.mutants().stream()
                        .map(mutant -> "| " + mutant)
                        .toList());
    }

    @Test
    void everyStateThatMustOccurStandsInThePage() throws IOException {
        same(
                "states",
                Arrays.stream(Sometimes.values())
                        .map(state -> "`" + state + "`")
                        .collect(Collectors.joining(", ", "", "\n")));
    }

    @Test
    void everyKindOfFaultStandsInThePage() throws IOException {
        same(
                "faults",
                Arrays.stream(Fault.values())
                        .map(fault -> "`" + fault + "`")
                        .collect(Collectors.joining(", ", "", "\n")));
    }

    /// The sums of what `./millrace simulate --keep` added up.
    @Test
    void theRunsThatAreKeptStandInThePage() throws IOException {
        var entries = RunLedger.read(RunTable.FILE);
        same("runs", RunTable.of(entries));
        same("claim", RunTable.claim(entries, MutantTest.mutants().size()));
    }

    @Test
    void whatIsNotModelledStandsInThePage() throws IOException {
        same(
                "not modelled",
                Model.notModelled().stream().map(what -> "- " + what + "\n").collect(Collectors.joining()));
    }

    private static void same(String part, String want) throws IOException {
        Reliability.writeIfAsked(part, want);
        assertThat(Reliability.part(part))
                .as("write it anew with -Dmillrace.golden.write=true")
                .isEqualTo(want);
    }
}
