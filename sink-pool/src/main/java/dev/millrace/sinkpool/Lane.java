package dev.millrace.sinkpool;

import org.jspecify.annotations.Nullable;

/// What the producers of one stripe have to themselves: slots of their share that they may take without asking, and
/// the items they put here since it was last emptied, the newest on top.
///
/// Slots and bytes stand in one word, so that both change in one step. Slots are never owed; bytes may be, since an
/// item with a slot is taken in whatever it weighs. Nothing waits here, and a producer that is stopped half-way holds
/// nobody up.
///
/// Invariant: a slot is here, free in its share, or taken, never two of these; an item that was put is drained once.
///
/// Thread ownership: shared; `drain` and `close` one caller each.
final class Lane<T> extends LaneState<T> {
    /// What became of an item.
    enum Put {
        /// It is the first since the lane was emptied: whoever empties it may be asleep.
        FIRST,
        MORE,
        /// Nothing is put here any more.
        CLOSED
    }

    /// So many bytes are taken from a lane at once; more are taken from the share.
    static final int MOST_BYTES = 1 << 20;

    /// What has its slot is charged here until a lane owes so much. [#take] may owe more: all but one byte of an item.
    private static final int MOST_OWED = 1 << 16;

    long q00, q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

    private static long credit(long slots, long bytes) {
        return (slots << 32) + bytes;
    }

    static int slots(long credit) {
        return (int) ((credit - (int) credit) >> 32);
    }

    static int bytes(long credit) {
        return (int) credit;
    }

    /// Takes slots, and bytes of which there is at least one; false if there is not enough.
    boolean take(int slots, int bytes) {
        while (true) {
            var now = credit;
            if (slots(now) < slots || bytes(now) <= 0) return false;
            if (CREDIT.compareAndSet(this, now, now - credit(slots, bytes))) return true;
        }
    }

    /// Takes bytes, and owes those it has not; false if that were too many.
    boolean charge(int bytes) {
        while (true) {
            var now = credit;
            if (bytes(now) - bytes < -MOST_OWED) return false;
            if (CREDIT.compareAndSet(this, now, now - bytes)) return true;
        }
    }

    void give(int slots, int bytes) {
        CREDIT.getAndAdd(this, credit(slots, bytes));
    }

    /// Takes back what is left, and what is owed; see [#slots(long)] and [#bytes(long)].
    long takeBack() {
        return credit == 0 ? 0 : (long) CREDIT.getAndSet(this, 0L);
    }

    /// What is left at this moment.
    long credit() {
        return credit;
    }

    Put put(Link.Item<T> item) {
        while (true) {
            var newest = top;
            if (newest instanceof Link.End<T>) return Put.CLOSED;
            var before = (Link.Item<T>) newest;
            item.next = before;
            item.count = before == null ? 1 : before.count + 1;
            if (TOP.compareAndSet(this, before, item)) return before == null ? Put.FIRST : Put.MORE;
        }
    }

    boolean isEmpty() {
        return items() == 0;
    }

    /// How many lie here.
    int items() {
        return switch (top) {
            case null -> 0;
            case Link.End<T> end -> count(end.next);
            case Link.Item<T> item -> item.count;
        };
    }

    private static int count(Link.@Nullable Item<?> newest) {
        return newest == null ? 0 : newest.count;
    }

    /// Takes all items out, in the order in which they were put; the first tells how many. Null if there are none.
    Link.@Nullable Item<T> drain() {
        while (true) {
            var newest = top;
            switch (newest) {
                case null -> {
                    return null;
                }
                case Link.End<T> end -> {
                    var rest = end.next;
                    end.next = null;
                    return rest == null ? null : oldestFirst(rest);
                }
                case Link.Item<T> item -> {
                    if (TOP.compareAndSet(this, item, null)) return oldestFirst(item);
                }
            }
        }
    }

    private static <T> Link.Item<T> oldestFirst(Link.Item<T> newest) {
        var count = newest.count;
        Link.@Nullable Item<T> after = null;
        var at = newest;
        while (true) {
            var before = at.next;
            at.next = after;
            if (before == null) {
                at.count = count;
                return at;
            }
            after = at;
            at = before;
        }
    }

    /// What is put from now on is refused; what is in it can still be drained.
    void close() {
        var end = new Link.End<T>();
        while (true) {
            var newest = top;
            if (newest instanceof Link.End<T>) return;
            end.next = (Link.Item<T>) newest;
            if (TOP.compareAndSet(this, newest, end)) return;
        }
    }
}
