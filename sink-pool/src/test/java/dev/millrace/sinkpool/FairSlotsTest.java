package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("WRT-8")
class FairSlotsTest {
    private static List<Integer> shards(List<FairSlots.Grant> grants) {
        return grants.stream().map(FairSlots.Grant::shard).toList();
    }

    private static long slot(List<FairSlots.Grant> grants) {
        assertThat(grants).hasSize(1);
        return grants.getFirst().slot();
    }

    @Test
    void noMoreAreOutThanThereAre() {
        var slots = new FairSlots(2, 3);
        var first = slot(slots.ask(0, Set.of("a")));
        assertThat(shards(slots.ask(1, Set.of("a")))).containsExactly(1);
        assertThat(slots.ask(2, Set.of("a"))).isEmpty();
        assertThat(slots.taken()).isEqualTo(2);
        assertThat(slots.waiting()).isEqualTo(1);
        assertThat(shards(slots.giveBack(first))).containsExactly(2);
        assertThat(slots.taken()).isEqualTo(2);
    }

    @Test
    @DisplayName("WRT-8: the shard with the fewest writes in flight goes first, whoever asked before")
    void theShardWithTheFewestGoesFirst() {
        var slots = new FairSlots(3, 3);
        var busy = slot(slots.ask(0, Set.of("a")));
        slots.ask(0, Set.of("a"));
        var other = slot(slots.ask(1, Set.of("a")));
        assertThat(slots.ask(0, Set.of("a"))).as("has two").isEmpty();
        assertThat(slots.ask(1, Set.of("a"))).as("has one").isEmpty();
        assertThat(slots.ask(2, Set.of("a"))).as("has none").isEmpty();
        assertThat(shards(slots.giveBack(busy)))
                .as("it asked last, and has none")
                .containsExactly(2);
        assertThat(shards(slots.giveBack(other)))
                .as("it asked second, and has none now")
                .containsExactly(1);
        assertThat(slots.waiting()).isEqualTo(1);
    }

    /// It asks for its next before it gives back, and is not passed for having been quick.
    @Test
    void oneThatAsksAndGivesBackIsCountedWithoutWhatItGaveBack() {
        var slots = new FairSlots(2, 2);
        var quick = slot(slots.ask(1, Set.of("a")));
        slots.ask(0, Set.of("a"));
        slots.ask(0, Set.of("a"));
        slots.ask(1, Set.of("a"));
        assertThat(shards(slots.giveBack(quick))).containsExactly(1);
    }

    @Test
    @DisplayName("WRT-8: among equals every tenant's first goes before any tenant's second")
    void everyTenantsFirstGoesBeforeAnyTenantsSecond() {
        var slots = new FairSlots(2, 4);
        var one = slot(slots.ask(0, Set.of("a")));
        slots.ask(1, Set.of("a"));
        slots.ask(2, Set.of("a"));
        slots.ask(3, Set.of("b"));
        assertThat(shards(slots.giveBack(one))).containsExactly(3);
    }

    /// A batch of several counts by the one that has had least.
    @Test
    void aBatchOfSeveralTenantsGoesByItsLeastServed() {
        var slots = new FairSlots(2, 4);
        var one = slot(slots.ask(0, Set.of("a", "b")));
        slots.ask(1, Set.of("a"));
        slots.ask(2, Set.of("a"));
        slots.ask(3, Set.of("a", "c"));
        assertThat(shards(slots.giveBack(one))).containsExactly(3);
    }

    /// A slot counts for all tenants of its batch, and for none when it is back.
    @Test
    void aSlotCountsForAllItsTenantsUntilItIsBack() {
        var slots = new FairSlots(1, 3);
        var both = slot(slots.ask(0, Set.of("a", "b")));
        slots.ask(1, Set.of("b"));
        slots.ask(2, Set.of("c"));
        var next = slots.giveBack(both);
        assertThat(shards(next)).as("b has none any more, and asked first").containsExactly(1);
    }

    @Test
    void amongEqualsTheLongestAskingGoesFirst() {
        var slots = new FairSlots(1, 4);
        var one = slot(slots.ask(3, Set.of("a")));
        slots.ask(2, Set.of("b"));
        slots.ask(0, Set.of("c"));
        slots.ask(1, Set.of("d"));
        one = slot(expect(2, slots.giveBack(one)));
        one = slot(expect(0, slots.giveBack(one)));
        expect(1, slots.giveBack(one));
    }

    private static List<FairSlots.Grant> expect(int shard, List<FairSlots.Grant> grants) {
        assertThat(shards(grants)).containsExactly(shard);
        return grants;
    }

    @Test
    void whoLeavesGivesBackAllItHasAndAsksNoMore() {
        var slots = new FairSlots(2, 3);
        slots.ask(0, Set.of("a"));
        slots.ask(0, Set.of("a"));
        slots.ask(0, Set.of("a"));
        slots.ask(1, Set.of("a"));
        slots.ask(2, Set.of("a"));
        assertThat(shards(slots.leave(0))).containsExactly(1, 2);
        assertThat(slots.taken(0)).isZero();
        assertThat(slots.waiting()).isZero();
        slots.leave(1);
        slots.leave(2);
        assertThat(slots.taken()).isZero();
        assertThat(shards(slots.ask(1, Set.of("b"))))
                .as("the tenant's counts are back too")
                .containsExactly(1);
    }

    @Test
    void whatWouldBreakTheCountIsRefused() {
        var slots = new FairSlots(1, 1);
        var one = slot(slots.ask(0, Set.of("a")));
        slots.ask(0, Set.of("a"));
        assertThatThrownBy(() -> slots.ask(0, Set.of("a"))).hasMessage("shard 0 asks twice");
        assertThatThrownBy(() -> slots.ask(0, Set.of())).hasMessage("shard 0 asks for no tenant");
        slots.giveBack(one);
        assertThatThrownBy(() -> slots.giveBack(one)).hasMessage("slot " + one + " is not out");
        assertThatThrownBy(() -> new FairSlots(0, 1)).hasMessage("inflight.max_total 0 < 1");
    }
}
