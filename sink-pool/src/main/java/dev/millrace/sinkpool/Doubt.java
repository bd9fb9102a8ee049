package dev.millrace.sinkpool;

import java.util.BitSet;

/// Where rows that went out under one token may be stored, though no attempt said that they are.
///
/// Thread ownership: the shard machine that created it.
final class Doubt {
    private final int first;
    private final long sinceNanos;
    private final BitSet replicas = new BitSet();
    private int attempts;
    private boolean over;
    private boolean freed;

    /// The first of these attempts ended at `nowNanos`.
    Doubt(int replica, long nowNanos) {
        this.first = replica;
        this.sinceNanos = nowNanos;
    }

    void ambiguousAt(int replica) {
        attempts++;
        replicas.set(replica);
    }

    /// The replica of the first such attempt.
    int first() {
        return first;
    }

    long sinceNanos() {
        return sinceNanos;
    }

    /// `ambiguous.pin_for` is over, and that was told. If `freed`, the rows may go to any replica
    /// from now on.
    void over(boolean frees) {
        over = true;
        freed = frees;
    }

    boolean over() {
        return over;
    }

    boolean freed() {
        return freed;
    }

    /// The most copies that are stored beside the one that `replica` just took, or knew, under the
    /// same token.
    int copiesBeside(int replica, TokenLog log) {
        return switch (log) {
            case SHARED -> 0;
            case UNSHARED -> replicas.cardinality() - (replicas.get(replica) ? 1 : 0);
            case NONE -> attempts;
        };
    }

    /// The most copies that are stored under this token.
    int copies(TokenLog log) {
        return switch (log) {
            case SHARED -> 1;
            case UNSHARED -> replicas.cardinality();
            case NONE -> attempts;
        };
    }
}
