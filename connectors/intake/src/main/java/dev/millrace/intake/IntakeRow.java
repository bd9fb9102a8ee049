package dev.millrace.intake;

import org.jspecify.annotations.Nullable;

/// One row of a request for one sink, encoded already: the item that a front takes in.
///
/// Its bytes are let go once the front has copied them; until its end it only says of which request it is, and of
/// which line.
///
/// Thread ownership: the request's thread until it is staged, then the front's.
public final class IntakeRow {
    private final Outcome outcome;
    private final String topic;
    private final String sink;
    private final int line;
    private final int shard;
    private final int layout;
    private final int keyHash;
    private final int from;
    private final int to;
    private byte @Nullable [] bytes;

    /// The row is `bytes[from, to)`, which nobody changes any more.
    IntakeRow(Outcome outcome, Place place, byte[] bytes, int from, int to) {
        this.outcome = outcome;
        this.topic = place.topic();
        this.sink = place.sink();
        this.line = place.line();
        this.shard = place.shard();
        this.layout = place.layout();
        this.keyHash = place.keyHash();
        this.bytes = bytes;
        this.from = from;
        this.to = to;
    }

    /// Which line of which topic, where it goes, and by what it keeps its order.
    record Place(String topic, String sink, int line, int shard, int layout, int keyHash) {}

    Outcome outcome() {
        return outcome;
    }

    String topic() {
        return topic;
    }

    String sink() {
        return sink;
    }

    int line() {
        return line;
    }

    int shard() {
        return shard;
    }

    int layout() {
        return layout;
    }

    int keyHash() {
        return keyHash;
    }

    int length() {
        return to - from;
    }

    int from() {
        return from;
    }

    /// Its bytes, for the one who copies them: they are gone from here.
    byte[] takeBytes() {
        var held = bytes;
        if (held == null) throw new IllegalStateException("the bytes of line " + line + " were taken already");
        bytes = null;
        return held;
    }
}
