package dev.millrace.sinkpool;

/// Slots that a producer holds, each for one item. An item that spends one is taken in, whatever it weighs; from then
/// on it is the front's, and its slot comes back when it is written or lost.
///
/// `close` gives back the slots that are left. Those that are neither spent nor given back stay taken, beyond the close
/// of the front, which tells of them.
///
/// Thread ownership: one thread at a time.
public final class Reservation<T> implements Reserved<T>, AutoCloseable {
    private final Door<T> door;
    private int left;

    Reservation(Door<T> door, int slots) {
        this.door = door;
        this.left = slots;
    }

    /// Spends a slot on this item. False if the front was closed meanwhile: the item is counted as lost. Never waits;
    /// throws only if no slot is left.
    public boolean stage(String tenant, T item) {
        if (left == 0) throw new IllegalStateException("no slot is left in the reservation");
        var in = door.spend(tenant, item);
        left--; // not before: one that could not be spent is given back
        return in;
    }

    public int left() {
        return left;
    }

    /// A second time does nothing.
    @Override
    public void close() {
        var back = left;
        left = 0;
        if (back > 0) door.giveBack(back);
    }
}
