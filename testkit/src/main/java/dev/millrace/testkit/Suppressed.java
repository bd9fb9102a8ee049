package dev.millrace.testkit;

import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// What a run leaves out of what its seed deals: whole kinds of fault, single faults, and all that is above a size.
record Suppressed(Set<Fault> kinds, Set<FaultId> faults, Map<Size, Integer> sizes) {
    /// How much of something a scenario has.
    enum Size {
        TOPICS,
        PARTITIONS,
        RECORDS,
        PROCESSES,
        MEMBERS,
        SHARDS,
        REPLICAS
    }

    static final Suppressed NOTHING = new Suppressed(Set.of(), Set.of(), Map.of());

    Suppressed {
        kinds = Set.copyOf(kinds);
        faults = Set.copyOf(faults);
        sizes = Map.copyOf(sizes);
    }

    boolean leavesOut(Fault kind) {
        return kinds.contains(kind);
    }

    boolean leavesOut(FaultId fault) {
        return kinds.contains(fault.kind()) || faults.contains(fault);
    }

    /// What is left of a size that the seed deals.
    int of(Size size, int dealt) {
        return Math.min(dealt, sizes.getOrDefault(size, dealt));
    }

    Suppressed and(Fault kind) {
        var more = new HashSet<>(kinds);
        more.add(kind);
        return new Suppressed(more, faults, sizes);
    }

    Suppressed and(Collection<FaultId> single) {
        var more = new HashSet<>(faults);
        more.addAll(single);
        return new Suppressed(kinds, more, sizes);
    }

    Suppressed atMost(Size size, int most) {
        var more = new EnumMap<Size, Integer>(Size.class);
        more.putAll(sizes);
        more.put(size, most);
        return new Suppressed(kinds, faults, more);
    }
}
