package dev.millrace.sinkpool;

/// Says of each batch whether its sink is sure to recognise it still, if it had it before (EO-10).
///
/// The age of a batch counts from the first instant at which anybody may have sent a byte of it,
/// by the monotonic clock and what the wall clock leapt ahead of that: a machine that slept has both.
///
/// Thread ownership: the shard machine that created it.
final class TokenAges {
    enum Age {
        SURE,
        /// Past half of the window.
        HALF,
        EXPIRED
    }

    private Recognition recognition = Recognition.SHARED;
    private long leaptNanos;

    void known(Recognition now) {
        recognition = now;
    }

    void leapt(long nanos) {
        leaptNanos += nanos;
    }

    Recognition recognition() {
        return recognition;
    }

    long ageNanos(PlannedSegment segment, long nowNanos) {
        return nowNanos - segment.sinceNanos() + leaptNanos;
    }

    /// How many of the rows that are about to be sent the sink may have without recognising them:
    /// under tokens of parts of them, or of what they are a part of; under one that it forgot; or
    /// at another replica. Counted before they are sent, once for each token, since nobody may
    /// live to count them afterwards.
    long perhapsUnrecognised(Delivery delivery) {
        var segment = delivery.batch().segment();
        if (segment == null || recognition.byRow() || !delivery.sendsAnew()) return 0;
        var forgotten = delivery.expired() && !recognition.readable();
        var elsewhere = segment.replayed() && recognition.log() != TokenLog.SHARED;
        // Whoever had it before may have stored all of it: what is taken apart now has other tokens.
        var apart = segment.split() || (segment.replayed() && !delivery.token().whole());
        return forgotten || elsewhere || apart ? delivery.rows().rows() : 0;
    }

    Age of(SealedBatch batch, long nowNanos) {
        var segment = batch.segment();
        var window = recognition.windowNanos();
        if (segment == null || window == NanoClock.NEVER || recognition.log() == TokenLog.NONE) return Age.SURE;
        var age = ageNanos(segment, nowNanos);
        if (age >= window) return Age.EXPIRED;
        return age >= window / 2 ? Age.HALF : Age.SURE;
    }
}
