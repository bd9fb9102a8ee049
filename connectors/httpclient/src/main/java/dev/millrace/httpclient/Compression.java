package dev.millrace.httpclient;

import org.jspecify.annotations.Nullable;

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

    /// Why this process can't pack so, or null. What is native of a library is unpacked to the folder for temporary
    /// files first, which may be full, or let nothing be mapped.
    public @Nullable String missing() {
        if (this == NONE) return null;
        try (var _ = Packing.of(this, 1)) {
            return null;
        } catch (LinkageError failure) {
            var root = (Throwable) failure;
            while (root.getCause() != null) root = root.getCause();
            return String.valueOf(root.getMessage());
        }
    }

    /// As `Content-Encoding` names it; empty for none.
    public String encoding() {
        return encoding;
    }
}
