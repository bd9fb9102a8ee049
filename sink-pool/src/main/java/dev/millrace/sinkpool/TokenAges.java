package dev.millrace.sinkpool;

import java.util.ArrayDeque;

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

    /// So many leaps are told apart; of two that are not, the age is the larger.
    private static final int MOST_LEAPS = 64;

    /// So far the wall clock went ahead of the monotonic one, as was found then.
    private record Leap(long foundNanos, long byNanos) {}

    private final ArrayDeque<Leap> leaps = new ArrayDeque<>();
    private Recognition recognition = Recognition.SHARED;

    void known(Recognition now) {
        recognition = now;
    }

    void leapt(long byNanos, long nowNanos) {
        leaps.addLast(new Leap(nowNanos, byNanos));
        if (leaps.size() <= MOST_LEAPS) return;
        var oldest = leaps.removeFirst();
        var next = leaps.removeFirst();
        leaps.addFirst(new Leap(next.foundNanos, oldest.byNanos + next.byNanos));
    }

    Recognition recognition() {
        return recognition;
    }

    /// A leap that was over when it was cut does not make it older.
    long ageNanos(PlannedSegment segment, long nowNanos) {
        var since = segment.sinceNanos();
        var age = nowNanos - since;
        for (var leap : leaps) if (leap.foundNanos - since > 0) age += leap.byNanos;
        return age;
    }

    /// How many of the rows that are about to be sent the sink may have without recognising them:
    /// under tokens of parts of them, or of what they are a part of; under one that it forgot; or
    /// at another replica. Counted before they are sent, once for each token, since nobody may
    /// live to count them afterwards.
    long perhapsUnrecognised(Delivery delivery) {
        var segment = delivery.batch().segment();
        if (segment == null || recognition.byRow() || !delivery.sendsAnew()) return 0;
        var forgotten = delivery.expired() && !recognition.readable();
        var elsewhere = segment.replayed() && (recognition.log() != TokenLog.SHARED || remembersNothing());
        return forgotten || elsewhere || (apart(delivery, segment) && !recognition.readable())
                ? delivery.rows().rows()
                : 0;
    }

    /// What the sink has of the rows is read before they are sent: it may have forgotten their
    /// token, or have them under those of other parts of their batch (EO-7, EO-10).
    boolean readsFirst(Delivery delivery) {
        var segment = delivery.batch().segment();
        if (segment == null || recognition.byRow()) return delivery.expired();
        return delivery.expired() || (recognition.readable() && apart(delivery, segment));
    }

    // Whoever had it before may have stored all of it, or parts: what is sent now may have other tokens.
    private static boolean apart(Delivery delivery, PlannedSegment segment) {
        return segment.split() || (segment.replayed() && !delivery.token().whole());
    }

    /// Then no age makes a token worse than it was, and nothing waits for it: the level says so. What
    /// can be read is read.
    private boolean remembersNothing() {
        return recognition.log() == TokenLog.NONE || (recognition.windowNanos() == 0 && !recognition.readable());
    }

    Age of(SealedBatch batch, long nowNanos) {
        var segment = batch.segment();
        var window = recognition.windowNanos();
        if (segment == null || window == NanoClock.NEVER || remembersNothing()) return Age.SURE;
        var age = ageNanos(segment, nowNanos);
        if (age >= window) return Age.EXPIRED;
        return age >= window / 2 ? Age.HALF : Age.SURE;
    }
}
