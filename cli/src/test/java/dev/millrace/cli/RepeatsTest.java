package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.Repeats.Told;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RepeatsTest {
    private final Repeats<String> repeats = new Repeats<>(10, 2);

    @Test
    @DisplayName("OPS-5: the first is told at once, then the last of each interval with how many there were")
    void theFirstIsToldAtOnceThenTheLastOfAnInterval() {
        assertThat(repeats.offer("a", "1", 0)).containsExactly(new Told<>("1", 0));
        assertThat(repeats.offer("a", "2", 1)).isEmpty();
        assertThat(repeats.offer("a", "3", 9)).isEmpty();
        assertThat(repeats.due(9)).isEmpty();
        assertThat(repeats.due(10)).containsExactly(new Told<>("3", 1));
        assertThat(repeats.offer("a", "4", 19)).isEmpty();
        assertThat(repeats.due(20)).containsExactly(new Told<>("4", 0));
        assertThat(repeats.due(30)).isEmpty();
        assertThat(repeats.offer("a", "5", 31)).as("quiet for an interval").containsExactly(new Told<>("5", 0));
    }

    @Test
    void whatIsOverIsToldBeforeWhatComes() {
        repeats.offer("a", "1", 0);
        repeats.offer("a", "2", 1);
        assertThat(repeats.offer("b", "3", 10)).containsExactly(new Told<>("2", 0), new Told<>("3", 0));
    }

    @Test
    void subjectsDoNotHoldEachOtherBackAndThereAreNotTooMany() {
        repeats.offer("a", "1", 0);
        assertThat(repeats.offer("b", "2", 0)).hasSize(1);
        assertThat(repeats.offer("c", "3", 0)).hasSize(1);
        assertThat(repeats.offer("c", "4", 1)).as("there is room for two").hasSize(1);
        assertThat(repeats.offer("a", "5", 1)).isEmpty();
    }

    @Test
    void nothingThatIsHeldBackIsLostAtTheEnd() {
        repeats.offer("a", "1", 0);
        repeats.offer("a", "2", 1);
        repeats.offer("a", "3", 2);
        assertThat(repeats.rest()).containsExactly(new Told<>("3", 1));
        assertThat(repeats.rest()).isEmpty();
    }
}
