package dev.millrace.sinkpool;

import java.util.ArrayDeque;

/// Decides for one shard whether what was refused is poison, an outage, or a schema that changed, by what the shard
/// decided lately.
///
/// A sink that refuses a row has said nothing of the row until it took another (POI-3, POI-4). A shard that would set
/// aside more than `poison.max_rate` of its rows is not full of poison: its schema changed (POI-13).
///
/// Thread ownership: the shard machine that created it.
final class Judge {
    /// What comes next for a batch that is being taken apart.
    enum Next {
        /// Write the next part.
        PART,
        /// Nothing speaks against the rows: the whole batch is retried.
        OUTAGE,
        /// Too much is refused: nothing is set aside for now.
        DRIFT,
        /// The suspects are poison.
        POISON
    }

    private static final int REFUSALS_OF_AN_OUTAGE = 32;
    private static final int LEAST_OF_A_DRIFT = 100;
    private static final long LEAST_WINDOW_ROWS = 10_000;
    private static final long LEAST_WINDOW_NANOS = 60_000_000_000L;
    private static final long SLOT_NANOS = 1_000_000_000L;

    /// What was decided within one second.
    private static final class Slot {
        final long fromNanos;
        long rows;
        long poison;

        Slot(long fromNanos) {
            this.fromNanos = fromNanos;
        }
    }

    private final PoisonSettings settings;
    private final ArrayDeque<Slot> window = new ArrayDeque<>();
    private long rows;
    private long poison;
    private long acceptedNanos;
    private boolean acceptedAny;

    Judge(PoisonSettings settings) {
        this.settings = settings;
    }

    PoisonSettings settings() {
        return settings;
    }

    /// The sink took rows.
    void accepted(long count, long nowNanos) {
        acceptedAny = true;
        acceptedNanos = nowNanos;
        decided(count, 0, nowNanos);
    }

    /// A row was set aside as poison.
    void condemned(long nowNanos) {
        decided(1, 1, nowNanos);
    }

    private void decided(long count, long poisonCount, long nowNanos) {
        var slot = window.peekLast();
        if (slot == null || nowNanos - slot.fromNanos >= SLOT_NANOS) {
            slot = new Slot(nowNanos);
            window.addLast(slot);
        }
        slot.rows += count;
        slot.poison += poisonCount;
        rows += count;
        poison += poisonCount;
        forget(nowNanos);
    }

    // The window is the last rows or the last seconds, whichever are more.
    private void forget(long nowNanos) {
        for (var oldest = window.peekFirst(); oldest != null; oldest = window.peekFirst()) {
            if (nowNanos - oldest.fromNanos < LEAST_WINDOW_NANOS + SLOT_NANOS || rows - oldest.rows < LEAST_WINDOW_ROWS)
                return;
            window.removeFirst();
            rows -= oldest.rows;
            poison -= oldest.poison;
        }
    }

    /// The shard took something within `poison.evidence`.
    boolean evidence(long nowNanos) {
        return acceptedAny && nowNanos - acceptedNanos <= settings.evidenceNanos();
    }

    /// With `more` set aside too, it would be too many.
    boolean drift(int more, long nowNanos) {
        forget(nowNanos);
        var would = poison + more;
        return would >= LEAST_OF_A_DRIFT && would > settings.maxRate() * (rows + more);
    }

    /// `knownOutage`: the batch was taken apart before, and nothing came of it. `elsewhere` is how many suspects other
    /// batches of the shard have.
    Next next(Isolation of, boolean knownOutage, boolean single, int elsewhere, long nowNanos) {
        var suspects = of.suspects();
        if (!suspects.isEmpty() && drift(suspects.size() + elsewhere, nowNanos)) return Next.DRIFT;
        var bySingle = single && settings.singleRow() == PoisonSettings.SingleRow.DEAD_LETTER;
        var nothingSpeaks = !of.landed() && !evidence(nowNanos) && !bySingle;
        if (nothingSpeaks && (knownOutage || of.refusals() >= REFUSALS_OF_AN_OUTAGE) && of.refusals() > 0)
            return Next.OUTAGE;
        if (!of.done()) return Next.PART;
        return nothingSpeaks && !of.allCertain() ? Next.OUTAGE : Next.POISON;
    }
}
