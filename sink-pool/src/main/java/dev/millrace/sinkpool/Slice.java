package dev.millrace.sinkpool;

/// The rows `[fromRow, toRow)` of one chunk.
public record Slice(EncodedChunk chunk, int fromRow, int toRow) {
    public Slice {
        if (fromRow < 0 || toRow <= fromRow || toRow > chunk.rows())
            throw new IllegalArgumentException("rows [" + fromRow + ", " + toRow + ") of " + chunk.rows());
    }

    public int rows() {
        return toRow - fromRow;
    }

    public int byteCount() {
        return chunk.end(toRow - 1) - chunk.start(fromRow);
    }
}
