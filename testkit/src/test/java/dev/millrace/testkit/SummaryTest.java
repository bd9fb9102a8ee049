package dev.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// What is said of many seeds is what they did.
class SummaryTest {
    private static Summary of(long seeds, long violations, Map<Sometimes, Long> reached, List<Long> differing) {
        return new Summary(
                0,
                seeds,
                9,
                violations,
                List.of(),
                reached,
                Map.of(new Summary.Kind("GENERAL", "at_least_once"), new Summary.Done(seeds, 9, violations)),
                3,
                0,
                1,
                differing,
                3_600_000_000_000L);
    }

    private static Map<Sometimes, Long> each(long times) {
        return Arrays.stream(Sometimes.values()).collect(Collectors.toMap(state -> state, _ -> times));
    }

    @Test
    void aStateMustOccurAHundredTimesInAHundredThousandSeeds() {
        assertThat(of(100_000, 0, each(100), List.of()).holds()).isTrue();
        assertThat(of(100_000, 0, each(99), List.of()).missed()).containsExactly(Sometimes.values());
        assertThat(of(20_000, 0, each(20), List.of()).holds()).isTrue();
        assertThat(of(20_000, 0, each(19), List.of()).holds()).isFalse();
    }

    @Test
    void fewSeedsMustReachEachStateOnceAndVeryFewAreNotJudged() {
        assertThat(of(2_000, 0, each(1), List.of()).holds()).isTrue();
        assertThat(of(2_000, 0, each(0), List.of()).holds()).isFalse();
        assertThat(of(1_999, 0, each(0), List.of()).holds()).isTrue();
    }

    @Test
    void aViolationOrASeedThatDoesNotRepeatItselfIsNoSuccess() {
        assertThat(of(100, 1, each(1), List.of()).holds()).isFalse();
        assertThat(of(100, 0, each(1), List.of(7L)).holds()).isFalse();
    }

    @Test
    void theClaimSaysWhatItIsWorth() {
        var text = of(2_000, 0, each(1), List.of()).text("commit abc");
        assertThat(text)
                .contains(
                        "0 violations in 2,000 seeded fault schedules",
                        "seeds 0 to 1999, of commit abc",
                        "below 1.5e-03 (3/N, 95 %)",
                        "./millrace simulate --from 0 --seeds 2000",
                        "2,000 schedules an hour",
                        "not modelled: " + Model.notModelled().getFirst());
        assertThat(of(2_000, 2, each(1), List.of()).text("commit abc")).doesNotContain("no acknowledged record");
    }

    @Test
    void theLinesOfARegressionAreSeedCommitAndWords() throws IOException {
        var lines = new BufferedReader(new StringReader("# why\n\n 12  abc1234  a commit went back\n"));
        assertThat(Regressions.read(lines)).containsExactly(new Regressions.Found(12, "abc1234", "a commit went back"));
        assertThatThrownBy(() -> Regressions.read(new BufferedReader(new StringReader("12 abc"))))
                .hasMessageContaining("12 abc");
    }
}
