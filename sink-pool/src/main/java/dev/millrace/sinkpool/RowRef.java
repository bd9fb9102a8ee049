package dev.millrace.sinkpool;

import java.nio.ByteBuffer;

/// One row of a chunk.
public record RowRef(EncodedChunk chunk, int row) {
    public long offset() {
        return chunk.offset(row);
    }

    /// The row as it was encoded; read-only.
    public ByteBuffer encoded() {
        var from = chunk.start(row);
        return ByteBuffer.wrap(chunk.array(), from, chunk.end(row) - from).asReadOnlyBuffer();
    }

    @Override
    public String toString() {
        return chunk.partition() + "@" + offset();
    }
}
