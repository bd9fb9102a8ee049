package dev.millrace.sinkpool;

/// How a front for producers is driven. `maxRows` and `maxBytes` are the budget of all that is in it, from slot to end;
/// `stageShare` of both, in (0, 1), is for what is staged, and the rest for what is reserved. Chunks are handed to
/// shards when they have `chunkBytes`, or are `chunkLingerNanos` old.
public record FrontSettings(long maxRows, long maxBytes, double stageShare, int chunkBytes, long chunkLingerNanos) {
    public FrontSettings {
        if (!(stageShare > 0 && stageShare < 1))
            throw new IllegalArgumentException("stageShare " + stageShare + " not in (0, 1)");
        if ((long) (maxRows * stageShare) < 1 || maxRows - (long) (maxRows * stageShare) < 1)
            throw new IllegalArgumentException("maxRows " + maxRows + " leaves a share without a row");
        if ((long) (maxBytes * stageShare) < 1 || maxBytes - (long) (maxBytes * stageShare) < 1)
            throw new IllegalArgumentException("maxBytes " + maxBytes + " leaves a share without a byte");
        if (chunkBytes < 1) throw new IllegalArgumentException("chunkBytes " + chunkBytes + " < 1");
        if (chunkLingerNanos < 0) throw new IllegalArgumentException("chunkLingerNanos " + chunkLingerNanos + " < 0");
    }

    /// For a front whose producers all reserve: a row of each is for what is staged, and all else for what is reserved.
    public static FrontSettings reserving(long maxRows, long maxBytes) {
        var least = 1.5 / Math.min(maxRows, maxBytes);
        return new FrontSettings(maxRows, maxBytes, least, 128 << 10, 5_000_000);
    }

    /// A quarter for what is staged, chunks of 128 KiB, 20 ms old at most.
    public static FrontSettings of(long maxRows, long maxBytes) {
        return new FrontSettings(maxRows, maxBytes, 0.25, 128 << 10, 20_000_000);
    }
}
