package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.Delivery;
import dev.millrace.config.RequiredLevel;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.Guarantee.Level;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("EO-11")
final class LevelsTest {
    private static Levels levels(Delivery delivery, RequiredLevel require) {
        return new Levels(delivery, require);
    }

    private static Guarantee allowed(Level level) {
        return new Guarantee(level, "so it is");
    }

    @ParameterizedTest
    @CsvSource({
        "EFFECTIVELY_ONCE, L0, L0",
        "EFFECTIVELY_ONCE, L1, L1",
        "EFFECTIVELY_ONCE, L2, L2",
        "EFFECTIVELY_ONCE, L3, L3",
        "EFFECTIVELY_ONCE, L4, L4",
        "AT_LEAST_ONCE, L0, L0",
        "AT_LEAST_ONCE, L1, L1",
        "AT_LEAST_ONCE, L2, L1",
        "AT_LEAST_ONCE, L4, L1"
    })
    @DisplayName("EO-11: a sink's level is what it allows, and L1 at the most where batches are merged")
    void whatDeliveryMakesOfIt(Delivery delivery, Level allowed, Level promised) {
        assertThat(levels(delivery, RequiredLevel.NONE).of(allowed(allowed)).level())
                .isEqualTo(promised);
    }

    @Test
    @DisplayName("EO-11 EO-8: where nobody keeps the plan it is L1, and the reason is the broker's")
    void withoutAPlan() {
        var levels = new Levels(Delivery.EFFECTIVELY_ONCE, RequiredLevel.L2, "the broker returns no metadata");
        assertThat(levels.of(allowed(Level.L4))).isEqualTo(new Guarantee(Level.L1, "the broker returns no metadata"));
        assertThat(levels.of(allowed(Level.L0))).isEqualTo(allowed(Level.L0));
    }

    @Test
    @DisplayName("EO-11: the worst shard decides")
    void theWorstShard() {
        var worst = new Guarantee(Level.L0, "it forgets");
        assertThat(Levels.least(List.of(allowed(Level.L3), worst, allowed(Level.L2))))
                .isEqualTo(worst);
    }

    @ParameterizedTest
    @CsvSource({
        "NONE, L0, false",
        "L1, L0, true",
        "L1, L1, false",
        "L2, L1, true",
        "L3, L2, true",
        "L3, L3, false",
        "L4, L3, true"
    })
    @DisplayName("EO-11: what is below the level that is asked for is refused, in one line")
    void refusals(RequiredLevel require, Level found, boolean refused) {
        var refusal = levels(Delivery.EFFECTIVELY_ONCE, require).refusal("events", allowed(found));
        if (refused)
            assertThat(refusal).isEqualTo("sink events: " + found + ", and require asks for " + require + ": so it is");
        else assertThat(refusal).isNull();
    }

    @Test
    @DisplayName("EO-11 EO-13: tokens in the transactions of their rows are L4, anything else names millrace init")
    void transactions() {
        assertThat(Levels.ofTransactions("events/a", true, false).level()).isEqualTo(Level.L4);
        assertThat(Levels.ofTransactions("events/a", true, true).level()).isEqualTo(Level.L4);
        var without = Levels.ofTransactions("events/a", false, false);
        assertThat(without.level()).isEqualTo(Level.L0);
        assertThat(without.why()).contains("events/a", "millrace init");
        assertThat(Levels.ofTransactions("events/a", false, true).level())
                .as("an index that names a row is no token")
                .isEqualTo(Level.L1);
    }
}
