package dev.millrace.clickhouse;

import static dev.millrace.clickhouse.Stub.CLICKHOUSE;
import static dev.millrace.clickhouse.Stub.answer;
import static dev.millrace.clickhouse.Stub.exception;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import dev.millrace.sinkpool.WriteOutcome.Misconfigured;
import dev.millrace.sinkpool.WriteOutcome.Refused;
import dev.millrace.sinkpool.WriteOutcome.TooLarge;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What an answer comes to. Every batch is of three rows, each of which holds the marker.
@Timeout(120)
class AnswerTest {
    private static final String MARKER = "m4rker";
    private static final String LONG = "x".repeat(100_000);

    private static WriteOutcome to(Stub.Turn turn) throws Exception {
        try (var stub = Stub.listen(turn);
                var bench = Bench.at(stub)) {
            var outcome = bench.write("{\"id\":1,\"s\":\"m4rker\"}", "{\"id\":2}", "{\"id\":3}");
            assertThat(stub.requests()).as("requests").hasSize(1);
            assertThat(outcome.toString()).doesNotContain(MARKER);
            return outcome;
        }
    }

    private static void mayHaveStored(WriteOutcome outcome, String code) {
        assertThat(outcome).isInstanceOf(Unavailable.class);
        var failure = ((Unavailable) outcome).failure();
        assertThat(failure.code()).isEqualTo(code);
        assertThat(failure.mayHaveStored()).isTrue();
    }

    private static void storedNothing(WriteOutcome outcome, String code) {
        assertThat(outcome).isInstanceOf(Unavailable.class);
        var failure = ((Unavailable) outcome).failure();
        assertThat(failure.code()).isEqualTo(code);
        assertThat(failure.mayHaveStored()).isFalse();
    }

    @Test
    @DisplayName("CH-1: HTTP 200 of ClickHouse's with nothing in it is a success")
    void success() throws Exception {
        assertThat(to(Stub.ok())).isEqualTo(new Written(3, 0));
    }

    @Test
    @DisplayName("CASE-2 INPUT-39, CH-1: an exception's code in the header makes HTTP 200 a failure")
    void codeBehind200() throws Exception {
        mayHaveStored(to(exception("200 OK", 209, "Timeout exceeded while reading from socket")), "209");
        mayHaveStored(to(answer("200 OK", CLICKHOUSE + "X-ClickHouse-Exception-Code: 241\r\n", "")), "241");
    }

    @Test
    @DisplayName("CASE-3: a success that counts fewer rows than were sent is ambiguous; more, none and nonsense say"
            + " nothing")
    void countedRows() throws Exception {
        for (var few : new String[] {"{\"read_rows\":\"3\",\"written_rows\":\"2\"}", "{\"written_rows\": 1}"})
            mayHaveStored(to(answer("200 OK", summary(few), "")), "short-count");
        for (var silent : new String[] {
            "{\"written_rows\":\"3\"}",
            "{\"written_rows\":\"6\"}",
            "{\"written_rows\":\"0\"}",
            "{\"written_rows\":\"-1\"}",
            "{\"written_rows\":\"1234567890123456789012\"}",
            "{\"written_rows\":",
            "written_rows",
            "",
            "x".repeat(8000) + "\"written_rows\":\"1\""
        }) assertThat(to(answer("200 OK", summary(silent), ""))).as(silent).isEqualTo(new Written(3, 0));
    }

