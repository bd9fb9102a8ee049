package dev.millrace.clickhouse;

import dev.millrace.sinkpool.BatchRows;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow;

/// The rows of a batch as the body of a request: the bytes that the chunks hold, in order, none copied.
///
/// Each subscriber gets them from the start, so a request that the client sends anew is the same.
///
/// Thread ownership: immutable; each subscription belongs to its subscriber.
final class RowsPublisher implements BodyPublisher {
    private final BatchRows rows;

    RowsPublisher(BatchRows rows) {
        this.rows = rows;
    }

    @Override
    public long contentLength() {
        return rows.byteCount();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
        subscriber.onSubscribe(new Gathered(rows.gather(), subscriber));
    }

    /// Thread ownership: guarded by itself; a demand made while one is served is served by the same call.
    private static final class Gathered implements Flow.Subscription {
        private final ByteBuffer[] buffers;
        private final Flow.Subscriber<? super ByteBuffer> subscriber;
        private long demand;
        private int next;
        private boolean serving;
        private boolean over;

        Gathered(ByteBuffer[] buffers, Flow.Subscriber<? super ByteBuffer> subscriber) {
            this.buffers = buffers;
            this.subscriber = subscriber;
        }

        @Override
        public void request(long count) {
            synchronized (this) {
                if (over) return;
                if (count < 1) {
                    over = true;
                    subscriber.onError(new IllegalArgumentException("a demand of " + count));
                    return;
                }
                demand = Long.MAX_VALUE - demand < count ? Long.MAX_VALUE : demand + count;
                if (serving) return;
                serving = true;
            }
            while (serveOne()) {}
        }

        private boolean serveOne() {
            ByteBuffer one = null;
            synchronized (this) {
                if (over || (demand == 0 && next < buffers.length)) {
                    serving = false;
                    return false;
                }
                if (next == buffers.length) over = true;
                else {
                    one = buffers[next++];
                    demand--;
                }
            }
            if (one == null) subscriber.onComplete();
            else subscriber.onNext(one);
            return one != null;
        }

        @Override
        public synchronized void cancel() {
            over = true;
        }
    }
}
