package dev.millrace.httpclient;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Slice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/// The rows of a batch as the body of one request: what stands before every batch's, then what the chunks
/// hold, in order, packed or as it is.
///
/// The client may go on with what it was given after the attempt is over. So it is given pieces of its
/// own, never a chunk's array, and none once the body is closed: a chunk may be anybody's then (WRT-9). A
/// body that ends before its rows do is an error to the client, which cuts the connection: the server
/// never sees a whole request. Once it is closed it knows the rows no more: a client keeps the body of the last
/// request for as long as it keeps the connection.
///
/// Thread ownership: the client's threads and the attempt's; guarded by itself.
public final class RowsBody implements BodyPublisher, AutoCloseable {
    private static final int PIECE = Integer.getInteger("mr.piece", 64 << 10);
    private static final boolean REUSE = System.getenv("MR_NOREUSE") == null;
    public static final java.util.concurrent.atomic.LongAdder reused = new java.util.concurrent.atomic.LongAdder();
    public static final java.util.concurrent.atomic.LongAdder fresh = new java.util.concurrent.atomic.LongAdder();
    static { if (System.getenv("MR_TELL") != null) Runtime.getRuntime().addShutdownHook(new Thread(() -> System.err.println("PIECES reused " + reused + " fresh " + fresh))); }

    private final byte[] prefix;
    private final Compression compression;
    private final long length;
    private final List<Pieces> subscribed = new ArrayList<>();
    private boolean begun;
    /// Null once it is closed.
    private @Nullable BatchRows rows;

    public RowsBody(byte[] prefix, BatchRows rows, Compression compression) {
        this.prefix = prefix.clone();
        this.rows = rows;
        this.compression = compression;
        length = prefix.length + rows.byteCount();
    }

    /// −1 where it is not known before the rows are packed.
    @Override
    public long contentLength() {
        return compression == Compression.NONE ? length : -1;
    }

    /// Whether any of the rows may be on their way.
    public synchronized boolean begun() {
        return begun;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        var pieces = new Pieces(subscriber);
        synchronized (this) {
            subscribed.add(pieces);
        }
        subscriber.onSubscribe(pieces);
    }

    /// Gives out nothing from now on.
    @Override
    public synchronized void close() {
        rows = null;
        subscribed.forEach(Pieces::free);
        subscribed.clear();
    }

    /// One reading from the start. A demand made while one is served is served by the same call.
    private final class Pieces implements Flow.Subscription {
        private final Flow.Subscriber<? super ByteBuffer> subscriber;
        private @Nullable Packing packing;
        private long demand;
        private int slice;
        private int at;
        /// Bytes, where nothing is compressed.
        private long given;

        /// All is given out, or is on its way through `packing`.
        private boolean whole;
        private boolean serving;
        private boolean over;

        Pieces(Flow.Subscriber<? super ByteBuffer> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void request(long count) {
            synchronized (RowsBody.this) {
                demand = count < 1 || Long.MAX_VALUE - demand < count ? Long.MAX_VALUE : demand + count;
                if (over || serving) return;
                serving = true;
            }
            while (serveOne()) {}
        }

        private boolean serveOne() {
            ByteBuffer piece;
            boolean last;
            synchronized (RowsBody.this) {
                if (over || demand == 0) {
                    serving = false;
                    return false;
                }
                piece = rows == null ? null : next(rows.slices());
                last = whole;
                if (piece == null) over = true;
                else {
                    demand--;
                    begun = true;
                }
            }
            if (piece != null) subscriber.onNext(piece);
            else if (last) subscriber.onComplete();
            else subscriber.onError(new IOException("the attempt is over"));
            return piece != null;
        }

        /// Null at the end.
        private @Nullable ByteBuffer next(List<Slice> slices) {
            return compression == Compression.NONE ? plain(slices) : packed(slices);
        }

        private @Nullable ByteBuffer plain(List<Slice> slices) {
            var size = (int) Math.min(PIECE, length - given);
            var piece = piece();
            var filled = 0;
            if (given < prefix.length) {
                filled = (int) Math.min(size, prefix.length - given);
                System.arraycopy(prefix, (int) given, piece, 0, filled);
            }
            while (filled < size) {
                var part = slices.get(slice);
                var count = Math.min(size - filled, part.byteCount() - at);
                System.arraycopy(part.chunk().array(), part.chunk().start(part.fromRow()) + at, piece, filled, count);
                filled += count;
                went(part, count);
            }
            given += filled;
            whole = given == length;
            if (filled == 0) return null;
            var out = ByteBuffer.wrap(piece, 0, size);
            out_.addLast(out);
            return out;
        }

        private final java.util.ArrayDeque<ByteBuffer> out_ = new java.util.ArrayDeque<>();

        private byte[] piece() {
            var oldest = out_.peekFirst();
            if (REUSE && oldest != null && !oldest.hasRemaining() && oldest.array().length == PIECE) {
                out_.removeFirst();
                reused.increment();
                return oldest.array();
            }
            fresh.increment();
            if (out_.size() >= 8) out_.removeFirst();
            return new byte[PIECE];
        }

        private @Nullable ByteBuffer packed(List<Slice> slices) {
            var from = packing;
            try {
                if (from == null) {
                    packing = from = Packing.of(compression, PIECE);
                    from.put(prefix, 0, prefix.length);
                }
                while (from.size() < PIECE && slice < slices.size()) {
                    var part = slices.get(slice);
                    var count = Math.min(PIECE, part.byteCount() - at);
                    from.put(part.chunk().array(), part.chunk().start(part.fromRow()) + at, count);
                    went(part, count);
                }
                if (slice == slices.size() && !whole) {
                    from.end();
                    whole = true;
                }
            } catch (IOException failure) {
                // It packs into memory.
                throw new UncheckedIOException(failure);
            }
            return from.size() == 0 ? null : ByteBuffer.wrap(from.take());
        }

        private void went(Slice part, int count) {
            at += count;
            if (at < part.byteCount()) return;
            slice++;
            at = 0;
        }

        @Override
        public void cancel() {
            synchronized (RowsBody.this) {
                over = true;
                free();
            }
        }

        private void free() {
            if (packing != null) packing.close();
            packing = null;
        }
    }
}
