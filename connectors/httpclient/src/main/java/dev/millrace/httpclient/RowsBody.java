package dev.millrace.httpclient;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Slice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/// The rows of a batch as the body of one request: what stands before every batch's, then what the chunks
/// hold, in order, packed or as it is.
///
/// What is not packed is given to the client as views of the chunks' own memory; a copy would cost a tenth of what
/// sending does. The client may go on with what it was given after the attempt is over. So the body counts as a reader
/// of the rows (WRT-9), and stops to be one when it is closed only if the client has read every view to its end: of an
/// attempt that was cut, the memory is never filled again. Once it is closed nothing more is given out. A
/// body that ends before its rows do is an error to the client, which cuts the connection: the server
/// never sees a whole request. Once it is closed it knows the rows no more: a client keeps the body of the last
/// request for as long as it keeps the connection.
///
/// Thread ownership: the client's threads and the attempt's; guarded by itself.
public final class RowsBody implements BodyPublisher, AutoCloseable {
    /// Each costs the client a few hand-overs between its threads, whatever it holds.
    private static final int LARGEST_VIEW = 256 << 10;

    /// Rows of smaller slices are copied together into a piece of this size.
    private static final int PIECE = 64 << 10;

    private static final int LEAST_VIEW = 16 << 10;

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
        rows.reading();
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
        var read = rows;
        rows = null;
        if (read != null && subscribed.stream().allMatch(Pieces::haveBeenRead)) read.readNoMore();
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

        /// Of the chunks' memory, as far as they may not have been read to their ends.
        private final ArrayDeque<ByteBuffer> views = new ArrayDeque<>();

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
            if (given == length) return null;
            var piece = given >= prefix.length && slices.get(slice).byteCount() - at >= LEAST_VIEW
                    ? view(slices.get(slice))
                    : copy(slices);
            given += piece.remaining();
            whole = given == length;
            return piece;
        }

        private ByteBuffer view(Slice part) {
            var count = Math.min(LARGEST_VIEW, part.byteCount() - at);
            var view = ByteBuffer.wrap(part.chunk().array(), part.chunk().start(part.fromRow()) + at, count)
                    .asReadOnlyBuffer();
            went(part, count);
            haveBeenRead();
            views.addLast(view);
            return view;
        }

        /// Whether the client has read all views to their ends; looks at none twice that it has.
        private boolean haveBeenRead() {
            while (!views.isEmpty() && !views.getFirst().hasRemaining()) views.removeFirst();
            return views.isEmpty();
        }

        /// What comes next up to a large slice, or as much of it as a piece holds.
        private ByteBuffer copy(List<Slice> slices) {
            var piece = new byte[(int) Math.min(PIECE, length - given)];
            var filled = 0;
            if (given < prefix.length) {
                filled = (int) Math.min(piece.length, prefix.length - given);
                System.arraycopy(prefix, (int) given, piece, 0, filled);
            }
            while (filled < piece.length) {
                var part = slices.get(slice);
                if (part.byteCount() - at >= LEAST_VIEW && filled > 0) break;
                var count = Math.min(piece.length - filled, part.byteCount() - at);
                System.arraycopy(part.chunk().array(), part.chunk().start(part.fromRow()) + at, piece, filled, count);
                filled += count;
                went(part, count);
            }
            return ByteBuffer.wrap(piece, 0, filled);
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
                endPacking();
            }
        }

        /// The client may keep it for as long as its connection.
        private void free() {
            endPacking();
            views.clear();
        }

        private void endPacking() {
            if (packing != null) packing.close();
            packing = null;
        }
    }
}
