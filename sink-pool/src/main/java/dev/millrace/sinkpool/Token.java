package dev.millrace.sinkpool;

/// Names a batch, or a part of one, to the sink, so that a repeat is recognised. Never the same
/// for two different row sets.
///
/// `batch` names the whole batch; a part is named by it and by the places `[fromRow, toRow)` of
/// its rows in it, whatever search led to that part (EO-7). `toRow` is 0 for the whole.
public record Token(String batch, int fromRow, int toRow) {
    public Token {
        if (batch.isEmpty()) throw new IllegalArgumentException("an empty token names nothing");
        if (fromRow < 0 || (toRow <= fromRow && toRow != 0))
            throw new IllegalArgumentException("rows [" + fromRow + ", " + toRow + ")");
    }

    /// Of a whole batch.
    public Token(String batch) {
        this(batch, 0, 0);
    }

    public boolean whole() {
        return toRow == 0;
    }

    /// The token of a part of the batch. Only of a whole one's.
    public Token part(int from, int to) {
        if (!whole()) throw new IllegalStateException(this + " is a part already");
        return new Token(batch, from, to);
    }

    public String text() {
        return whole() ? batch : batch + "#" + fromRow + "-" + toRow;
    }

    @Override
    public String toString() {
        return text();
    }
}
