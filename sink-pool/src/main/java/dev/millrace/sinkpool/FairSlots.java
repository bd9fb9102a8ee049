package dev.millrace.sinkpool;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Decides which shard of one sink may write next, where the sink takes only so many writes at once (WRT-8).
///
/// A free slot goes to the shard that holds the fewest of those that ask; among equals to the one with a tenant that
/// holds the fewest, so that every tenant's first goes before any tenant's second; among equals to the one that has
/// asked for longest. A slot counts for all tenants that its ask named, from the grant until it is given back.
///
/// Reads no clock, starts no thread, takes no lock. The simulation and [WriteSlots] drive this same class.
///
/// Invariant T1: at most `total` slots are out. T2: none is free while a shard asks. T3: none is granted past a shard
/// that asks and holds fewer.
///
/// Thread ownership: one caller at a time.
public final class FairSlots {
    /// This shard may begin one write. `slot` is never used again.
    public record Grant(int shard, long slot) {}

    private record Ask(int shard, Set<String> tenants) {}

    private final int total;
    private final Map<Long, Ask> out = new HashMap<>();
    private final int[] held;
    private final Map<String, Integer> heldByTenant = new HashMap<>();
    /// By shard, the longest asking first.
    private final Map<Integer, Ask> asking = new LinkedHashMap<>();

    private long lastSlot;

    public FairSlots(int total, int shards) {
        if (total < 1) throw new IllegalArgumentException("inflight.max_total " + total + " < 1");
        this.total = total;
        this.held = new int[shards];
    }

    /// The shard has something to write, of these tenants. It waits for one grant at a time: asking again before that
    /// is a bug. Returns what is granted now, to whomever.
    public List<Grant> ask(int shard, Set<String> tenants) {
        if (tenants.isEmpty()) throw new IllegalArgumentException("shard " + shard + " asks for no tenant");
        if (asking.putIfAbsent(shard, new Ask(shard, Set.copyOf(tenants))) != null)
            throw new IllegalStateException("shard " + shard + " asks twice");
        return grants();
    }

    /// The write is over, or there was none.
    public List<Grant> giveBack(long slot) {
        if (!free(slot)) throw new IllegalStateException("slot " + slot + " is not out");
        return grants();
    }

    /// The shard writes nothing more: it waits no longer, and all that it holds is free.
    public List<Grant> leave(int shard) {
        asking.remove(shard);
        for (var one : List.copyOf(out.entrySet())) if (one.getValue().shard() == shard) free(one.getKey());
        return grants();
    }

    private boolean free(long slot) {
        var of = out.remove(slot);
        if (of == null) return false;
        held[of.shard()]--;
        for (var tenant : of.tenants())
            heldByTenant.computeIfPresent(tenant, (_, slots) -> slots == 1 ? null : slots - 1);
        return true;
    }

    private List<Grant> grants() {
        var granted = new ArrayList<Grant>();
        while (out.size() < total && !asking.isEmpty()) granted.add(grant(first()));
        return granted;
    }

    private Ask first() {
        Ask first = null;
        for (var ask : asking.values()) if (first == null || goesBefore(ask, first)) first = ask;
        if (first == null) throw new IllegalStateException("nobody asks");
        return first;
    }

    /// One that has asked for longer stays first among equals.
    private boolean goesBefore(Ask ask, Ask longer) {
        var fewer = Integer.compare(held[ask.shard()], held[longer.shard()]);
        return fewer != 0 ? fewer < 0 : leastServed(ask) < leastServed(longer);
    }

    private int leastServed(Ask ask) {
        var least = Integer.MAX_VALUE;
        for (var tenant : ask.tenants()) least = Math.min(least, heldByTenant.getOrDefault(tenant, 0));
        return least;
    }

    private Grant grant(Ask ask) {
        asking.remove(ask.shard());
        out.put(++lastSlot, ask);
        held[ask.shard()]++;
        for (var tenant : ask.tenants()) heldByTenant.merge(tenant, 1, Integer::sum);
        return new Grant(ask.shard(), lastSlot);
    }

    public int total() {
        return total;
    }

    /// Slots that are out.
    public int taken() {
        return out.size();
    }

    /// Slots of one shard that are out.
    public int taken(int shard) {
        return held[shard];
    }

    /// Shards that wait for a slot.
    public int waiting() {
        return asking.size();
    }
}
