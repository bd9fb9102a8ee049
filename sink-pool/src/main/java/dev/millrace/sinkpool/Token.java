package dev.millrace.sinkpool;

/// Names a batch to the sink, so that a repeat is recognised. Never the same for two different row sets.
public record Token(String text) {
    public Token {
        if (text.isEmpty()) throw new IllegalArgumentException("an empty token names nothing");
    }

    /// The token of a part of the batch: a pure function of this token and the rows' place in it.
    public Token part(int fromRow, int toRow) {
        return new Token(text + "#" + fromRow + "-" + toRow);
    }
}
