package dev.millrace.checkpoint;

/// Offsets `[from, to)` of one partition whose rows go to each shard as one batch, under a token
/// that anybody who rebuilds the batch gets again.
///
/// `cutSeconds` is when it was cut, in seconds since 1970 on the clock of who cut it: no byte of
/// it was sent before.
/// `bytes` is what its rows took encoded. `split`: parts of its batches may have been sent under
/// tokens of their own.
public record Segment(long from, long to, long cutSeconds, long bytes, boolean split) {
    public Segment {
        if (from < 0 || to <= from)
            throw new IllegalArgumentException("segment [" + from + ", " + to + ") is empty or negative");
        if (cutSeconds < 0 || bytes < 0)
            throw new IllegalArgumentException("segment cut at " + cutSeconds + " s of " + bytes + " bytes");
    }

    Segment asSplit() {
        return split ? this : new Segment(from, to, cutSeconds, bytes, true);
    }

    @Override
    public String toString() {
        return "[" + from + ", " + to + ")" + (split ? " split" : "");
    }
}
