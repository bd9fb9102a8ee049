package dev.millrace.lab.clickhouse;

import com.github.luben.zstd.ZstdInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import net.jpountz.lz4.LZ4FrameInputStream;
import org.jspecify.annotations.Nullable;

/// The encodings of a request's body that a front undoes, and the codes of the server for bodies that are not
/// what they claim.
enum Encodings {
    NONE("", 0, ""),
    GZIP("gzip", 354, "ZLIB_INFLATE_FAILED"),
    DEFLATE("deflate", 354, "ZLIB_INFLATE_FAILED"),
    LZ4("lz4", 618, "LZ4_DECODER_FAILED"),
    ZSTD("zstd", 561, "ZSTD_DECODER_FAILED");

    private final String name;
    private final int brokenCode;
    private final String brokenName;

    Encodings(String name, int brokenCode, String brokenName) {
        this.name = name;
        this.brokenCode = brokenCode;
        this.brokenName = brokenName;
    }

    /// Null if it is none that a front knows.
    static @Nullable Encodings of(String contentEncoding) {
        String asked = contentEncoding.toLowerCase(Locale.ROOT);
        if (asked.equals("identity")) return NONE;
        for (var encoding : values()) if (encoding.name.equals(asked)) return encoding;
        return null;
    }

    /// The body that this one encodes. What cannot be decoded throws [Broken].
    InputStream decoded(WireBody body) {
        return this == NONE ? body : new Decoding(body, this);
    }

    private InputStream opened(InputStream body) throws IOException {
        return switch (this) {
            case NONE -> body;
            case GZIP -> new GZIPInputStream(body);
            case DEFLATE -> new InflaterInputStream(body);
            case LZ4 -> new LZ4FrameInputStream(body);
            case ZSTD -> new ZstdInputStream(body);
        };
    }

    /// A body that is not what its header says.
    static final class Broken extends IOException {
        private static final long serialVersionUID = 1;
        private final int code;
        private final String name;

        Broken(int code, String name, IOException cause) {
            super(cause.getMessage(), cause);
            this.code = code;
            this.name = name;
        }

        Answer answer() {
            return Answer.exception(code, name, "The body of the request cannot be decompressed: " + getMessage());
        }
    }

    /// Keeps apart the two ways to fail: the connection broke, or the bytes are none of the encoding.
    private static final class Decoding extends InputStream {
        private final WireBody body;
        private final Encodings encoding;
        private final Watched watched;
        private @Nullable InputStream decoder;

        Decoding(WireBody body, Encodings encoding) {
            this.body = body;
            this.encoding = encoding;
            this.watched = new Watched(body);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            try {
                if (decoder == null) decoder = encoding.opened(watched);
                return decoder.read(to, offset, length);
            } catch (IOException failure) {
                if (watched.failure != null) throw watched.failure;
                body.drain();
                throw new Broken(encoding.brokenCode, encoding.brokenName, failure);
            }
        }
    }

    private static final class Watched extends InputStream {
        private final InputStream in;
        private @Nullable IOException failure;

        Watched(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            try {
                return in.read();
            } catch (IOException failed) {
                failure = failed;
                throw failed;
            }
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            try {
                return in.read(to, offset, length);
            } catch (IOException failed) {
                failure = failed;
                throw failed;
            }
        }
    }
}
