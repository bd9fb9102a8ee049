package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a settle waits for.
final class MarksTest {
    private final Marks marks = new Marks();

    @Test
    @Tag("ADM-7")
    void aMarkIsReachedWhenAllBeforeItHasEndedWhateverLiesBehindIt() {
        marks.took(2);
        assertThat(marks.reached(1)).as("not set").isFalse();
        marks.set(1);
        marks.took(5);
        marks.ended(1, 1);
        assertThat(marks.reached(1)).as("one is out").isFalse();
        marks.ended(1, 1);
        assertThat(marks.reached(1)).isTrue();
        assertThat(marks.reached(2)).isFalse();
        assertThat(marks.itemsOut()).isEqualTo(5);
    }

    @Test
    @Tag("ADM-7")
    void whatWasMarkedBeforeIsWaitedForToo() {
        marks.took(1);
        marks.set(1);
        marks.took(1);
        marks.set(2);
        marks.ended(2, 1);
        assertThat(marks.reached(2)).as("the first is out").isFalse();
        marks.ended(1, 1);
        assertThat(marks.reached(2)).isTrue();
    }

    @Test
    @Tag("ADM-7")
    void atTheEndEveryMarkCountsAsSet() {
        marks.took(1);
        marks.end();
        assertThat(marks.reached(1)).isFalse();
        marks.ended(1, 1);
        assertThat(marks.reached(1)).isTrue();
        assertThat(marks.reached(marks.asked())).isTrue();
    }

    @Test
    @Tag("ADM-7")
    void aMarkIsSetOnceForAllThatAskedForIt() {
        assertThat(marks.asked()).isEqualTo(1);
        assertThat(marks.begin()).isEqualTo(1);
        marks.set(1);
        marks.set(1);
        assertThat(marks.current()).isEqualTo(2);
        assertThat(marks.reached(1)).isTrue();
    }

    @Test
    @Tag("ADM-7")
    void whoAsksWhileAMarkIsSetWaitsForTheNext() {
        marks.begin();
        assertThat(marks.asked())
                .as("what is handed over now may lie behind the first")
                .isEqualTo(2);
        marks.took(1);
        marks.set(1);
        assertThat(marks.asked()).isEqualTo(2);
        marks.took(1);
        marks.ended(1, 1);
        assertThat(marks.reached(1)).isTrue();
        assertThat(marks.reached(2)).isFalse();
        marks.begin();
        marks.set(2);
        assertThat(marks.reached(2)).as("one is out").isFalse();
        marks.ended(2, 1);
        assertThat(marks.reached(2)).isTrue();
    }
}
