package dev.millrace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.sinkpool.NanoClock;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class AttemptTest {
    @Test
    @Tag("WRT-1")
    void aSessionWhoseAttemptWasCancelledIsNotLentAgain() throws SQLException {
        var attempt = new Attempt(() -> 0, NanoClock.NEVER);
        attempt.holds(new Wire());
        attempt.cancel();
        assertThat(attempt.released()).isFalse();
    }

    @Test
    @Tag("WRT-1")
    void aSessionThatIsGivenBackInTimeIs() throws SQLException {
        var attempt = new Attempt(() -> 0, NanoClock.NEVER);
        attempt.holds(new Wire());
        assertThat(attempt.released()).isTrue();
    }
}
