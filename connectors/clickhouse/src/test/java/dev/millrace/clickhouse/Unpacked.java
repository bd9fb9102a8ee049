package dev.millrace.clickhouse;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import dev.millrace.httpclient.Compression;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.zip.GZIPInputStream;
import net.jpountz.lz4.LZ4FrameInputStream;

/// A body as its server reads it.
final class Unpacked {
    private Unpacked() {}

    static byte[] of(Compression compression, byte[] body) throws IOException {
        var in = new ByteArrayInputStream(body);
        return switch (compression) {
            case NONE -> body;
            case GZIP -> {
                try (var frames = new GZIPInputStream(in)) {
                    yield frames.readAllBytes();
                }
            }
            case LZ4 -> {
                try (var frames = new LZ4FrameInputStream(in)) {
                    yield frames.readAllBytes();
                }
            }
            case ZSTD -> {
                try (var frames = new ZstdInputStreamNoFinalizer(in)) {
                    yield frames.readAllBytes();
                }
            }
        };
    }
}
