package dev.millrace.testkit;

/// Who is in the group, and which partitions each is to have: one of Kafka's protocols. Sets of slots are bits of a
/// long.
///
/// A client learns by [#poll]; `news` tells it that there is something. Commits are checked by what a client stamped
/// on them when it sent them, never by who owns a partition, as Kafka does.
///
/// Thread ownership: the run.
interface Membership {
    /// What a poll tells a member.
    sealed interface Told {
        record Nothing() implements Told {}

        /// Give these up, then say [Membership#revoked].
        record Revoke(long slots) implements Told {}

        /// These come in addition.
        record Assigned(long slots) implements Told {}

        /// Put out of the group: everything is lost.
        record Lost() implements Told {}
    }

    /// What a coordinator says of a stamp.
    enum Stamp {
        CURRENT,
        STALE,
        UNKNOWN
    }

    Told NOTHING = new Told.Nothing();
    Told LOST = new Told.Lost();

    long join(Runnable news);

    /// Left, or put out.
    void remove(long seat);

    /// Puts a random member out.
    void evictAny();

    Told poll(long seat);

    /// What it was told to give up it has given up.
    void revoked(long seat);

    void rebalance();

    long stamp(long seat);

    Stamp check(long seat, long stamp);

    /// Whether another may have this slot though the seat's stamp is current: under the newer protocol alone.
    default boolean gaveUp(long seat, int slot) {
        return false;
    }

    boolean isEmpty();

    boolean has(long seat);
}
