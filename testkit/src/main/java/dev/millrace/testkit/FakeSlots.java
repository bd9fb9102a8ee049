package dev.millrace.testkit;

import dev.millrace.sinkpool.FairSlots;
import dev.millrace.sinkpool.ShardEvent;
import dev.millrace.sinkpool.ShardView;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The write slots of one process, given as production's `WriteSlots` gives them, and WRT-8 held against them: never
/// more writes than slots, none granted past a shard with fewer or a tenant with fewer, none free while a shard asks,
/// each back with the end of its attempt.
///
/// Thread ownership: the run.
final class FakeSlots {
    private record Ask(int shard, Set<String> tenants) {}

    private final PipelineProcess process;
    private final World world;
    private final int total;
    private final FairSlots slots;
    private final Map<Integer, Ask> asking = new LinkedHashMap<>();
    private final Map<Long, Ask> out = new HashMap<>();

    FakeSlots(PipelineProcess process, int total) {
        this.process = process;
        this.world = process.world;
        this.total = total;
        this.slots = new FairSlots(total, process.sink.shards());
    }

    // --- what a shard's worker does

    void ask(int shard, Set<String> tenants) {
        if (asking.put(shard, new Ask(shard, tenants)) != null)
            throw new Violation("WRT-8", "shard " + shard + " asks twice");
        tell(slots.ask(shard, tenants));
    }

    void giveBack(long slot) {
        if (out.remove(slot) == null) throw new Violation("WRT-8", "slot " + slot + " is given back, and was not out");
        tell(slots.giveBack(slot));
    }

    void leaveDying(int shard) {
        if (held(shard) > 0) world.reached(Sometimes.SLOT_OF_THE_DEAD);
        leave(shard);
    }

    void leave(int shard) {
        asking.remove(shard);
        out.values().removeIf(ask -> ask.shard == shard);
        tell(slots.leave(shard));
    }

    private void tell(List<FairSlots.Grant> grants) {
        for (var grant : grants) {
            mayBe(grant);
            world.note("slot", grant.shard(), grant.slot());
            process.shards.get(grant.shard()).post(new ShardEvent.SlotGranted(grant.slot()));
        }
        if (out.size() < total && !asking.isEmpty())
            throw new Violation("WRT-8", (total - out.size()) + " slots are free, and asking are " + asking.values());
        if (slots.taken() != out.size() || slots.waiting() != asking.size())
            throw new Violation("WRT-8", slots.taken() + " slots are taken, there are " + out.size());
    }

    // --- what must be true of it

    private void mayBe(FairSlots.Grant grant) {
        var longest = asking.values().iterator().next();
        var fair = asking.values().stream()
                .min(Comparator.comparingInt((Ask ask) -> held(ask.shard)).thenComparingInt(this::leastServed))
                .orElseThrow();
        if (fair.shard != grant.shard())
            throw new Violation("WRT-8", grant + ", and the turn is that of " + fair + " of " + asking.values());
        if (fair != longest)
            world.reached(held(fair.shard) < held(longest.shard) ? Sometimes.SLOT_BY_FEWEST : Sometimes.SLOT_BY_TENANT);
        asking.remove(grant.shard());
        out.put(grant.slot(), fair);
        if (out.size() > total) throw new Violation("WRT-8", out.size() + " slots are out, of " + total);
    }

    private int held(int shard) {
        return (int) out.values().stream().filter(ask -> ask.shard == shard).count();
    }

    private int leastServed(Ask ask) {
        return ask.tenants.stream().mapToInt(this::heldBy).min().orElseThrow();
    }

    private int heldBy(String tenant) {
        return (int) out.values().stream()
                .filter(ask -> ask.tenants.contains(tenant))
                .count();
    }

    /// One more attempt to write is out.
    void began() {
        var writing = process.shards.stream().mapToInt(ShardShell::writing).sum();
        if (writing > total) throw new Violation("WRT-8", writing + " writes are out, max_total is " + total);
    }

    /// A shard has no slot but for its writes, and those that it was granted and has not heard of.
    void carriedOut(int shard, ShardView view, int writing, int toTake) {
        if (held(shard) != writing + toTake)
            throw new Violation(
                    "WRT-8",
                    "shard " + shard + " holds " + held(shard) + " slots for " + writing + " writes, and " + toTake
                            + " are on their way");
        if (!view.waitsForSlot()) return;
        world.reached(Sometimes.WAITED_FOR_SLOT);
        if (toTake == 0 && !asking.containsKey(shard))
            throw new Violation("WRT-8", "shard " + shard + " waits for a slot, and asks for none");
    }

    void atRest() {
        if (slots.taken() != 0 || slots.waiting() != 0)
            throw new Violation("WRT-8", slots.taken() + " slots are out at rest, " + slots.waiting() + " ask");
    }
}
