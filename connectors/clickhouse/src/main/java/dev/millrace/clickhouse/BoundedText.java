package dev.millrace.clickhouse;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/// Reads an answer to its end and keeps its beginning: an answer that does not end within a bound is cut.
///
/// Thread ownership: the client's, one call at a time.
final class BoundedText implements BodySubscriber<BoundedText.Read> {
    /// `whole`: the body ended, within the bound.
    record Read(String text, boolean whole) {}

    private static final int KEPT_BYTES = 16 << 10;
    private static final long MOST_BYTES = 1 << 20;

    private final CompletableFuture<Read> read = new CompletableFuture<>();
    private final byte[] kept = new byte[KEPT_BYTES];
    private Flow.@Nullable Subscription body;
    private int length;
    private long seen;

    @Override
    public CompletionStage<Read> getBody() {
        return read;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        body = subscription;
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (var buffer : buffers) {
            seen += buffer.remaining();
            var fits = Math.min(buffer.remaining(), KEPT_BYTES - length);
            buffer.get(kept, length, fits);
            length += fits;
        }
        var from = body;
        if (seen > MOST_BYTES && from != null) {
            from.cancel();
            read.complete(new Read(text(), false));
        }
    }

    @Override
    public void onError(Throwable cause) {
        read.complete(new Read(text(), false));
    }

    @Override
    public void onComplete() {
        read.complete(new Read(text(), true));
    }

    private String text() {
        return new String(kept, 0, length, StandardCharsets.UTF_8);
    }
}