    private static String summary(String json) {
        return CLICKHOUSE + "X-ClickHouse-Summary: " + json + "\r\n";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Code: 241. DB::Exception: Memory limit (total) exceeded",
                "Code: 241, e.displayText() = DB::Exception: Memory limit",
                "__exception__\r\nabcd\r\nCode: 241. DB::Exception: Memory limit"
            })
    @DisplayName("CASE-2 INPUT-39, CH-1: an exception in the body makes HTTP 200 a failure, however late in it")
    void textBehind200(String text) throws Exception {
        mayHaveStored(to(answer("200 OK", CLICKHOUSE, text)), "241");
        mayHaveStored(to(answer("200 OK", CLICKHOUSE, LONG + text)), "241");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DB::Exception: something",
                "DB::NetException: something",
                "Poco::Exception. Code: 1000, e.code() = 32, I/O error: Broken pipe",
                "std::exception. Code: 1001, type: std::bad_alloc",
                "__exception__\r\nabcd\r\n"
            })
    @DisplayName("CH-1: an exception without a code in the body makes HTTP 200 a failure, whosever it is")
    void textWithoutCode(String text) throws Exception {
        mayHaveStored(to(answer("200 OK", CLICKHOUSE, text)), "exception");
    }

    @Test
    @DisplayName("CH-1: an exception's code that is no number, or comes after a 0, makes HTTP 200 a failure")
    void oddCodeBehind200() throws Exception {
        var name = "X-ClickHouse-Exception-Code: ";
        for (var odd : new String[] {"", "no", "-1", "1234567890"})
            mayHaveStored(to(answer("200 OK", CLICKHOUSE + name + odd + "\r\n", "")), "exception");
        mayHaveStored(to(answer("200 OK", CLICKHOUSE + name + "0\r\n" + name + "241\r\n", "")), "241");
        assertThat(to(answer("200 OK", CLICKHOUSE + name + "0\r\n", ""))).isEqualTo(new Written(3, 0));
    }

    @Test
    @DisplayName("CH-1: HTTP 200 with more behind it than is looked through is a failure: an exception may be in it")
    void textInTheMiddle() throws Exception {
        mayHaveStored(to(answer("200 OK", CLICKHOUSE, LONG + "DB::Exception: no" + LONG)), "answer-cut");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 10\r\n\r\nabc",
                "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                "Transfer-Encoding: chunked\r\n\r\nno chunk",
            })
    @DisplayName("CASE-2 INPUT-39, CH-1: an answer that does not end is a failure that may have stored")
    void cutAnswer(String rest) throws Exception {
        var outcome = to(line -> {
            line.read();
            line.say("HTTP/1.1 200 OK\r\n" + CLICKHOUSE + rest);
            line.cut();
        });
        assertThat(outcome).isInstanceOf(Unavailable.class);
        var failure = ((Unavailable) outcome).failure();
        // Who hears the end first, the reader of the body or who waits for it, is chance.
        assertThat(failure.code()).isIn("answer-cut", "no-answer");
        assertThat(failure.mayHaveStored()).isTrue();
    }

    @Test
    @DisplayName("CH-1: an answer without a bound is cut at ours, and may have stored")
    void endlessAnswer() throws Exception {
        mayHaveStored(
                to(line -> {
                    line.read();
                    line.say("HTTP/1.1 200 OK\r\n" + CLICKHOUSE + "\r\n");
                    while (true) line.say(LONG);
                }),
                "answer-cut");
    }

    @Test
    @DisplayName("INPUT-39: an answer that is packed, which nobody asked for, can hide an exception: ambiguous")
    void packedAnswer() throws Exception {
        for (var how : new String[] {"gzip", "zstd", "nonsense"})
            mayHaveStored(
                    to(answer("200 OK", CLICKHOUSE + "Content-Encoding: " + how + "\r\n", "\u001f\u008b garbage")),
                    "answer-cut");
        assertThat(to(answer("200 OK", CLICKHOUSE + "Content-Encoding: identity\r\n", "")))
                .isEqualTo(new Written(3, 0));
    }

    @Test
    @DisplayName("INPUT-39: what comes before the answer itself is none")
    void continued() throws Exception {
        assertThat(to(line -> {
                    line.read();
                    line.say("HTTP/1.1 100 Continue\r\n\r\n");
                    line.say("HTTP/1.1 200 OK\r\n" + CLICKHOUSE + "Content-Length: 0\r\n\r\n");
                }))
                .isEqualTo(new Written(3, 0));
        var refused = to(line -> {
            line.read();
            line.say("HTTP/1.1 100 Continue\r\n\r\n");
            line.say("HTTP/1.1 500 No\r\n" + CLICKHOUSE
                    + "X-ClickHouse-Exception-Code: 210\r\nContent-Length: 0\r\n\r\n");
        });
        mayHaveStored(refused, "210");
        assertThat(to(line -> {
                    line.read();
                    line.say("HTTP/1.1 100 Continue\r\n\r\n");
                    line.cut();
                }))
                .isInstanceOfSatisfying(
                        Unavailable.class,
                        outcome -> assertThat(outcome.failure().mayHaveStored()).isTrue());
    }

    @ParameterizedTest
    @CsvSource({"241, Memory limit exceeded", "243, no space", "252, Too many parts (300)", "202, 100 queries"})
    @DisplayName("INPUT-46: what a server has not enough of slows the shard down, and blames no row and no replica")
    void notEnough(int code, String text) throws Exception {
        assertThat(to(exception("500 Internal Server Error", code, text)))
                .isInstanceOfSatisfying(
                        Unavailable.class,
                        outcome -> assertThat(outcome.blame()).isEqualTo(new Blame.Overload(0)));
    }

    @Test
    @DisplayName("CH-5: a cut answer to an error proves nothing of the rows, since its end may have named a view")
    void cutError() throws Exception {
        mayHaveStored(
                to(line -> {
                    line.read();
                    line.say("HTTP/1.1 500 Internal Server Error\r\n" + CLICKHOUSE
                            + "X-ClickHouse-Exception-Code: 6\r\nContent-Length: 100\r\n\r\nCode: 6. DB::Exc");
                    line.cut();
                }),
                "6");
    }

    @Test
    @DisplayName(
            "CASE-16, CH-4: code 252 is two things: too many parts is an overload, too many partitions is too large")
    void tooManyParts() throws Exception {
        var parts = to(exception("500 Internal Server Error", 252, "Too many parts (300) in table 'shop.events'"));
        mayHaveStored(parts, "252");
        assertThat(((Unavailable) parts).blame()).isEqualTo(new Blame.Overload(0));
        var partitions = to(exception(
                "500 Internal Server Error", 252, "Too many partitions for single INSERT block (more than 100)"));
        assertThat(partitions).isInstanceOf(TooLarge.class);
        assertThat(((TooLarge) partitions).failure().mayHaveStored()).isFalse();
    }

    @Test
    @DisplayName("CH-4: the code decides and not the status: 4xx and 5xx are each rows, settings and outages")
    void codeNotStatus() throws Exception {
        for (var status : new String[] {"400 Bad Request", "404 Not Found", "500 Internal Server Error"}) {
            assertThat(to(exception(status, 27, "Cannot parse input: (at row 2)\n: While executing")))
                    .isInstanceOfSatisfying(Refused.class, refused -> {
                        assertThat(refused.rowHint()).isEqualTo(1);
                        assertThat(refused.failure().mayHaveStored()).isFalse();
                    });
            assertThat(to(exception(status, 60, "Table shop.events does not exist")))
                    .isInstanceOfSatisfying(
                            Misconfigured.class,
                            misconfigured -> assertThat(misconfigured.failure().message())
                                    .contains("UNKNOWN_TABLE", "shop.events does not exist"));
            mayHaveStored(to(exception(status, 210, "I/O error")), "210");
        }
    }

    @Test
    @DisplayName("CH-4: the code in the body counts where a proxy took the header away")
    void codeInBodyAlone() throws Exception {
        assertThat(to(answer("500 Internal Server Error", "", "Code: 27. DB::Exception: Cannot parse (at row 3)")))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.rowHint()).isEqualTo(2));
    }

    @ParameterizedTest
    @ValueSource(ints = {9999, 555, 2})
    @DisplayName("CH-4: a code that nobody knows is unavailable and may have stored")
    void unknownCode(int code) throws Exception {
        mayHaveStored(to(exception("400 Bad Request", code, "news of m4rker")), Integer.toString(code));
    }

    @ParameterizedTest
    @CsvSource({"500, http-500", "502, http-502", "504, http-504", "503, http-503", "400, http-400", "599, http-599"})
    @DisplayName("CH-4: without a code the status decides: an error of the server's may have stored")
    void statusAlone(int status, String code) throws Exception {
        mayHaveStored(to(answer(status + " Because", "", "<html>sorry</html>")), code);
    }

    @Test
    @DisplayName("CH-4: without a code 413 is too large, 429 and 503 are overloads that may name a time")
    void statusesOfProxies() throws Exception {
        assertThat(to(answer("413 Payload Too Large", "", ""))).isInstanceOf(TooLarge.class);
        var busy = to(answer("429 Too Many Requests", "Retry-After: 7\r\n", ""));
        storedNothing(busy, "http-429");
        assertThat(((Unavailable) busy).blame()).isEqualTo(new Blame.Overload(7_000_000_000L));
        var away = to(answer("503 Service Unavailable", "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n", ""));
        assertThat(((Unavailable) away).blame()).isEqualTo(new Blame.Overload(0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Value passed to 'throwIf' function is non-zero: while executing 'FUNCTION throwIf(x :: 1)': while"
                        + " pushing to view shop.mv. (FUNCTION_THROW_IF_VALUE_IS_NON_ZERO) (version 26.7.2.1)",
                "Cannot parse string '(at row 1)' as UInt64: while executing 'FUNCTION toUInt64(s :: 1)': while pushing"
                        + " to view shop.mv (8f6e): while pushing to view shop.`my mv`. (CANNOT_PARSE_TEXT)",
                "Attempt to read after eof: while write prefix to view shop.mv",
            })
    @DisplayName("CH-5: an error of a view behind the table is ambiguous, whatever its code")
    void viewThrew(String text) throws Exception {
        for (var code : new int[] {6, 27, 252, 395, 497, 60, 9999}) {
            var outcome = to(exception("500 Internal Server Error", code, text));
            mayHaveStored(outcome, Integer.toString(code));
            assertThat(((Unavailable) outcome).blame()).isEqualTo(new Blame.Nobody());
            mayHaveStored(to(exception("500 Internal Server Error", code, LONG + text)), Integer.toString(code));
        }
    }

    @Test
    @DisplayName("CH-5: a row that quotes such an error does not hold its batch for ever")
    void rowQuotesAView() throws Exception {
        assertThat(to(exception(
                        "400 Bad Request",
                        27,
                        "Cannot parse input: expected '\"' before: ': while pushing to view x': (at row 2)\n: While"
                                + " executing JSONEachRowRowInputFormat. (CANNOT_PARSE_INPUT_ASSERTION_FAILED)")))
                .isInstanceOf(Refused.class);
        assertThat(to(exception(
                        "400 Bad Request",
                        6,
                        "Cannot parse string ': while pushing to view x' as UInt64: while executing 'FUNCTION"
                                + " toUInt64(s : 1) -> toUInt64(s) UInt64 : 4'. (CANNOT_PARSE_TEXT)")))
                .isInstanceOf(Refused.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {159, 209, 210, 236, 242, 285, 286, 319, 394, 735, 999})
    @DisplayName("CH-5: a time-out, an unknown status, a lost quorum or keeper may come after the rows were stored")
    void mayComeAfterwards(int code) throws Exception {
        mayHaveStored(to(exception("500 Internal Server Error", code, "")), Integer.toString(code));
    }

    @Test
    void rowsAreNamedInTwoWays() throws Exception {
        assertThat(hint(27, "m4rker (at row 1): (at row 2)\n: While")).isEqualTo(1);
        assertThat(hint(469, "Constraint `k` is violated at row 3. Expression: m4rker = '(at row 1)'"))
                .isEqualTo(2);
        assertThat(hint(27, "(at row 4)")).isEqualTo(-1);
        assertThat(hint(27, "(at row 0)")).isEqualTo(-1);
        assertThat(hint(27, "(at row 99999999999)")).isEqualTo(-1);
        assertThat(hint(27, "")).isEqualTo(-1);
    }

    private static int hint(int code, String text) throws Exception {
        return ((Refused) to(exception("400 Bad Request", code, text))).rowHint();
    }

    @Test
    @DisplayName("CH-6: a replica that is read-only is told and blamed")
    void readOnly() throws Exception {
        var outcome = to(exception("500 Internal Server Error", 242, "Table is in readonly mode"));
        mayHaveStored(outcome, "242");
        assertThat(((Unavailable) outcome).blame()).isEqualTo(new Blame.Replica());
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308, 304})
    @DisplayName("INPUT-39, CH-6: a redirect is an error and is not followed")
    void redirects(int status) throws Exception {
        try (var elsewhere = Stub.listen(Stub.ok())) {
            var outcome = to(answer(status + " Away", "Location: " + elsewhere.uri() + "/?query=x\r\n", ""));
            storedNothing(outcome, "redirect");
            assertThat(((Unavailable) outcome).blame()).isEqualTo(new Blame.Replica());
            assertThat(elsewhere.connections()).isZero();
        }
    }

    @Test
    @DisplayName("INPUT-40, CH-6: what is not ClickHouse at all is told and blamed, also behind HTTP 200")
    void notClickHouse() throws Exception {
        mayHaveStored(to(answer("200 OK", "Server: nginx\r\n", "<html>Welcome to nginx!</html>")), "not-clickhouse");
        mayHaveStored(to(answer("200 OK", "", "")), "not-clickhouse");
        storedNothing(to(answer("404 Not Found", "", "nothing here")), "not-clickhouse");
        storedNothing(to(answer("405 Method Not Allowed", "", "")), "not-clickhouse");
        mayHaveStored(
                to(line -> {
                    line.read();
                    line.say("SSH-2.0-OpenSSH_9.2\r\n");
                    line.cut();
                }),
                "no-answer");
    }

    @ParameterizedTest
    @CsvSource({"516, 403", "516, 401", "192, 401", "193, 401", "194, 401", "195, 403", "720, 403", "0, 401", "0, 403"})
    @DisplayName("INPUT-44, CH-7: a login that fails holds the batch: no row is refused, no replica blamed")
    void loginFails(int code, int status) throws Exception {
        var outcome = code == 0
                ? to(answer(status + " No", "", ""))
                : to(exception(status + " No", code, "ingest: Authentication failed: m4rker"));
        assertThat(outcome).isInstanceOfSatisfying(Misconfigured.class, misconfigured -> {
            assertThat(misconfigured.failure().mayHaveStored()).isFalse();
            assertThat(misconfigured.failure().code()).isEqualTo(code == 0 ? "http-" + status : Integer.toString(code));
        });
    }
}
