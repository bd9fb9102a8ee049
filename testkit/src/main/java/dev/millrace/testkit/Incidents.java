package dev.millrace.testkit;

import static dev.millrace.testkit.Chance.MILLI;

import dev.millrace.testkit.FakeSink.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Lets faults of whole parts happen at random times: processes, members, replicas, the group.
///
/// Thread ownership: the run.
final class Incidents {
    static final List<Fault> KINDS = List.of(
            Fault.CRASH,
            Fault.DRAIN,
            Fault.REBALANCE,
            Fault.MEMBER_LOST,
            Fault.MEMBER_STALLS,
            Fault.REPLICA_DOWN,
            Fault.REPLICA_HANGS,
            Fault.REPLICA_SLOW,
            Fault.SHARD_DOWN,
            Fault.OVERLOAD,
            Fault.MISCONFIGURED,
            Fault.REFUSED,
            Fault.COMMIT_REFUSED,
            Fault.REPLICA_FLAPS,
            Fault.READ_ONLY,
            Fault.AUTHENTICATION_EXPIRES,
            Fault.FAIL_OVER,
            Fault.OUTAGE_OF_HOURS,
            Fault.PROCESS_FREEZES,
            Fault.WORKER_ERROR,
            Fault.CLOCK_JUMPS,
            Fault.CLOCK_STANDS,
            Fault.MEMBER_FROZEN,
            Fault.RETENTION,
            Fault.TRUNCATION,
            Fault.TOPIC_MADE_ANEW,
            Fault.PARTITION_ADDED,
            Fault.LSO_STALLS,
            Fault.FETCH_SLOW,
            Fault.COORDINATOR_MOVES,
            Fault.DLQ_DOWN,
            Fault.TABLE_CHANGED,
            Fault.OFFSETS_ROLL_BACK,
            Fault.PING_LIES);

    private static final long HOUR_NANOS = 3_600_000_000_000L;
    private static final long MOST_PROBES = 1_000;

    /// Sets the script's chances apart from the others that a seed gives.
    private static final long SCRIPT = 1;

    private final World world;
    private final List<Fault> kinds = new ArrayList<>();
    private long number;

    /// The chances of the incident that is next, or happens now.
    private Chance chance;

    Incidents(World world) {
        this.world = world;
        chance = world.chance;
        for (var kind : KINDS) {
            if (!world.scenario.dealt().contains(kind)) continue;
            kinds.add(kind);
            // What a profile is about happens more often than the rest.
            if (world.scenario.profile().always().contains(kind)) kinds.addAll(List.of(kind, kind));
        }
    }

    void begin() {
        if (!kinds.isEmpty()) next();
    }

    /// Each incident has chances of its own, so that the script stays as it is whatever else happens in
    /// the run, or is left out of it.
    private void next() {
        chance = new Chance(new SplittableRandom(Mix.of(world.scenario.seed(), SCRIPT, ++number)));
        var mean = world.scenario.profile().incidentMillis();
        world.agenda.in(world.outageNanos() + chance.millis(mean / 10, 2L * mean), () -> {
            if (world.healed()) return;
            var kind = chance.any(kinds);
            if (world.faults.happens(kind, world.agenda.elapsed())) strike(kind);
            next();
        });
    }

    private void strike(Fault kind) {
        var process = chance.any(world.processes);
        world.note("incident " + kind, 0, 0);
        switch (kind) {
            case CRASH -> process.crashAfter(chance.spread(1, 200));
            case DRAIN -> process.drain(chance.of(0.1) ? 0 : chance.spreadMillis(1, 5_000));
            case REBALANCE -> world.group.rebalance();
            case MEMBER_LOST -> world.group.evictAny();
            case MEMBER_STALLS -> process.stallAMember(chance.spreadMillis(100, 3_000));
            case REPLICA_DOWN -> replica(Mode.DOWN);
            case REPLICA_HANGS -> replica(Mode.HANGS);
            case REPLICA_SLOW -> replica(Mode.SLOW);
            case SHARD_DOWN -> shard(chance.of(0.6) ? Mode.DOWN : Mode.HANGS);
            case OVERLOAD -> shard(Mode.OVERLOADED);
            case MISCONFIGURED -> shard(Mode.MISCONFIGURED);
            case REFUSED -> shard(chance.of(0.5) ? Mode.REFUSES : Mode.TOO_LARGE);
            case COMMIT_REFUSED -> {
                world.group.refuse(chance.any(world.log.partitions()), chance.of(0.5), chance.of(0.5));
                world.agenda.in(lasts(), () -> {
                    if (!world.healed()) world.group.refuseNone();
                });
            }
            case REPLICA_FLAPS -> flap();
            case READ_ONLY -> replica(Mode.READ_ONLY);
            case AUTHENTICATION_EXPIRES -> everyShard(Mode.MISCONFIGURED);
            case FAIL_OVER -> failOver();
            case OUTAGE_OF_HOURS -> outage();
            case PROCESS_FREEZES -> process.freeze(chance.spreadMillis(100, 10_000));
            case WORKER_ERROR -> process.failAWorker(chance.between(1, 20));
            case CLOCK_JUMPS -> process.jumpClock(chance.spreadMillis(10, 3_600_000));
            case CLOCK_STANDS -> process.standClock(chance.spreadMillis(1, 3_000));
            case MEMBER_FROZEN -> process.freezeAMember(chance.spreadMillis(500, 15_000));
            case RETENTION -> world.log.retain();
            case TRUNCATION -> world.log.truncate();
            case TOPIC_MADE_ANEW -> world.log.makeAnew();
            case PARTITION_ADDED -> world.log.grow();
            case LSO_STALLS -> world.log.stallStable(chance.spreadMillis(100, 5_000));
            case FETCH_SLOW -> world.log.slow(chance.spreadMillis(50, 3_000));
            case COORDINATOR_MOVES -> world.group.move(chance.spreadMillis(50, 3_000));
            case DLQ_DOWN -> world.letters.down(chance.spreadMillis(100, 20_000));
            case OFFSETS_ROLL_BACK -> {
                // What it costs nobody can count (O3), so few runs have it.
                if (chance.of(0.15)) world.group.rollBack(chance);
            }
            case PING_LIES -> lies();
            case TABLE_CHANGED -> world.tableChanged(chance.spreadMillis(1, 10_000));
            case ANSWER_LOST,
                    ERROR_BEFORE_STORE,
                    THREAD_LOST,
                    BAD_RECEIPT,
                    INTERRUPT_IGNORED,
                    COMMIT_LOST,
                    COMMIT_LATE,
                    COMMIT_LATER,
                    PLAN_DAMAGED,
                    LATE_TIMER,
                    PARTIAL_APPLY,
                    EXCEPTION_BEHIND_ANSWER,
                    ANSWER_GARBLED,
                    SLOW_DRIP,
                    DELIVERED_TWICE,
                    LATE_REQUEST,
                    OTHER_SETTINGS,
                    GENERATION_SKIPPED,
                    POISON,
                    SINK_POISON,
                    LETTER_ACK_LOST,
                    LARGE_RECORD,
                    OFFSETS_EXPIRE -> throw new IllegalStateException(kind + " is no incident");
        }
    }

