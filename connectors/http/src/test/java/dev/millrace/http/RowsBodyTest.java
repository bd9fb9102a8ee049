package dev.millrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.RowsBody;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Ending;
import dev.millrace.sinkpool.SlabPool;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

    /// A client that was cut may go on sending what it was given.
    @ParameterizedTest
    @EnumSource(Compression.class)
    @Tag("WRT-9")
    @DisplayName("WRT-9: memory of rows is filled again once the client has read it to its end, and not before")
    void memoryThatMayBeReadIsNotFilledAgain(Compression compression) {
        var pool = new SlabPool(1 << 20, 1 << 20);
        var line = "x".repeat((1 << 20) - 1);
        for (var read : new boolean[] {true, false}) {
            var rows = Rows.of(pool, line);
            var memory = rows.slices().getFirst().chunk().array();
            var reader = new Reader(1);
            if (!read) reader.unread = 2;
            try (var body = new RowsBody(PREFIX, rows, compression)) {
                body.subscribe(reader);
            }
            // Whether the batch ends before the attempt or behind it.
            rows.slices().getFirst().chunk().settle(Ending.WRITTEN);
            var again = Rows.of(pool, line).slices().getFirst().chunk().array();
            if (read || compression != Compression.NONE) assertThat(again).isSameAs(memory);
            else assertThat(again).isNotSameAs(memory);
        }
    }

    @Test
    @Tag("WRT-9")
    @DisplayName("WRT-9: a reading that the client cancels may still be on its way")
    void cancelledIsNotRead() {
        var pool = new SlabPool(1 << 20, 1 << 20);
        var line = "x".repeat((1 << 20) - 1);
        var rows = Rows.of(pool, line);
        var memory = rows.slices().getFirst().chunk().array();
        var reader = new Reader(1);
        reader.unread = 2;
        try (var body = new RowsBody(PREFIX, rows, Compression.NONE)) {
            body.subscribe(reader);
            reader.cancel();
        }
        rows.slices().getFirst().chunk().settle(Ending.WRITTEN);
        assertThat(Rows.of(pool, line).slices().getFirst().chunk().array()).isNotSameAs(memory);
    }

    @Test
    @DisplayName("HTTP: small and large slices by turns, and what stands before them, come whole and in order")
    void viewsAndCopiesByTurns() throws Exception {
        var lines = new String[40];
        for (var i = 0; i < lines.length; i++)
            lines[i] = Character.toString('a' + i % 26).repeat(1 + i * i * i * 7);
        try (var body = new RowsBody(PREFIX, Rows.of(new SlabPool(100_000, 0), lines), Compression.NONE)) {
            var reader = new Reader(1);
            body.subscribe(reader);
            assertThat(reader.all.get()).isEqualTo("before " + String.join("\n", lines) + "\n");
        }
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

        /// Of this piece and those behind it a byte is left.
        int unread = Integer.MAX_VALUE;

        int pieces;

        Reader(int atATime) {
            this.atATime = atATime;
        }

        void request(int count) {
            var from = subscription;
            if (from != null) from.request(count);
        }

        void cancel() {
            var from = subscription;
            if (from != null) from.cancel();
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            given.request(atATime);
        }

        @Override
        public void onNext(ByteBuffer piece) {
            var left = pieces + 1 >= unread ? 1 : 0;
            while (piece.remaining() > left) bytes.write(piece.get());
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
