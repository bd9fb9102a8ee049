package dev.millrace.testkit;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/// All that one run holds.
///
/// Thread ownership: the run.
final class World {
    final Scenario scenario;
    final Chance chance;
    final Agenda agenda;
    final FaultScript faults;
    final Trace trace = new Trace();
    final FakeLog log;
    final FakeGroup group;
    final FakeSink sink;
    final FakeDeadLetters letters;
    final Operator operator;
    final OrderOracle order;
    final List<PipelineProcess> processes = new ArrayList<>();
    private final Map<Sometimes, int[]> reached = new EnumMap<>(Sometimes.class);
    private long runs;
    private long epochs;
    private int layout;
    private boolean healed;
    private boolean planLost;
    private long outageEnds;

    World(long seed, Suppressed suppressed) {
        chance = new Chance(new SplittableRandom(seed));
        scenario = Scenario.of(seed, chance, suppressed);
        faults = new FaultScript(suppressed);
        agenda = new Agenda();
        log = new FakeLog(this);
        group = new FakeGroup(this);
        sink = new FakeSink(this);
        letters = new FakeDeadLetters(this);
        operator = new Operator(this);
        order = new OrderOracle(this);
    }

    /// What a wall clock shows: every process the same.
    Instant wall() {
        return Instant.ofEpochMilli(1_700_000_000_000L + agenda.elapsed() / 1_000_000);
    }

    /// What was planned is not known any more, by what befell the group: rows may be stored again,
    /// and nobody can count them.
    void planLost() {
        planLost = true;
    }

    boolean isPlanLost() {
        return planLost;
    }

    void note(String what, long a, long b) {
        trace.add(agenda.elapsed(), what, a, b);
    }

    void reached(Sometimes state) {
        reached.computeIfAbsent(state, _ -> new int[1])[0]++;
    }

    Map<Sometimes, Integer> reached() {
        var out = new EnumMap<Sometimes, Integer>(Sometimes.class);
        reached.forEach((state, times) -> out.put(state, times[0]));
        return out;
    }

    /// Numbers process runs: no two have the same.
    long nextRun() {
        return ++runs;
    }

    /// What the tables of the sink are like: the number of times they were changed.
    int layout() {
        return layout;
    }

    /// The tables change now; who writes to them sees that within so long.
    void tableChanged(long noticedNanos) {
        layout++;
        note("table changes", layout, noticedNanos);
        for (var process : List.copyOf(processes)) process.tableChanged(chance.between(0, noticedNanos));
    }

    /// Everything is down for so long, and nothing else befalls anybody.
    void outage(long nanos) {
        note("outage", nanos, 0);
        outageEnds = agenda.elapsed() + nanos;
    }

    /// How long the outage of everything goes on; 0 if there is none.
    long outageNanos() {
        return Math.max(0, outageEnds - agenda.elapsed());
    }

    /// When the world is healed.
    long chaosEnds() {
        return Math.max(scenario.chaosNanos(), outageEnds);
    }

    /// Numbers stretches of owning, over all processes.
    long nextEpoch() {
        return ++epochs;
    }

    /// There is something new in a partition's log.
    void dataAt(int slot) {
        for (var process : processes) for (var member : process.members()) member.dataAt(slot);
    }

    boolean healed() {
        return healed;
    }

    void heal() {
        healed = true;
        note("heal", 0, 0);
        log.heal();
        group.heal();
        sink.heal();
        letters.heal();
        operator.heal();
    }

    /// A fault of this kind happens here: never once the world is healed.
    boolean strikes(Fault fault, double share) {
        return !healed
                && scenario.dealt().contains(fault)
                && chance.of(share)
                && faults.happens(fault, agenda.elapsed());
    }
}
