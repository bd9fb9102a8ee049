package dev.millrace.testkit;

import static dev.millrace.testkit.Fault.ANSWER_GARBLED;
import static dev.millrace.testkit.Fault.ANSWER_LOST;
import static dev.millrace.testkit.Fault.CLOCK_JUMPS;
import static dev.millrace.testkit.Fault.CLOCK_STANDS;
import static dev.millrace.testkit.Fault.COMMIT_LATE;
import static dev.millrace.testkit.Fault.COMMIT_LATER;
import static dev.millrace.testkit.Fault.COMMIT_LOST;
import static dev.millrace.testkit.Fault.COMMIT_REFUSED;
import static dev.millrace.testkit.Fault.COORDINATOR_MOVES;
import static dev.millrace.testkit.Fault.CRASH;
import static dev.millrace.testkit.Fault.DELIVERED_TWICE;
import static dev.millrace.testkit.Fault.DLQ_DOWN;
import static dev.millrace.testkit.Fault.DRAIN;
import static dev.millrace.testkit.Fault.EXCEPTION_BEHIND_ANSWER;
import static dev.millrace.testkit.Fault.FAIL_OVER;
import static dev.millrace.testkit.Fault.GENERATION_SKIPPED;
import static dev.millrace.testkit.Fault.INTERRUPT_IGNORED;
import static dev.millrace.testkit.Fault.LARGE_RECORD;
import static dev.millrace.testkit.Fault.LATE_REQUEST;
import static dev.millrace.testkit.Fault.LETTER_ACK_LOST;
import static dev.millrace.testkit.Fault.LSO_STALLS;
import static dev.millrace.testkit.Fault.MEMBER_FROZEN;
import static dev.millrace.testkit.Fault.MEMBER_LOST;
import static dev.millrace.testkit.Fault.OFFSETS_EXPIRE;
import static dev.millrace.testkit.Fault.OUTAGE_OF_HOURS;
import static dev.millrace.testkit.Fault.PARTIAL_APPLY;
import static dev.millrace.testkit.Fault.PARTITION_ADDED;
import static dev.millrace.testkit.Fault.POISON;
import static dev.millrace.testkit.Fault.PROCESS_FREEZES;
import static dev.millrace.testkit.Fault.REBALANCE;
import static dev.millrace.testkit.Fault.REPLICA_DOWN;
import static dev.millrace.testkit.Fault.REPLICA_HANGS;
import static dev.millrace.testkit.Fault.REPLICA_SLOW;
import static dev.millrace.testkit.Fault.RETENTION;
import static dev.millrace.testkit.Fault.SHARD_DOWN;
import static dev.millrace.testkit.Fault.SINK_POISON;
import static dev.millrace.testkit.Fault.SLOW_DRIP;
import static dev.millrace.testkit.Fault.TABLE_CHANGED;
import static dev.millrace.testkit.Fault.THREAD_LOST;
import static dev.millrace.testkit.Fault.TOPIC_MADE_ANEW;
import static dev.millrace.testkit.Fault.TRUNCATION;

import java.util.Set;

/// What a run has much of. Seeds are dealt to the profiles in turn: general faults alone reach too little.
enum Profile {
    GENERAL(1000, 0.5),
    REBALANCE_STORM(150, 0.25),
    SLOW_SINK(400, 0.25),
    LONG_OUTAGE(700, 0.25),
    COMMIT_TROUBLE(400, 0.25),
    CRASH_STORM(400, 0.25),
    DOUBTFUL_SINK(400, 0.25),
    ZOMBIES(500, 0.25),
    LOG_TROUBLE(500, 0.25),
    POISONED(500, 0.25);

    private final int incidentMillis;
    private final double others;

    Profile(int incidentMillis, double others) {
        this.incidentMillis = incidentMillis;
        this.others = others;
    }

    static Profile of(long seed) {
        return values()[Math.floorMod(seed, values().length)];
    }

    Set<Fault> always() {
        return switch (this) {
            case GENERAL -> Set.of();
            case REBALANCE_STORM -> Set.of(REBALANCE, MEMBER_LOST, MEMBER_FROZEN, GENERATION_SKIPPED);
            case SLOW_SINK -> Set.of(REPLICA_SLOW, REPLICA_HANGS, INTERRUPT_IGNORED, TABLE_CHANGED);
            case LONG_OUTAGE -> Set.of(SHARD_DOWN, REPLICA_DOWN, DRAIN, OUTAGE_OF_HOURS, CRASH);
            case POISONED ->
                Set.of(SINK_POISON, POISON, DLQ_DOWN, LETTER_ACK_LOST, CRASH, DRAIN, ANSWER_LOST, THREAD_LOST);
            case COMMIT_TROUBLE -> Set.of(COMMIT_LOST, COMMIT_LATE, COMMIT_REFUSED, COMMIT_LATER, COORDINATOR_MOVES);
            case CRASH_STORM -> Set.of(CRASH, ANSWER_LOST, THREAD_LOST, REPLICA_DOWN, OFFSETS_EXPIRE);
            case DOUBTFUL_SINK ->
                Set.of(
                        PARTIAL_APPLY,
                        EXCEPTION_BEHIND_ANSWER,
                        ANSWER_GARBLED,
                        SLOW_DRIP,
                        DELIVERED_TWICE,
                        LATE_REQUEST,
                        FAIL_OVER);
            case ZOMBIES -> Set.of(PROCESS_FREEZES, CLOCK_JUMPS, CLOCK_STANDS, LATE_REQUEST);
            case LOG_TROUBLE ->
                Set.of(
                        RETENTION,
                        TRUNCATION,
                        TOPIC_MADE_ANEW,
                        PARTITION_ADDED,
                        LSO_STALLS,
                        POISON,
                        LARGE_RECORD,
                        CRASH);
        };
    }

    /// The mean time between two incidents.
    int incidentMillis() {
        return incidentMillis;
    }

    /// How likely a run has each of the other faults.
    double others() {
        return others;
    }
}
