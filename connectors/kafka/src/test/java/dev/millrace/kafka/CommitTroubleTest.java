package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Which commits that fail are told to people.
@Tag("OPS-5")
final class CommitTroubleTest {
    private static final long SECOND = 1_000_000_000L;

    private final CommitTrouble trouble = new CommitTrouble(0);
    private final LogEar failures = new LogEar("commit_failed");
    private final LogEar recoveries = new LogEar("commit_recovered");
    private long now = -5 * SECOND;

    @AfterEach
    void close() {
        recoveries.close();
        failures.close();
    }

    private void fails(boolean rebalance, int times, long everySeconds) {
        for (var n = 0; n < times; n++) {
            trouble.failed("a reason", rebalance, now);
            now += everySeconds * SECOND;
        }
    }

    @Test
    @DisplayName("OPS-5: commits that one rebalance refuses are told to nobody")
    void aRebalanceIsNoNews() {
        fails(true, 25, 1);
        assertThat(trouble.forNanos(now)).isZero();
        trouble.taken(now);
        assertThat(failures.count()).isZero();
        assertThat(recoveries.count()).isZero();
        // Nor is the next one, however soon it comes.
        fails(true, 25, 1);
        assertThat(failures.count()).isZero();
    }

    @Test
    @DisplayName("OPS-5: commits that fail for half a minute are told, once a minute, and so is their end")
    void whatLastsIsTold() {
        fails(true, 31, 1);
        assertThat(failures.count()).isOne();
        assertThat(trouble.forNanos(now)).isEqualTo(31 * SECOND);
        fails(true, 59, 1);
        assertThat(failures.count()).isOne();
        fails(true, 1, 1);
        assertThat(failures.count()).isEqualTo(2);
        assertThat(recoveries.count()).isZero();
        trouble.taken(now);
        trouble.taken(now);
        assertThat(recoveries.count()).isOne();
        assertThat(trouble.forNanos(now)).isZero();
    }

    @Test
    @DisplayName("OPS-5: what failed is no trouble any more once nothing is left to commit")
    void whereNothingIsLeftToCommitNothingFails() {
        fails(false, 40, 1);
        assertThat(trouble.lasts()).isTrue();
        assertThat(trouble.forNanos(now)).isEqualTo(40 * SECOND);
        trouble.nothingLeft();
        now += 3 * 3600 * SECOND;
        assertThat(trouble.lasts()).isFalse();
        assertThat(trouble.forNanos(now)).isZero();
        assertThat(recoveries.count()).isZero();
        fails(true, 1, 1);
        assertThat(trouble.forNanos(now)).isZero();
    }

    @Test
    @DisplayName("OPS-5: commits that nobody answers now and then are told from the fourth in ten minutes on")
    void whatComesAgainAndAgainIsTold() {
        for (var n = 0; n < 3; n++) {
            fails(false, 1, 1);
            trouble.taken(now);
        }
        assertThat(failures.count()).isZero();
        now += 600 * SECOND;
        for (var n = 0; n < 3; n++) {
            fails(false, 1, 1);
            trouble.taken(now);
        }
        assertThat(failures.count()).isZero();
        fails(false, 1, 1);
        assertThat(failures.count()).isOne();
    }
}
