package dev.millrace.sinkpool;

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
    private final PoisonSettings settings;
    private final boolean inOrder;
    private final PoisonShare share;
    private long acceptedNanos;
    private boolean acceptedAny;

    /// `inOrder`: no row is tried that is behind one of which nothing was decided.
    Judge(PoisonSettings settings, boolean inOrder) {
        this.settings = settings;
        this.inOrder = inOrder;
        this.share = new PoisonShare(settings.maxRate());
    }

    PoisonSettings settings() {
        return settings;
    }

    boolean inOrder() {
        return inOrder;
    }

    /// The sink took rows.
    void accepted(long count, long nowNanos) {
        acceptedAny = true;
        acceptedNanos = nowNanos;
        share.decided(count, 0, nowNanos);
    }

    /// A row was set aside as poison.
    void condemned(long nowNanos) {
        share.decided(1, 1, nowNanos);
    }

    /// The shard took something within `poison.evidence`.
    boolean evidence(long nowNanos) {
        return acceptedAny && nowNanos - acceptedNanos <= settings.evidenceNanos();
    }

    /// With `more` set aside too, it would be too many.
    boolean drift(int more, long nowNanos) {
        return share.tooMany(more, nowNanos);
    }

    /// `triedWhole`: the batch was taken apart not long ago, and nothing came of it. `elsewhere` is how many suspects
    /// other batches of the shard have.
    Next next(Isolation of, boolean triedWhole, boolean single, int elsewhere, long nowNanos) {
        var suspects = of.suspects();
        if (!suspects.isEmpty() && drift(suspects.size() + elsewhere, nowNanos)) return Next.DRIFT;
        // A row behind it can't speak for the sink where rows keep their order.
        var bySingle = (single || inOrder) && settings.singleRow() == PoisonSettings.SingleRow.DEAD_LETTER;
        var nothingSpeaks = !of.landed() && !evidence(nowNanos) && !bySingle;
        if (nothingSpeaks && (triedWhole || of.refusals() >= REFUSALS_OF_AN_OUTAGE) && of.refusals() > 0)
            return Next.OUTAGE;
        if (!of.done() && !(inOrder && !suspects.isEmpty())) return Next.PART;
        return nothingSpeaks && !of.allCertain() ? Next.OUTAGE : Next.POISON;
    }
}
