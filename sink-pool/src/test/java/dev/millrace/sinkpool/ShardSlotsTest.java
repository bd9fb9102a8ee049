package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A machine whose sink takes only so many writes at once; the rig holds that it has a slot for each attempt that is
/// live, and no other.
@Tag("WRT-8")
class ShardSlotsTest {
    private static Shard shard(Consumer<Shard.Setup> changes) {
        return new Shard(setup -> {
            setup.maxTotal = 2;
            setup.jitter = 0;
            changes.accept(setup);
        });
    }

    private static Shard shard() {
        return shard(_ -> {});
    }

    @Test
    void nothingIsWrittenBeforeItsSlotIsGranted() {
        var shard = shard();
        var sealed = shard.fullBatch(0);
        assertThat(sealed.started()).isEmpty();
        assertThat(sealed.askedSlots()).containsExactly(Set.of("orders"));
        assertThat(shard.view().waitsForSlot()).isTrue();
        var granted = shard.grant(1);
        assertThat(granted.started()).hasSize(1);
        assertThat(shard.view().waitsForSlot()).isFalse();
        var end = shard.written(granted.start());
        assertThat(end.slotsBack()).containsExactly(1L);
        shard.assertAtRest();
    }

    @Test
    void withoutALimitNothingIsAskedFor() {
        var shard = new Shard(_ -> {});
        var step = shard.fullBatch(0);
        assertThat(step.started()).hasSize(1);
        assertThat(step.askedSlots()).isEmpty();
        assertThat(shard.written(step.start()).slotsBack()).isEmpty();
    }

    /// With the first slot the next is asked for, and the next ask comes before the last slot goes back: so a shard is
    /// among those that ask when it is decided who is next.
    @Test
    void oneIsAskedForAtATimeAndBeforeTheLastGoesBack() {
        var shard = shard();
        shard.fullBatch(0);
        assertThat(shard.fullBatch(1).askedSlots()).as("the first is still out").isEmpty();
        var first = shard.grant(1);
        assertThat(first.askedSlots()).hasSize(1);
        var second = shard.grant(2);
        assertThat(second.askedSlots()).isEmpty();
        shard.fullBatch(2);
        var end = shard.written(first.start());
        assertThat(end.commands().stream()
                        .filter(command ->
                                command instanceof ShardCommand.AskSlot || command instanceof ShardCommand.GiveSlotBack)
                        .toList())
                .containsExactly(new ShardCommand.AskSlot(Set.of("orders")), new ShardCommand.GiveSlotBack(1));
        shard.written(second.start());
        shard.written(shard.grant(3).start());
        shard.assertAtRest();
    }

    @Test
    void aBatchThatSleepsHoldsNone() {
        var shard = shard();
        shard.fullBatch(0);
        var failed = shard.sick(shard.grant(1).start());
        assertThat(failed.slotsBack()).containsExactly(1L);
        assertThat(failed.askedSlots()).isEmpty();
        assertThat(shard.tickWhenDue().askedSlots()).as("it wakes").hasSize(1);
        shard.written(shard.grant(2).start());
        shard.assertAtRest();
    }

    @Test
    void oneThatIsLostGivesItsSlotBack() {
        var shard = shard();
        shard.fullBatch(0);
        assertThat(shard.lost(shard.grant(1).start().attempt()).slotsBack()).containsExactly(1L);
    }

    @Test
    @DisplayName("WRT-8: an attempt at its deadline gives its slot back, whether or not its thread ever ends")
    void oneAtItsDeadlineGivesItsSlotBackThoughItsThreadGoesOn() {
        var shard = shard(setup -> setup.writeTimeout = 1000);
        shard.fullBatch(0);
        var start = shard.grant(1).start();
        assertThat(shard.tickAt(1000).slotsBack()).containsExactly(1L);
        assertThat(shard.written(start).slotsBack()).as("its late answer").isEmpty();
    }

