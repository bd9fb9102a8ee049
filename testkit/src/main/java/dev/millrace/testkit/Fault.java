package dev.millrace.testkit;

/// A kind of fault that a run may have. Each seed takes a random subset (swarm), since faults hide one another.
enum Fault {
    CRASH,
    DRAIN,
    REBALANCE,
    MEMBER_LOST,
    MEMBER_STALLS,
    REPLICA_DOWN,
    REPLICA_HANGS,
    REPLICA_SLOW,
    SHARD_DOWN,
    OVERLOAD,
    MISCONFIGURED,
    REFUSED,
    ANSWER_LOST,
    ERROR_BEFORE_STORE,
    THREAD_LOST,
    BAD_RECEIPT,
    INTERRUPT_IGNORED,
    COMMIT_LOST,
    COMMIT_LATE,
    COMMIT_REFUSED,
    COMMIT_LATER,
    LATE_TIMER
}
