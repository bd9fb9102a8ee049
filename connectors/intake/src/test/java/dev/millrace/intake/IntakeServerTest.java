package dev.millrace.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.sinkpool.Fate;
import dev.millrace.sinkpool.NanoClock;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What an intake answers, over HTTP on a real port, before sinks in memory.
@Timeout(60)
class IntakeServerTest {
    private final FakeInlet store = new FakeInlet(100);

    // --- what is taken in

    @Test
    void aBodyIsTakenInWholeEmptyLinesAreNoneAndTheLastNeedsNoEnd() throws Exception {
        try (var at = new Listening(store)) {
            var answer = at.post("/v1/orders", "{\"a\":1}\n\n \t\r\n{\"a\":2}\r\n{\"a\":3}");
            assertThat(answer.statusCode()).isEqualTo(202);
            assertThat(answer.body()).isEqualTo("{\"admitted\":3}\n");
            assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
            assertThat(store.rows).containsExactly("orders/0 {\"a\":1}", "orders/0 {\"a\":2}", "orders/0 {\"a\":3}");
            assertThat(at.server.counts().admitted()).isEqualTo(3);
        }
    }

    @Test
    void aBodyInChunksIsTakenInAsAnyOther() throws Exception {
        try (var at = new Listening(store)) {
            var head = "POST /v1/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
            var answer = at.raw(head + "4\r\n{\"a\"\r\n" + "4\r\n:1}\n\r\n" + "0\r\n\r\n");
            assertThat(answer).startsWith("HTTP/1.1 202");
            assertThat(store.rows).containsExactly("orders/0 {\"a\":1}");
        }
    }

    @Test
    void aKeySaysWhereTheRowsGo() throws Exception {
        try (var at = new Listening(store)) {
            assertThat(at.post("/v1/payments?key=%37", "{}").statusCode()).isEqualTo(202);
            assertThat(store.rows).containsExactly("payments/7 {}");
        }
    }

    @Test
    @Tag("SEAL-8")
    void rowsOfAKeyAreHandedOverInOrderBeforeTheAnswerAndRowsWithoutOneAsThoseOfTheirBody() throws Exception {
        try (var at = new Listening(store)) {
            for (var query : List.of("?key=7", "?key=7", "?key=8", "", ""))
                assertThat(at.post("/v1/orders" + query, "{\"a\":1}\n{\"a\":2}\n")
                                .statusCode())
                        .isEqualTo(202);
            var hashes = store.keyHashes;
            assertThat(store.rows).hasSize(10);
            for (var row = 0; row < 10; row++)
                assertThat(store.rows.get(row)).endsWith("{\"a\":" + (row % 2 + 1) + "}");
            assertThat(List.copyOf(hashes.subList(0, 4))).containsOnly(hashes.getFirst());
            assertThat(hashes.get(4)).isEqualTo(hashes.get(5)).isNotEqualTo(hashes.getFirst());
            assertThat(hashes.get(6)).isEqualTo(hashes.get(7)).isNotEqualTo(hashes.get(8));
            assertThat(hashes.get(8)).isEqualTo(hashes.get(9));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[1]",
                "{\"a\":",
                "{\"a\":1} x",
                "\u0000",
                "{\"a\":\"\u0000\"}",
                "null",
                "{poisoned}",
                "{\"a\":\"poisoned\"}"
            })
    void aLineThatIsNoRowIsToldByItsNumberAndNothingOfItsBodyIsTakenIn(String line) throws Exception {
        try (var at = new Listening(store)) {
            var answer = at.post("/v1/orders", "{\"a\":1}\n\n" + line + "\n{\"a\":2}\n");
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("\"line\":3").doesNotContain("poisoned");
            assertThat(store.rows).isEmpty();
            assertThat(store.held).hasValue(0);
        }
    }

