package dev.millrace.httpclient;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Reads an answer to its end and keeps its beginning and its end: an answer longer than a bound is cut.
///
/// Both are wanted: an exception begins with its code, can quote a whole row, and ends with where
/// it was thrown.
///
/// Thread ownership: the client's, one call at a time.
public final class BoundedText implements BodySubscriber<BoundedText.Read> {
    /// `whole`: the body ended, within the bound. `gapped`: of its middle nothing is kept.
    public record Read(String text, boolean whole, boolean gapped) {}

    /// Enough for an error, at each end.
    public static final int OF_AN_ERROR = 8 << 10;

    private static final long MOST_BYTES = 16 << 20;
    private static final long MOST_BYTES_PASSED_ON = 256 << 20;

    private final CompletableFuture<Read> read = new CompletableFuture<>();
    private final int kept;
    private final byte[] head;

    /// A ring: the byte that was seen `n`th, after those of the head, is at `n` modulo its length.
    private final byte[] tail;

    private final @Nullable Consumer<ByteBuffer> each;
    private final long most;

    private Flow.@Nullable Subscription body;
    private long seen;

    /// Keeps so many bytes at each end. Where `each` takes all of it as it comes, the bound is wider.
    public BoundedText(int kept, @Nullable Consumer<ByteBuffer> each) {
        this.kept = kept;
        head = new byte[kept];
        tail = new byte[kept];
        this.each = each;
        most = each == null ? MOST_BYTES : MOST_BYTES_PASSED_ON;
    }

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
            if (each != null) each.accept(buffer.duplicate());
            keep(buffer);
        }
        var from = body;
        if (seen > most && from != null) {
            from.cancel();
            read.complete(read(false));
        }
    }

    private void keep(ByteBuffer buffer) {
        if (seen < kept) {
            var fits = (int) Math.min(buffer.remaining(), kept - seen);
            buffer.get(head, (int) seen, fits);
            seen += fits;
        }
        while (buffer.hasRemaining()) {
            var at = (int) ((seen - kept) % kept);
            var fits = Math.min(buffer.remaining(), kept - at);
            buffer.get(tail, at, fits);
            seen += fits;
        }
    }

    @Override
    public void onError(Throwable cause) {
        read.complete(read(false));
    }

    @Override
    public void onComplete() {
        read.complete(read(true));
    }

    private Read read(boolean whole) {
        return new Read(text(), whole, seen > 2L * kept);
    }

    private String text() {
        var beginning = new String(head, 0, (int) Math.min(seen, kept), StandardCharsets.UTF_8);
        var rest = seen - kept;
        if (rest <= 0) return beginning;
        if (rest <= kept) return beginning + new String(tail, 0, (int) rest, StandardCharsets.UTF_8);
        var at = (int) (rest % kept);
        return beginning
                + "…"
                + new String(tail, at, kept - at, StandardCharsets.UTF_8)
                + new String(tail, 0, at, StandardCharsets.UTF_8);
    }
}