    @Test
    void whatCannotBeUsedAnyMoreGoesBackAtOnceAndIsNotAskedForAgain() {
        var shard = shard();
        shard.fullBatch(0);
        shard.epochEnded("orders", 0, 1);
        assertThat(shard.view().waitsForSlot()).isFalse();
        var granted = shard.grant(1);
        assertThat(granted.started()).isEmpty();
        assertThat(granted.slotsBack()).containsExactly(1L);
        assertThat(granted.askedSlots()).isEmpty();
        assertThat(shard.arrive(shard.source.chunk("orders", 0, 2, 0, 100, 20, shard.now()))
                        .askedSlots())
                .as("something changed")
                .hasSize(1);
    }

    @Test
    void aShardWhoseReplicasAreAllOpenAsksForNothing() {
        var shard = shard(setup -> setup.failures = 1);
        shard.fullBatch(0);
        shard.sick(shard.grant(1).start());
        var awake = shard.tickAt(200);
        assertThat(awake.askedSlots())
                .as("awake, and the replica is open for five seconds")
                .isEmpty();
        assertThat(shard.view().waitsForSlot()).isFalse();
        assertThat(shard.tickAt(5000).askedSlots()).as("it may be probed").hasSize(1);
        assertThat(probesOut(shard))
                .as("its probe is not taken before the slot is granted")
                .isZero();
        var probe = shard.grant(2);
        assertThat(probe.started()).hasSize(1);
        assertThat(probesOut(shard)).isEqualTo(1);
        shard.written(probe.start());
        shard.assertAtRest();
    }

    private static int probesOut(Shard shard) {
        return shard.view().replicas().getFirst().state().probesOut();
    }

    /// A ping is no write.
    @Test
    void besideASiblingAPingNeedsNoSlotAndTheProbeDoes() {
        var shard = shard(setup -> {
            setup.replicas = 2;
            setup.failures = 1;
        });
        shard.fullBatch(0);
        shard.sick(shard.grant(1).start());
        shard.tickAt(100);
        shard.written(shard.grant(2).start());
        shard.at(5000);
        var ping = shard.fullBatch(1);
        assertThat(ping.pinged()).hasSize(1);
        assertThat(ping.started()).isEmpty();
        var pinged = shard.end(ping.ping().attempt(), new WriteOutcome.Written(0, 0));
        assertThat(pinged.started()).isEmpty();
        assertThat(probesOut(shard)).isZero();
        var probe = shard.grant(3).started();
        assertThat(probe)
                .singleElement()
                .extracting(ShardCommand.StartAttempt::replica)
                .isEqualTo(0);
        assertThat(probesOut(shard)).isEqualTo(1);
        shard.written(probe.getFirst());
        shard.assertAtRest();
    }

    @Test
    @DisplayName("WRT-8: in one shard too, every tenant's first goes before any tenant's second")
    void inOneShardTooEveryTenantsFirstGoesFirst() {
        var shard = shard(setup -> setup.maxInFlight = 3);
        shard.arrive(shard.chunk("orders", 0, 1, 0, 100, 20, 0));
        shard.arrive(shard.chunk("orders", 0, 1, 100, 100, 20, 0));
        shard.arrive(shard.chunk("payments", 0, 1, 0, 100, 20, 0));
        var first = shard.grant(1);
        assertThat(first.start().batch().id()).isEqualTo(1);
        assertThat(first.askedSlots()).containsExactly(Set.of("payments"));
        var second = shard.grant(2);
        assertThat(second.start().batch().id()).isEqualTo(3);
        assertThat(second.askedSlots()).containsExactly(Set.of("orders"));
    }

    @Test
    void aDrainThatIsCutGivesAllBackBeforeItEnds() {
        var shard = shard();
        shard.fullBatch(0);
        shard.fullBatch(1);
        shard.fullBatch(2);
        shard.grant(1);
        shard.grant(2);
        shard.drainBy(500);
        var end = shard.tickAt(500);
        assertThat(end.slotsBack()).containsExactlyInAnyOrder(1L, 2L);
        assertThat(shard.finished()).isTrue();
        assertThat(shard.view().waitsForSlot()).isFalse();
    }

    @Test
    void aSlotThatComesAfterTheEndGoesBack() {
        var shard = shard();
        shard.fullBatch(0);
        shard.drainBy(500);
        shard.tickAt(500);
        assertThat(shard.grant(1).slotsBack()).containsExactly(1L);
    }
}