    private long lasts() {
        return chance.spread(20 * MILLI, world.scenario.chaosNanos());
    }

    private void replica(Mode mode) {
        var sink = world.scenario.sink();
        mode(chance.between(0, sink.shards() - 1), chance.between(0, sink.replicas() - 1), mode, lasts());
    }

    /// Whoever asks a replica how it is hears the contrary: a balancer answers for it, or one blocks
    /// what only looks.
    private void lies() {
        var sink = world.scenario.sink();
        var shard = chance.between(0, sink.shards() - 1);
        var replica = chance.between(0, sink.replicas() - 1);
        var lasts = lasts();
        if (chance.of(0.5)) mode(shard, replica, Mode.DOWN, lasts);
        world.sink.lies(shard, replica, true);
        world.agenda.in(lasts, () -> world.sink.lies(shard, replica, false));
    }

    private void shard(Mode mode) {
        var sink = world.scenario.sink();
        var shard = chance.between(0, sink.shards() - 1);
        var lasts = lasts();
        for (var replica = 0; replica < sink.replicas(); replica++) mode(shard, replica, mode, lasts);
    }

    private void everyShard(Mode mode) {
        world.reached(Sometimes.AUTHENTICATION_EXPIRED);
        var sink = world.scenario.sink();
        var lasts = lasts();
        for (var shard = 0; shard < sink.shards(); shard++)
            for (var replica = 0; replica < sink.replicas(); replica++) mode(shard, replica, mode, lasts);
    }

    /// A replica comes and goes, faster than a breaker opens and closes.
    private void flap() {
        var sink = world.scenario.sink();
        var shard = chance.between(0, sink.shards() - 1);
        var replica = chance.between(0, sink.replicas() - 1);
        world.reached(Sometimes.REPLICA_FLAPPED);
        var at = 0L;
        for (var i = chance.between(2, 12); i > 0; i--) {
            at += chance.spreadMillis(1, 400);
            world.agenda.in(at, () -> {
                if (!world.healed()) world.sink.mode(shard, replica, Mode.DOWN);
            });
            at += chance.spreadMillis(1, 400);
            world.agenda.in(at, () -> world.sink.mode(shard, replica, Mode.WELL));
        }
    }

    /// Once in a run at most, and no longer than breakers take for so many probes.
    private void outage() {
        if (world.chaosEnds() > world.scenario.chaosNanos() || !chance.of(0.06)) return;
        var most = 4 * HOUR_NANOS;
        for (var process : world.processes) most = Math.min(most, process.outageNanos(MOST_PROBES));
        if (most == 0) return;
        var lasts = chance.between(most * 3 / 4, most);
        if (lasts >= HOUR_NANOS) world.reached(Sometimes.OUTAGE_OF_HOURS);
        world.sink.outage(chance.of(0.7) ? Mode.DOWN : Mode.HANGS);
        world.outage(lasts);
    }

    private void failOver() {
        var sink = world.scenario.sink();
        var shard = chance.between(0, sink.shards() - 1);
        var replica = chance.between(0, sink.replicas() - 1);
        world.sink.failOver(shard, replica);
        mode(shard, replica, Mode.DOWN, lasts());
    }

    private void mode(int shard, int replica, Mode mode, long lasts) {
        world.sink.mode(shard, replica, mode);
        world.agenda.in(lasts, () -> world.sink.mode(shard, replica, Mode.WELL));
    }
}
