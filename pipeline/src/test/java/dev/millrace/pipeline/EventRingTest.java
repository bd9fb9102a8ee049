package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class EventRingTest {
    private final EventRing ring = new EventRing();

    private void tell(String event, String where, String text, long second) {
        ring.tell(event, where, text, Instant.ofEpochSecond(second));
    }

    @Test
    void whatComesAgainCountsOnAndPushesNothingOut() {
        tell("outage_began", "s1", "first", 1);
        for (var i = 2; i <= 10_000; i++) tell("row_poison", "s1", "row " + i, i);
        assertThat(ring.newestFirst())
                .containsExactly(
                        new EventRing.Entry(
                                "row_poison",
                                "s1",
                                "row 10000",
                                Instant.ofEpochSecond(2),
                                Instant.ofEpochSecond(10_000),
                                9_999),
                        new EventRing.Entry(
                                "outage_began", "s1", "first", Instant.ofEpochSecond(1), Instant.ofEpochSecond(1), 1));
    }

    @Test
    @Tag("OPS-10")
    void itIsBoundedInNumberAndInText() {
        for (var i = 0; i < 1_000; i++) tell("replica_opened", "s" + i, "x".repeat(10_000), i);
        assertThat(ring.newestFirst()).hasSize(64).first().satisfies(newest -> {
            assertThat(newest.where()).isEqualTo("s999");
            assertThat(newest.text()).hasSize(300).endsWith("…");
        });
    }

    @Test
    void noLetterIsCutInTwo() {
        var text = "x".repeat(298) + "😀".repeat(10);
        assertThat(EventRing.cut(text)).isEqualTo("x".repeat(298) + "…");
    }
}
