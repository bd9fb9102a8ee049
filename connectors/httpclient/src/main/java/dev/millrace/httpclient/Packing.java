package dev.millrace.httpclient;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream.BLOCKSIZE;

/// Bytes go in, and come out as the body of a request wants them.
///
/// Thread ownership: one thread at a time.
final class Packing implements AutoCloseable {
    private final Kept kept;
    private final OutputStream in;
    private boolean ended;

    private Packing(Kept kept, OutputStream in) {
        this.kept = kept;
        this.in = in;
    }

    /// `room`: about as much as is kept at a time.
    static Packing of(Compression compression, int room) {
        var kept = new Kept(2 * room);
        try {
            return new Packing(
                    kept,
                    switch (compression) {
                        case NONE -> throw new IllegalArgumentException("nothing to pack");
                        case GZIP -> new GZIPOutputStream(kept);
                        case LZ4 -> new LZ4FrameOutputStream(kept, BLOCKSIZE.SIZE_256KB);
                        case ZSTD -> new ZstdOutputStreamNoFinalizer(kept);
                    });
        } catch (IOException failure) {
            // It packs into memory.
            throw new UncheckedIOException(failure);
        }
    }

    void put(byte[] bytes, int from, int length) throws IOException {
        in.write(bytes, from, length);
    }

    /// Nothing more goes in.
    void end() throws IOException {
        ended = true;
        in.close();
    }

    /// How much would come out now.
    int size() {
        return kept.size();
    }

    byte[] take() {
        var taken = kept.toByteArray();
        kept.reset();
        return taken;
    }

    /// Gives back what a library holds outside the heap.
    @Override
    public void close() {
        if (ended) return;
        ended = true;
        try {
            in.close();
        } catch (IOException failure) {
            // It packs into memory.
            throw new UncheckedIOException(failure);
        }
    }

    private static final class Kept extends ByteArrayOutputStream {
        Kept(int room) {
            super(room);
        }
    }
}
