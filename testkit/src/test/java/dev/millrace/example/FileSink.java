package dev.millrace.example;

import dev.millrace.sinkpool.Recognition;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkTraits;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.TokenLog;
import java.net.URI;
import java.nio.file.Path;

// [sink]
/// Appends rows to files, a line each: one file for each endpoint, such as `file:///data/s0.ndjson`.
///
/// A file knows no tokens, so what is sent again is stored again: at least once, and L0.
///
/// Thread ownership: shared.
public final class FileSink implements Sink {
    @Override
    public SinkTraits traits() {
        return new SinkTraits(true); // a receipt counts all rows of its batch
    }

    @Override
    public RowEncoder encoder() {
        return new LineEncoder();
    }

    @Override
    public SinkWriter writer(ShardId shard, URI endpoint) {
        return new FileWriter(Path.of(endpoint));
    }

    @Override
    public Recognition recognition(ShardId shard) {
        return Recognition.of(TokenLog.NONE);
    }

    @Override
    public void close() {} // each writer is closed by the pool
}
// [/sink]
