package dev.millrace.httpclient;

/// How a body is compressed.
public enum Compression {
    NONE(""),
    GZIP("gzip"),
    LZ4("lz4"),
    ZSTD("zstd");

    private final String encoding;

    Compression(String encoding) {
        this.encoding = encoding;
    }

    /// As `Content-Encoding` names it; empty for none.
    public String encoding() {
        return encoding;
    }
}
