package dev.millrace.lab.clickhouse;

import static dev.millrace.lab.clickhouse.Client.ask;
import static dev.millrace.lab.clickhouse.Client.code;
import static dev.millrace.lab.clickhouse.Client.insert;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.lab.clickhouse.LoggedRequest.End;
import dev.millrace.lab.clickhouse.LoggedRequest.Ran;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClickHouseFaultTest {
    private static final AtomicInteger TABLES = new AtomicInteger();
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String ROW = "{\"n\":1}";

    private ClickHouseEngine engine;
    private ClickHouseFront front;
    private String table;

    @BeforeAll
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void launch() {
        assumeTrue(EngineLibrary.available());
        engine = ClickHouseEngine.launch();
    }

    @AfterAll
    void end() {
        if (engine != null) engine.close();
    }

    @BeforeEach
    void front() {
        front = ClickHouseFront.launch(engine, FrontSettings.open());
        table = "t" + TABLES.incrementAndGet();
        engine.execute("CREATE TABLE " + table + " (n UInt64) ENGINE = MergeTree ORDER BY n SETTINGS"
                + " non_replicated_deduplication_window = 100");
    }

    @AfterEach
    void closeFront() {
        front.close();
    }

    private LoggedRequest last() {
        return front.inserts().getLast();
    }

    private CompletableFuture<HttpResponse<String>> begin(Client client) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return client.post();
                    } catch (IOException | InterruptedException failure) {
                        throw new IllegalStateException(failure);
                    }
                },
                task -> Thread.ofVirtual().start(task));
    }

    @Test
    void aLostAnswerLeavesTheRowsAndTheRetryAddsNone() throws Exception {
        front.fault(Fault.loseAnswer().onInserts().times(1));

        assertThatThrownBy(() -> insert(front, table, ROW).token("b").post()).isInstanceOf(IOException.class);
        assertThat(last().ran()).isEqualTo(Ran.DONE);
        assertThat(last().end()).isEqualTo(End.CUT);
        assertThat(engine.count(table)).isEqualTo(1);

        assertThat(insert(front, table, ROW).token("b").post().statusCode()).isEqualTo(200);
        assertThat(engine.count(table)).isEqualTo(1);
    }

    @Test
    void anAnswerInsteadLeavesTheEngineAlone() throws Exception {
        front.fault(Fault.answer(Answer.exception(242, "TABLE_IS_READ_ONLY", "Table is in readonly mode")));

        var answer = insert(front, table, ROW).post();

        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(code(answer)).isEqualTo(242);
        assertThat(answer.body())
                .startsWith("Code: 242. DB::Exception: Table is in readonly mode. (TABLE_IS_READ_ONLY)");
        assertThat(last().ran()).isEqualTo(Ran.NO);
        front.heal();
        assertThat(insert(front, table, ROW).post().statusCode()).isEqualTo(200);
        assertThat(engine.count(table)).isEqualTo(1);
    }

    @Test
    void anAnswerAfterwardsMayLieAboutWhatIsStored() throws Exception {
        front.fault(Fault.answerAfterwards(Answer.okWithExceptionHeader(209, "SOCKET_TIMEOUT", "Timeout exceeded"))
                .times(1));
        front.fault(Fault.answerAfterwards(Answer.okWithExceptionInBody(395, "FUNCTION_THROW", "no"))
                .times(1));
        front.fault(Fault.answerAfterwards(Answer.okWithTaggedException(241, "MEMORY_LIMIT_EXCEEDED", "no"))
                .times(1));
        front.fault(Fault.answerAfterwards(Answer.of(504, "gateway")).times(1));

        var header = insert(front, table, ROW).token("a").post();
        var body = insert(front, table, ROW).token("b").post();
        var tagged = insert(front, table, ROW).token("c").post();
        var gateway = insert(front, table, ROW).token("d").post();

        assertThat(header.statusCode()).isEqualTo(200);
        assertThat(code(header)).isEqualTo(209);
        assertThat(body.statusCode()).isEqualTo(200);
        assertThat(code(body)).isZero();
        assertThat(body.body()).startsWith("Code: 395. DB::Exception: ");
        String tag = tagged.headers().firstValue(Answer.EXCEPTION_TAG).orElseThrow();
        assertThat(tagged.body())
                .startsWith("\r\n__exception__\r\n" + tag + "\r\nCode: 241.")
                .endsWith("__exception__\r\n");
        assertThat(gateway.statusCode()).isEqualTo(504);
        assertThat(engine.count(table)).isEqualTo(4);
    }

    @Test
    void anEarlyAnswerDoesNotAwaitTheBody() throws Exception {
        front.fault(Fault.answerEarly(Answer.of(413, "too large")));

        try (var socket = new Socket(front.host(), front.port())) {
            socket.getOutputStream()
                    .write(("POST /?query=INSERT+INTO+" + table
                                    + "+FORMAT+JSONEachRow HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(answer).startsWith("HTTP/1.1 413 ").contains("Connection: Close");
        }
        assertThat(last().ran()).isEqualTo(Ran.NO);
    }

    @Test
    void aBodyThatIsCutIsNotStored() throws Exception {
        front.fault(Fault.cutRequest(10).onInserts().times(1));
        byte[] rows = (ROW + "\n").repeat(100).getBytes(StandardCharsets.UTF_8);

        assertThatThrownBy(() -> ask(front, "INSERT INTO " + table + " FORMAT JSONEachRow")
                        .rows(rows)
                        .post())
                .isInstanceOf(IOException.class);

        assertThat(front.await(all -> all.getLast().end() == End.CUT, LIMIT)).isTrue();
        assertThat(last().wireBytes()).isEqualTo(10);
        assertThat(engine.count(table)).isZero();
    }

    @Test
    void aClientThatGoesAwayInItsBodyStoresNothing() throws Exception {
        try (var socket = new Socket(front.host(), front.port())) {
            socket.getOutputStream()
                    .write(("POST /?query=INSERT+INTO+" + table
                                    + "+FORMAT+JSONEachRow HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n" + ROW
                                    + "\n" + ROW + "\n")
                            .getBytes(StandardCharsets.US_ASCII));
        }

        assertThat(front.await(all -> all.size() == 1 && all.getLast().end() == End.BROKEN, LIMIT))
                .isTrue();
        assertThat(engine.count(table)).isZero();
    }

    @Test
    void anAnswerThatIsCutLeavesTheRows() throws Exception {
        front.fault(Fault.cutAnswer(30).onInserts().times(1));

        assertThatThrownBy(() -> insert(front, table, ROW).post()).isInstanceOf(IOException.class);

        assertThat(engine.count(table)).isEqualTo(1);
        assertThat(last().end()).isEqualTo(End.CUT);
    }

    @Test
    void anAnswerThatDripsArrivesWhole() throws Exception {
        front.fault(Fault.drip(10_000));

        assertThat(ask(front, "SELECT 42").post().body()).isEqualTo("42\n");
    }

    @Test
    void anEndlessAnswerEndsWhenItIsHealed() throws Exception {
        front.fault(Fault.endlessAnswer());
        try (var socket = new Socket(front.host(), front.port())) {
            socket.getOutputStream()
                    .write("POST /?query=SELECT+1 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().readNBytes(1_000_000)).hasSize(1_000_000);

            front.heal();
            assertThatThrownBy(() -> socket.getInputStream().readAllBytes()).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aHeldAnswerIsOfAnInsertThatIsStored() throws Exception {
        front.fault(Fault.holdAnswer().onInserts());
        var waiting = begin(insert(front, table, ROW));

        assertThat(front.await(all -> all.stream().anyMatch(one -> one.end() == End.HELD), LIMIT))
                .isTrue();
        assertThat(engine.count(table)).isEqualTo(1);
        assertThat(waiting).isNotDone();

        front.heal();
        assertThat(waiting.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }

    @Test
    void whatHangsRunsWhenItIsHealed() throws Exception {
        front.fault(Fault.hang().onInserts());
        var waiting = begin(insert(front, table, ROW));
        assertThat(front.await(all -> all.size() == 1, LIMIT)).isTrue();

        assertThat(ask(front, "SELECT 1").post().statusCode()).isEqualTo(200);
        assertThat(engine.count(table)).isZero();

        front.heal();
        assertThat(waiting.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertThat(engine.count(table)).isEqualTo(1);
    }

    @Test
    void aDelayEndsByItselfOrByHealing() throws Exception {
        front.fault(Fault.delay(Duration.ofMillis(20)).onInserts().times(1));
        front.fault(Fault.delayAnswer(Duration.ofDays(1)).onInserts());
        assertThat(insert(front, table, ROW).post().statusCode()).isEqualTo(200);

        var waiting = begin(insert(front, table, ROW));
        assertThat(front.await(all -> all.getLast().ran() == Ran.DONE, LIMIT)).isTrue();
        front.heal();

        assertThat(waiting.get(60, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }

    @Test
    void aKilledFrontRefusesAndItsLikeGoesOn() throws Exception {
        try (var other = ClickHouseFront.launch(engine, FrontSettings.open())) {
            front.fault(Fault.hang().onInserts());
            var waiting = begin(insert(front, table, ROW));
            assertThat(front.await(all -> all.size() == 1, LIMIT)).isTrue();

            front.kill();
            assertThat(waiting).failsWithin(LIMIT);
            assertThat(front.listening()).isFalse();
            assertThatThrownBy(() -> ask(front, "SELECT 1").post()).isInstanceOf(ConnectException.class);
            assertThat(insert(other, table, ROW).post().statusCode()).isEqualTo(200);

            int port = front.port();
            front.start();
            front.heal();
            assertThat(front.port()).isEqualTo(port);
            assertThat(front.await(all -> all.getFirst().end() == End.BROKEN, LIMIT))
                    .isTrue();
            assertThat(ask(front, "SELECT count() FROM " + table).post().body()).isEqualTo("1\n");
        }
    }

    @Test
    void pingsAreBefallenWhenTheFaultSaysSo() throws Exception {
        front.fault(Fault.answer(Answer.of(503, "no")).onPings());

        try (var socket = new Socket(front.host(), front.port())) {
            socket.getOutputStream().write("GET /ping HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(answer).startsWith("HTTP/1.1 503 ");
        }
        assertThat(ask(front, "SELECT 1").post().statusCode()).isEqualTo(200);
    }

    @Test
    void anIdleConnectionMayBeClosedByTheFront() throws Exception {
        try (var socket = new Socket(front.host(), front.port())) {
            socket.getOutputStream().write("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(front.await(all -> all.size() == 1 && all.getLast().end() == End.ANSWERED, LIMIT))
                    .isTrue();

            // The last byte may be out before the connection counts as idle.
            var closing = Thread.ofVirtual().start(() -> {
                while (!Thread.interrupted()) {
                    front.closeIdle();
                    Thread.onSpinWait();
                }
            });
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            closing.interrupt();
            assertThat(answer).startsWith("HTTP/1.1 200 OK").contains("Connection: Keep-Alive");
        }
    }

    @Test
    void aRedirectIsAnAnswerLikeAnother() throws Exception {
        front.fault(Fault.answer(Answer.redirect("http://127.0.0.1:9/")));

        var answer = ask(HttpClient.newHttpClient(), front, "SELECT 1").post();

        assertThat(answer.statusCode()).isEqualTo(307);
        assertThat(answer.headers().firstValue("Location")).contains("http://127.0.0.1:9/");
    }
}
