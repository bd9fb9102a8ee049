package dev.millrace.testkit;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// Numbers the faults of a run, leaves out those that are suppressed, and keeps the list of the rest.
///
/// Thread ownership: the run.
final class FaultScript {
    /// A fault that happened.
    record Happened(FaultId fault, long atNanos) {
        @Override
        public String toString() {
            return fault.kind() + " " + fault.number() + " at " + atNanos / Chance.MILLI + " ms";
        }
    }

    private final Suppressed suppressed;
    private final Map<Fault, int[]> numbers = new EnumMap<>(Fault.class);
    private final List<Happened> happened = new ArrayList<>();

    FaultScript(Suppressed suppressed) {
        this.suppressed = suppressed;
    }

    /// The next fault of this kind is due. Returns whether it happens.
    boolean happens(Fault kind, long atNanos) {
        var fault = new FaultId(kind, ++numbers.computeIfAbsent(kind, _ -> new int[1])[0]);
        if (suppressed.leavesOut(fault)) return false;
        happened.add(new Happened(fault, atNanos));
        return true;
    }

    List<Happened> happened() {
        return List.copyOf(happened);
    }
}
