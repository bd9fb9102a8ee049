package dev.millrace.sinkpool;

/// How the servers of a shard recognise rows that are sent again, as far as that is known now.
///
/// `windowNanos`: how long after it was first sent a token is sure to be known still;
/// [NanoClock#NEVER] for ever. `byRow`: rows are recognised also where they come back in other
/// parts of their batch. `readable`: what is stored can be read back row by row, and a writer that
/// is asked to does so before it sends.
public record Recognition(TokenLog log, long windowNanos, boolean byRow, boolean readable) {
    /// Of a sink that nothing is known of.
    public static final Recognition SHARED = of(TokenLog.SHARED);

    public Recognition {
        if (windowNanos < 0) throw new IllegalArgumentException("a window of " + windowNanos + " ns");
    }

    /// Of tokens that never expire, and name all rows or none.
    public static Recognition of(TokenLog log) {
        return new Recognition(log, NanoClock.NEVER, false, false);
    }
}
