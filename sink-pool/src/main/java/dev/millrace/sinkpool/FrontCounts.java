package dev.millrace.sinkpool;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/// What a front has done so far. Outlives its workers: taken in = written + skipped + rejected + unreachable + those
/// that the end came upon + still out.
///
/// Thread ownership: shared.
public final class FrontCounts {
    private final LongAdder taken = new LongAdder();
    private final LongAdder written = new LongAdder();
    private final LongAdder skipped = new LongAdder();
    private final LongAdder inDoubt = new LongAdder();
    private final Map<Loss, LongAdder> lost = adders(Loss.class);
    private final Map<Refusal.Limit, LongAdder> refused = adders(Refusal.Limit.class);

    private static <E extends Enum<E>> Map<E, LongAdder> adders(Class<E> constants) {
        var out = new EnumMap<E, LongAdder>(constants);
        for (var constant : constants.getEnumConstants()) out.put(constant, new LongAdder());
        return Collections.unmodifiableMap(out);
    }

    private static <E extends Enum<E>> LongAdder of(Map<E, LongAdder> adders, E constant) {
        return Objects.requireNonNull(adders.get(constant));
    }

    void took(long items) {
        taken.add(items);
    }

    void wrote(long items) {
        written.add(items);
    }

    void skip() {
        skipped.increment();
    }

    void lose(Loss why, long items) {
        of(lost, why).add(items);
    }

    /// They are counted as lost, and may be stored.
    void doubt(long items) {
        inDoubt.add(items);
    }

    void refuse(Refusal.Limit by) {
        of(refused, by).increment();
    }

    /// Items that got a slot and are on their way, or were.
    public long taken() {
        return taken.sum();
    }

    public long written() {
        return written.sum();
    }

    /// Left out by the encoder, on purpose.
    public long skipped() {
        return skipped.sum();
    }

    public long lost(Loss why) {
        return of(lost, why).sum();
    }

    /// Of those lost: given up after a write of which nobody knows how it ended.
    public long inDoubt() {
        return inDoubt.sum();
    }

    /// Reservations that were refused.
    public long refused(Refusal.Limit by) {
        return of(refused, by).sum();
    }
}