    @Test
    void bytesThatAreNoUtf8AreNoRow() throws Exception {
        try (var at = new Listening(store)) {
            var request = HttpRequest.newBuilder(at.at("/v1/orders"))
                    .POST(HttpRequest.BodyPublishers.ofByteArray(
                            "{\"a\":\"\u00ff\"}".getBytes(StandardCharsets.ISO_8859_1)));
            var answer = at.send(request);
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("line 1", "bad_utf8");
        }
    }

    @Test
    void aLineThatATableCannotTakeForNowIsToldToComeAgain() throws Exception {
        try (var at = new Listening(store)) {
            var answer = at.post("/v1/orders", "{\"later\":1}");
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.body())
                    .contains("\"refused_by\":\"destination\"", "\"sink\":\"store\"", "a column is gone");
            assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        }
    }

    @Test
    void aBodyWithoutARowIsNone() throws Exception {
        try (var at = new Listening(store)) {
            assertThat(at.post("/v1/orders", "\n\n").statusCode()).isEqualTo(400);
            assertThat(at.post("/v1/orders", "").statusCode()).isEqualTo(400);
        }
    }

    // --- who waits

    @Test
    void whoWaitsIsToldWhenEachRowIsWritten() throws Exception {
        store.fate = null;
        try (var at = new Listening(store)) {
            var answer = CompletableFuture.supplyAsync(() -> told(at, "/v1/orders?wait=durable"));
            store.fate = Fate.WRITTEN;
            assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo("200 {\"written\":1}\n");
        }
    }

    private static String told(Listening at, String path) {
        try {
            var answer = at.post(path, "{}");
            return answer.statusCode() + " " + answer.body();
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void whoWaitsIsToldWhichRowsTheSinkRefused() throws Exception {
        store.fate = Fate.REJECTED;
        try (var at = new Listening(store)) {
            var answer = at.post("/v1/orders?wait=durable", "\n{}\n{}\n");
            assertThat(answer.statusCode()).isEqualTo(422);
            assertThat(answer.body())
                    .contains("\"rejected\":2", "\"written\":0")
                    .contains("{\"line\":2,\"sink\":\"store\",\"reason\":\"22003\"}")
                    .contains("{\"line\":3,\"sink\":\"store\",\"reason\":\"22003\"}");
        }
    }

    @Test
    void whoWaitsIsToldWhatWasGivenUpAndWhatMayBeStored() throws Exception {
        store.fate = Fate.GIVEN_UP;
        try (var at = new Listening(store)) {
            assertThat(told(at, "/v1/orders?wait=durable")).startsWith("502 ").contains("\"given_up\":1");
            store.fate = Fate.IN_DOUBT;
            assertThat(told(at, "/v1/orders?wait=durable")).startsWith("502 ").contains("\"in_doubt\":1");
        }
    }

    @Test
    void whoWaitsTooLongIsToldThatTheRowsStayAdmitted() throws Exception {
        store.fate = null;
        try (var at = new Listening(store, from -> Listening.with(from, 1000, 4, 10_000_000), List.of())) {
            assertThat(told(at, "/v1/orders?wait=durable"))
                    .startsWith("504 ")
                    .contains("\"admitted\":1", "\"waiting\":1", "stay admitted");
            assertThat(store.rows).hasSize(1);
        }
    }

    @Test
    void rowsThatASinkNoLongerTakesAreNeverAnsweredAsAdmitted() throws Exception {
        var late = new FakeInlet(100);
        try (var at = new Listening(store, from -> from, List.of(Listening.sink("late", new Closing(late))))) {
            assertThat(told(at, "/v1/orders")).startsWith("502 ").contains("\"given_up\":1");
        }
    }

    /// Closes between the reservation and the rows.
    private record Closing(FakeInlet inlet) implements Inlet {
        @Override
        public Room reserve(int rows) {
            var room = inlet.reserve(rows);
            inlet.closed = true;
            return room;
        }

        @Override
        public long maxRows() {
            return inlet.maxRows();
        }

        @Override
        public long maxBytes() {
            return inlet.maxBytes();
        }

        @Override
        public long ended() {
            return 0;
        }
    }

    // --- room

    @Test
    void rowsThatTakeMoreThanAQuarterOfASinkAreRefusedBeforeAllAreMade() throws Exception {
        store.maxBytes = 400;
        try (var at = new Listening(store)) {
            assertThat(at.post("/v1/orders", "{\"a\":1}\n".repeat(12)).statusCode())
                    .isEqualTo(202);
            var answer = at.post("/v1/orders", "{\"a\":1}\n".repeat(15));
            assertThat(answer.statusCode()).isEqualTo(413);
            assertThat(answer.body()).contains("more than 100 bytes as sink store has them", "\"limit\":100");
            assertThat(store.rows).hasSize(12);
            assertThat(store.held.get()).isZero();
        }
    }

    @Test
    void whoWaitsWhenItClosesIsToldThatTheRowsAreOut() throws Exception {
        store.fate = null;
        try (var at = new Listening(store)) {
            var answer = CompletableFuture.supplyAsync(() -> told(at, "/v1/orders?wait=durable"));
            while (store.rows.isEmpty()) Thread.onSpinWait();
            at.server.close();
            assertThat(answer.get(20, TimeUnit.SECONDS)).startsWith("504 ").contains("\"waiting\":1");
        }
    }

    @Test
    void aSinkThatIsFullRefusesByItsLimitAndSaysWhenToComeAgain() throws Exception {
        store.fate = null;
        try (var at = new Listening(store)) {
            assertThat(at.post("/v1/orders?key=0", "{}\n".repeat(50)).statusCode())
                    .isEqualTo(202);
            assertThat(at.post("/v1/orders?key=1", "{}\n".repeat(49)).statusCode())
                    .isEqualTo(202);
            var answer = at.post("/v1/orders?key=2", "{}\n{}");
            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(answer.body())
                    .isEqualTo("{\"refused_by\":\"rows\",\"sink\":\"store\",\"asked\":2,\"held\":99,\"limit\":100}\n");
            var again = answer.headers().firstValue("Retry-After").orElseThrow();
            assertThat(Integer.parseInt(again)).isBetween(1, 30);
            assertThat(store.rows).as("whole or not at all").hasSize(99);
            assertThat(at.post("/v1/orders?key=2", "{}").statusCode())
                    .as("one has room")
                    .isEqualTo(202);
        }
    }

    @Test
    @Tag("ADM-6")
    void aShardThatTakesNothingHoldsHalfOfTheSinkAtMostAndIsNamed() throws Exception {
        store.fate = null;
        try (var at = new Listening(store)) {
            assertThat(at.post("/v1/orders?key=3", "{}\n".repeat(50)).statusCode())
                    .isEqualTo(202);
            var answer = at.post("/v1/payments?key=3", "{}");
            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(answer.body())
                    .isEqualTo("{\"refused_by\":\"rows\",\"sink\":\"store\",\"shard\":\"s3\",\"asked\":1,"
                            + "\"held\":50,\"limit\":50}\n");
            store.fate = Fate.WRITTEN;
            for (var round = 0; round < 3; round++)
                assertThat(at.post("/v1/orders?key=4", "{}\n".repeat(50)).statusCode())
                        .as("the other half is for the others, and what has ended leaves its room")
                        .isEqualTo(202);
            assertThat(at.post("/v1/orders?key=5", "{}\n".repeat(51)).statusCode())
                    .as("the sink has no room for so many")
                    .isEqualTo(429);
            assertThat(at.post("/v1/orders?key=5", "{}\n".repeat(50)).statusCode())
                    .as("what was refused holds nothing")
                    .isEqualTo(202);
        }
    }

    @Test
    void aFaultOfOursIsToldToWhoAsksAndTheNextIsAnsweredAsEver() throws Exception {
        try (var at = new Listening(store)) {
            var answer = at.post("/v1/orders", "{\"a\":\"broken\"}");
            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.body()).contains("may be stored twice");
            assertThat(at.server.counts().byStatus()).containsEntry(500, 1L);
            assertThat(at.post("/v1/orders", "{}").statusCode()).isEqualTo(202);
        }
    }

    @Test
    void whereOneSinkIsFullTheOthersGetNothingAndTheirSlotsComeBack() throws Exception {
        var small = new FakeInlet(1);
        try (var at = new Listening(store, from -> from, List.of(Listening.sink("small", small)))) {
            small.held.set(1);
            var answer = at.post("/v1/orders", "{}");
            assertThat(answer.statusCode()).isEqualTo(429);
            assertThat(answer.body()).contains("\"sink\":\"small\"");
            assertThat(store.rows).isEmpty();
            assertThat(store.held).hasValue(0);
        }
    }

    @Test
    void moreRowsThanASinkEverHoldsAreNotToldToComeAgain() throws Exception {
        try (var at = new Listening(store)) {
            var answer = at.post("/v1/orders", "{}\n".repeat(101));
            assertThat(answer.statusCode()).isEqualTo(413);
            assertThat(answer.body()).contains("\"limit\":100", "admission.max_rows");
            assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
        }
    }

    @Test
    void moreBodiesAtOnceThanMayBeReadAreRefused() throws Exception {
        try (var at = new Listening(store, from -> Listening.with(from, 1000, 1, 1_000_000), List.of());
                var slow = begun(at)) {
            eventually(() -> at.post("/v1/orders", "{}").statusCode() == 429);
            assertThat(at.post("/v1/orders", "{}").body())
                    .isEqualTo("{\"refused_by\":\"requests\",\"asked\":1,\"held\":1,\"limit\":1}\n");
            slow.getOutputStream().write("}".getBytes(StandardCharsets.US_ASCII));
            assertThat(status(slow)).contains("202");
            eventually(() -> at.post("/v1/orders", "{}").statusCode() == 202);
        }
    }

    /// A request whose body has one byte to come.
    private static Socket begun(Listening at) throws IOException {
        var slow = at.line();
        slow.getOutputStream()
                .write("POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{"
                        .getBytes(StandardCharsets.US_ASCII));
        return slow;
    }

    private static String status(Socket line) throws IOException {
        var first = new StringBuilder();
        for (var letter = line.getInputStream().read(); letter >= 0 && letter != '\n'; ) {
            first.append((char) letter);
            letter = line.getInputStream().read();
        }
        return first.toString();
    }

    private interface Check {
        boolean holds() throws Exception;
    }

    private static void eventually(Check check) throws Exception {
        var until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!check.holds()) {
            assertThat(System.nanoTime()).isLessThan(until);
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }

    // --- what is wrong with a request

    @Test
    void aBodyThatIsTooLongIsRefusedBeforeItIsReadAndAlsoWhenItDoesNotSaySo() throws Exception {
        try (var at = new Listening(store)) {
            assertThat(at.post("/v1/orders", " ".repeat(1001)).statusCode()).isEqualTo(413);
            var unread = at.raw("POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n");
            assertThat(unread).startsWith("HTTP/1.1 413").contains("\"limit\":1000");
            var chunked = at.raw("POST /v1/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n"
                    + " ".repeat(1024) + "\r\n0\r\n\r\n");
            assertThat(chunked).startsWith("HTTP/1.1 413");
            assertThat(store.rows).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 20\r\n\r\n{\"a\":1}\n",
                "Transfer-Encoding: chunked\r\n\r\n8\r\n{\"a\":1}\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n8\r\n{\"a\"",
                "Transfer-Encoding: chunked\r\n\r\nzz\r\n{\"a\":1}\n\r\n0\r\n\r\n",
                "Transfer-Encoding: chunked\r\n\r\n-8\r\n{\"a\":1}\n\r\n0\r\n\r\n"
            })
    void aBodyThatEndsBeforeItsEndIsTakenInByNobody(String rest) throws Exception {
        try (var at = new Listening(store)) {
            var answer = at.raw("POST /v1/orders HTTP/1.1\r\nHost: x\r\n" + rest);
            assertThat(answer).doesNotContain(" 202 ");
            assertThat(store.rows).isEmpty();
            assertThat(at.post("/v1/orders", "{}").statusCode())
                    .as("it goes on")
                    .isEqualTo(202);
        }
    }

    @Test
    void whatIsNoPostOfRowsIsToldWhatWouldBe() throws Exception {
        try (var at = new Listening(store)) {
            assertThat(at.post("/v1/order", "{}").statusCode()).isEqualTo(404);
            assertThat(at.post("/v1/order", "{}").body()).contains("orders, payments");
            assertThat(at.post("/orders", "{}").statusCode()).isEqualTo(404);
            var get = at.send(HttpRequest.newBuilder(at.at("/v1/orders")));
            assertThat(get.statusCode()).isEqualTo(405);
            assertThat(get.headers().firstValue("Allow")).contains("POST");
            var head = HttpRequest.newBuilder(at.at("/")).method("HEAD", HttpRequest.BodyPublishers.noBody());
            assertThat(at.send(head).statusCode()).isEqualTo(405);
            assertThat(store.rows).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"wait=1", "wait=durable&wait=durable", "key=", "key=a&key=b", "x=y", "wait=durable&key=%zz"})
    void aQueryThatAsksForAnythingElseIsRefused(String query) throws Exception {
        try (var at = new Listening(store)) {
            var answer = at.raw("POST /v1/orders?" + query + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
                    + "Connection: close\r\n\r\n{}");
            assertThat(answer).startsWith("HTTP/1.1 400");
            assertThat(store.rows).isEmpty();
        }
    }

    @Test
    void aBodyThatIsPackedAndOneOfAPageInABrowserAreRefused() throws Exception {
        try (var at = new Listening(store)) {
            assertThat(at.post("/v1/orders", "{}", "Content-Encoding", "gzip").statusCode())
                    .isEqualTo(415);
            assertThat(at.post("/v1/orders", "{}", "Origin", "https://example.com")
                            .statusCode())
                    .isEqualTo(403);
            assertThat(store.rows).isEmpty();
        }
    }

    @Test
    void nobodyPostsWithoutTheToken() throws Exception {
        try (var at = new Listening(store)) {
            at.claim = Gate.Claim.DENIED;
            var denied = at.post("/v1/orders", "{}", "Authorization", "Bearer wrong");
            assertThat(denied.statusCode()).isEqualTo(401);
            assertThat(denied.headers().firstValue("WWW-Authenticate")).contains("Bearer");
            var elsewhere = at.post("/v1/nothing", "{}");
            assertThat(elsewhere.statusCode()).isEqualTo(401);
            assertThat(elsewhere.body()).as("what may be posted to").doesNotContain("orders", "payments");
            at.claim = Gate.Claim.UNREADABLE;
            var unreadable = at.post("/v1/orders", "{}");
            assertThat(unreadable.statusCode()).isEqualTo(503);
            assertThat(unreadable.body()).contains("\"refused_by\":\"token\"", "source.http.token_file");
            assertThat(unreadable.headers().firstValue("Retry-After")).contains("30");
            assertThat(store.rows).isEmpty();
        }
    }

    @Test
    void headersBeyondTheirBoundEndTheConnectionAndNothingElse() throws Exception {
        try (var at = new Listening(store);
                var line = at.line()) {
            var huge = "POST /v1/orders HTTP/1.1\r\nHost: x\r\nX: " + "y".repeat(100_000) + "\r\n";
            try {
                line.getOutputStream().write(huge.getBytes(StandardCharsets.US_ASCII));
                assertThat(status(line)).doesNotContain("202");
            } catch (IOException _) {
                // It was closed while this was written.
            }
            assertThat(at.post("/v1/orders", "{}").statusCode()).isEqualTo(202);
        }
    }

    @Test
    void connectionsThatSayNothingKeepNobodyOut() throws Exception {
        var silent = new ArrayList<Socket>();
        try (var at = new Listening(store)) {
            for (var i = 0; i < 100; i++) {
                var line = at.line();
                line.getOutputStream().write("POST /v1/or".getBytes(StandardCharsets.US_ASCII));
                silent.add(line);
            }
            assertThat(at.post("/v1/orders", "{}").statusCode()).isEqualTo(202);
        } finally {
            for (var line : silent) line.close();
        }
    }

    @Test
    void aThousandWhoPostAtOnceAreAllToldThatTheirRowIsWritten() throws Exception {
        var large = new FakeInlet(10_000);
        try (var at = new Listening(large, from -> Listening.with(from, 1000, 1000, 30_000_000_000L), List.of())) {
            var answers = new ArrayList<CompletableFuture<String>>();
            for (var i = 0; i < 1000; i++) {
                var answer = new CompletableFuture<String>();
                answers.add(answer);
                Thread.ofVirtual().start(() -> {
                    try {
                        answer.complete(
                                at.raw("POST /v1/orders?wait=durable HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
                                        + "Connection: close\r\n\r\n{}"));
                    } catch (IOException failure) {
                        answer.completeExceptionally(failure);
                    }
                });
            }
            for (var answer : answers)
                assertThat(answer.get(30, TimeUnit.SECONDS)).startsWith("HTTP/1.1 200");
            assertThat(large.rows).hasSize(1000);
        }
    }

    // --- pause and end

    @Test
    void aPausedIntakeTellsWhoPostsToComeAgain() throws Exception {
        try (var at = new Listening(store)) {
            at.paused = true;
            var answer = at.post("/v1/orders", "{}");
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.body()).contains("\"refused_by\":\"paused\"");
            at.paused = false;
            assertThat(at.post("/v1/orders", "{}").statusCode()).isEqualTo(202);
        }
    }

    @Test
    void aDrainRefusesNewWorkAtOnceAndWaitsForBodiesThatAreBeingRead() throws Exception {
        try (var at = new Listening(store, from -> Listening.with(from, 1000, 1, 1_000_000), List.of());
                var slow = begun(at)) {
            eventually(() -> !at.server.awaitRead(NanoClock.SYSTEM.nanoTime()));
            at.server.drain();
            var refused = at.post("/v1/orders", "{}");
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.body()).contains("\"refused_by\":\"draining\"");
            assertThat(refused.headers().firstValue("Connection")).contains("close");
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(at.server.awaitRead(NanoClock.SYSTEM.nanoTime())).isFalse();
            slow.getOutputStream().write("}".getBytes(StandardCharsets.US_ASCII));
            assertThat(status(slow)).as("it came before the drain").contains("202");
            assertThat(at.server.awaitRead(NanoClock.SYSTEM.nanoTime() + TimeUnit.SECONDS.toNanos(30)))
                    .isTrue();
            assertThat(at.post("/v1/orders", "{}").statusCode())
                    .as("it is heard until the end")
                    .isEqualTo(503);
            assertThat(store.rows).containsExactly("orders/0 {}");
        }
    }

    @Test
    void whatIsAnsweredIsCounted() throws Exception {
        try (var at = new Listening(store)) {
            at.post("/v1/orders", "{}\n{}");
            at.post("/v1/orders", "x");
            at.post("/v1/nowhere", "{}");
            at.server.drain();
            at.post("/v1/orders", "{}");
            var counts = at.server.counts();
            assertThat(counts.requests()).isEqualTo(4);
            assertThat(counts.byStatus())
                    .containsEntry(202, 1L)
                    .containsEntry(400, 1L)
                    .containsEntry(404, 1L)
                    .containsEntry(503, 1L);
            assertThat(counts.refused(IntakeCounts.Limit.DRAINING)).isOne();
            assertThat(counts.admitted()).isEqualTo(2);
        }
    }
}
