package dev.millrace.pipeline;

import static dev.millrace.pipeline.Moment.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.breaker.ReplicaView;
import dev.millrace.config.Redaction;
import dev.millrace.sinkpool.ShardStatus;
import dev.millrace.sinkpool.ShardView;
import dev.millrace.sinkpool.SlotUse;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("WRT-8")
class SlotWaitTest {
    private final Moment moment = new Moment();

    private ShardStatus shard(boolean waits, @Nullable SlotUse slots) {
        var of = moment.shard(
                "s0", List.of(Moment.held(10, false, null)), Moment.replica(0, ReplicaView.Phase.CLOSED, null));
        var view = of.view();
        return new ShardStatus(
                of.shard(),
                of.endpoints(),
                of.worker(),
                new ShardView(
                        view.shard(),
                        view.usable(),
                        view.openRows(),
                        view.limit(),
                        view.lingerNanos(),
                        waits,
                        view.held(),
                        view.sleepNanos(),
                        view.sleepEndsNanos(),
                        view.lastAnswerNanos(),
                        view.unfinished(),
                        view.replicas()),
                of.counts(),
                slots);
    }

    @Test
    @DisplayName("WRT-8: who waits for a write slot is told so, with how many there are")
    void whoWaitsForASlotIsToldSo() {
        var waits = shard(true, new SlotUse(2, 2));
        var words = "a write slot: 2 of 2 taken (inflight.max_total)";
        assertThat(StuckJson.of(List.of(), List.of(waits), 10 * SECOND, 1_000 * SECOND, Redaction.NONE))
                .contains("\"waits_for\":\"" + words + "\"");
        moment.shards.clear();
        moment.shards.add(waits);
        assertThat(moment.text()).contains("warehouse/s0  takes rows  holds 10 rows  waits for " + words);
        assertThat(moment.status())
                .contains("\"waits_for\":\"" + words + "\"", "\"write_slots\":{\"taken\":2,\"total\":2}");
    }

    @Test
    @DisplayName("WRT-8: who waits for none is not")
    void whoWaitsForNoneIsNot() {
        assertThat(SlotWait.of(shard(false, new SlotUse(2, 2)))).isNull();
        assertThat(SlotWait.of(shard(false, null))).isNull();
        moment.shards.clear();
        moment.shards.add(shard(false, null));
        assertThat(moment.text()).contains("holds 10 rows").doesNotContain("slot");
        assertThat(moment.status()).contains("\"waits_for\":null,\"write_slots\":null");
    }
}
