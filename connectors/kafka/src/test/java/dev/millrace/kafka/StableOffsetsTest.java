package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kafka.StableOffsets.Seen;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("SRC-13")
final class StableOffsetsTest {
    private static final TopicPartition P0 = new TopicPartition("orders", 0);
    private static final Seen NOTHING = new Seen.Nothing();

    private final StableOffsets offsets = new StableOffsets(60);

    @Test
    void whatStandsForAsLongAsTheBoundIsToldAndToldAgainAndItsEndToo() {
        assertThat(offsets.look(P0, 10, 15, 100)).isEqualTo(NOTHING);
        assertThat(offsets.look(P0, 10, 15, 159)).isEqualTo(NOTHING);
        assertThat(offsets.look(P0, 10, 20, 160)).isEqualTo(new Seen.Hangs(10, 100, true));
        assertThat(offsets.look(P0, 10, 20, 219)).isEqualTo(new Seen.Hangs(10, 100, false));
        assertThat(offsets.look(P0, 10, 20, 220)).isEqualTo(new Seen.Hangs(10, 100, true));
        assertThat(offsets.look(P0, 21, 21, 250)).isEqualTo(new Seen.Ended(10, 150));
        assertThat(offsets.look(P0, 21, 21, 500)).isEqualTo(NOTHING);
    }

    @Test
    void transactionsThatEndInTimeAreNoNews() {
        for (var look = 0; look < 10; look++)
            assertThat(offsets.look(P0, 10L * look, 10L * look + 9, 50L * look)).isEqualTo(NOTHING);
    }

    @Test
    void anIdleLogIsNone() {
        assertThat(offsets.look(P0, 10, 10, 0)).isEqualTo(NOTHING);
        assertThat(offsets.look(P0, 10, 10, 1000)).isEqualTo(NOTHING);
    }

    @Test
    void theNextOneThatHangsIsTimedFromItsOwnBeginning() {
        offsets.look(P0, 10, 15, 0);
        offsets.look(P0, 10, 15, 60);
        assertThat(offsets.look(P0, 16, 30, 100)).isEqualTo(new Seen.Ended(10, 100));
        assertThat(offsets.look(P0, 16, 30, 159)).isEqualTo(NOTHING);
        assertThat(offsets.look(P0, 16, 30, 160)).isEqualTo(new Seen.Hangs(16, 100, true));
    }

    @Test
    void whatIsAnothersIsForgotten() {
        offsets.look(P0, 10, 15, 0);
        offsets.keep(Set.of());
        assertThat(offsets.look(P0, 10, 15, 100)).isEqualTo(NOTHING);
    }
}
