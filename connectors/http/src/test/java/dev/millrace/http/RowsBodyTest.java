package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.RowsBody;
import dev.millrace.sinkpool.BatchRows;
import java.io.ByteArrayOutputStream;
import java.lang.ref.WeakReference;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class RowsBodyTest {
    private static final byte[] PREFIX = "before ".getBytes(StandardCharsets.US_ASCII);

    @Test
    @DisplayName("HTTP: a body of many pieces has each byte once, in order, as often as it is read")
    void piecesAreTheWholeBody() throws Exception {
        var lines = lines(50_000);
        try (var body = new RowsBody(PREFIX, Rows.of(lines), Compression.NONE)) {
            var expected = "before " + String.join("\n", lines) + "\n";
            assertThat(body.contentLength()).isEqualTo(expected.length());
            for (var reading = 0; reading < 2; reading++) {
                var reader = new Reader(3);
                body.subscribe(reader);
                assertThat(reader.all.get()).isEqualTo(expected);
            }
        }
    }

    @Test
    @DisplayName("WRT-9: a body that is closed in its middle gives out no more")
    void closedInTheMiddle() {
        var reader = new Reader(1);
        try (var body = new RowsBody(PREFIX, Rows.of(lines(50_000)), Compression.NONE)) {
            reader.atMost = 2;
            body.subscribe(reader);
        }
        reader.request(10);
        assertThat(reader.pieces).isEqualTo(2);
        assertThatThrownBy(reader.all::get)
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("is over");
    }

    @Test
    @DisplayName("HTTP: a body that is closed does not keep the rows, whoever keeps the body")
    void aClosedBodyKeepsNoRows() throws Exception {
        var reader = new Reader(1);
        var kept = new BodyPublisher[1];
        var rows = sent(kept, reader);
        assertThat(reader.all.get()).hasSize(PREFIX.length + 20);
        var deadline = System.nanoTime() + 20_000_000_000L;
        while (rows.get() != null && System.nanoTime() < deadline) System.gc();
        assertThat(rows.get()).isNull();
        assertThat(kept[0].contentLength()).isEqualTo(PREFIX.length + 20);
    }

    private static WeakReference<BatchRows> sent(BodyPublisher[] kept, Reader reader) {
        var rows = Rows.of(lines(2));
        try (var body = new RowsBody(PREFIX, rows, Compression.NONE)) {
            kept[0] = body;
            body.subscribe(reader);
        }
        return new WeakReference<>(rows);
    }

    private static String[] lines(int count) {
        return IntStream.range(0, count)
                .mapToObj("%09d"::formatted)
                .collect(Collectors.toList())
                .toArray(String[]::new);
    }

    /// Reads so many pieces at a time.
    private static final class Reader implements Flow.Subscriber<ByteBuffer> {
        final CompletableFuture<String> all = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final int atATime;
        private Flow.@Nullable Subscription subscription;
        int atMost = Integer.MAX_VALUE;
        int pieces;

        Reader(int atATime) {
            this.atATime = atATime;
        }

        void request(int count) {
            var from = subscription;
            if (from != null) from.request(count);
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            given.request(atATime);
        }

        @Override
        public void onNext(ByteBuffer piece) {
            while (piece.hasRemaining()) bytes.write(piece.get());
            if (++pieces < atMost && pieces % atATime == 0) request(atATime);
        }

        @Override
        public void onError(Throwable failure) {
            all.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            all.complete(bytes.toString(StandardCharsets.US_ASCII));
        }
    }
}
