package dev.millrace.lab.clickhouse;

import static dev.millrace.lab.clickhouse.Client.ask;
import static dev.millrace.lab.clickhouse.Client.code;
import static dev.millrace.lab.clickhouse.Client.insert;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClickHouseFrontTest {
    private static final AtomicInteger TABLES = new AtomicInteger();

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
        engine.execute("CREATE TABLE " + table + " (n UInt64, s String, CONSTRAINT small CHECK n < 1000)"
                + " ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 100");
    }

    @AfterEach
    void closeFront() {
        front.close();
    }

    @Test
    void jsonRowsAreStoredAndTheHeadersSaySo() throws Exception {
        var answer = insert(front, table, "{\"n\":1,\"s\":\"a\"}", "{\"n\":2,\"s\":\"b\"}")
                .with("query_id", "mine")
                .with("wait_end_of_query", "1")
                .post();

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
        assertThat(code(answer)).isZero();
        assertThat(answer.headers().firstValue("X-ClickHouse-Query-Id")).contains("mine");
        assertThat(answer.headers().firstValue("X-ClickHouse-Summary").orElseThrow())
                .contains("\"written_rows\":\"2\"");
        assertThat(engine.query("SELECT n, s FROM " + table + " ORDER BY n")).isEqualTo("1\ta\n2\tb");
    }

    @Test
    void binaryRowsAreStoredWithTheZeroBytesAndLineEndsInThem() throws Exception {
        var rows = ByteBuffer.allocate(2 * 12).order(ByteOrder.LITTLE_ENDIAN);
        rows.putLong(10).put((byte) 3).put(new byte[] {'\n', '\n', 0});
        rows.putLong(0).put((byte) 3).put(new byte[] {0, '\n', '\n'});

        var answer = ask(front, "INSERT INTO " + table + " (n, s) FORMAT RowBinary")
                .chunked(rows.array())
                .post();

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(engine.query("SELECT n, hex(s) FROM " + table + " ORDER BY n"))
                .isEqualTo("0\t000A0A\n10\t0A0A00");
    }

    @Test
    void aBodyOfManyBlocksArrivesWhole() throws Exception {
        var rows = new StringBuilder();
        for (int n = 0; n < 60_000; n++)
            rows.append("{\"n\":1,\"s\":\"").append(n).append("\"}\n");
        byte[] bytes = rows.toString().getBytes(StandardCharsets.UTF_8);

        var answer = ask(front, "INSERT INTO " + table + " FORMAT JSONEachRow")
                .chunked(bytes)
                .post();

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(engine.queryLong("SELECT uniqExact(s) FROM " + table)).isEqualTo(60_000);
        assertThat(front.inserts().getLast().bodyBytes()).isEqualTo(bytes.length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "lz4", "zstd"})
    void compressedRowsAreStored(String encoding) throws Exception {
        byte[] plain = "{\"n\":1,\"s\":\"abc\"}\n".repeat(5000).getBytes(StandardCharsets.UTF_8);
        var packed = new ByteArrayOutputStream();
        try (var out = encoder(encoding, packed)) {
            out.write(plain);
        }

        var answer = ask(front, "INSERT INTO " + table + " FORMAT JSONEachRow")
                .header("Content-Encoding", encoding)
                .rows(packed.toByteArray())
                .post();

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(engine.count(table)).isEqualTo(5000);
        var logged = front.inserts().getLast();
        assertThat(logged.wireBytes()).isEqualTo(packed.size());
        assertThat(logged.bodyBytes()).isEqualTo(plain.length);
    }

    private static OutputStream encoder(String encoding, OutputStream out) throws IOException {
        return switch (encoding) {
            case "gzip" -> new GZIPOutputStream(out);
            case "lz4" -> new LZ4FrameOutputStream(out);
            default -> new ZstdOutputStream(out);
        };
    }

    @ParameterizedTest
    @CsvSource({"gzip,354,500", "lz4,618,500", "zstd,561,500", "br,48,501"})
    void aBodyThatIsNotWhatItSaysIsRefused(String encoding, int code, int status) throws Exception {
        var http = HttpClient.newHttpClient();
        var answer = ask(http, front, "INSERT INTO " + table + " FORMAT JSONEachRow")
                .header("Content-Encoding", encoding)
                .rows("{\"n\":1}\n".repeat(100))
                .post();

        assertThat(code(answer)).isEqualTo(code);
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(engine.count(table)).isZero();
        assertThat(ask(http, front, "SELECT 1").post().body()).isEqualTo("1\n");
    }

    @Test
    void theSameTokenIsStoredOnceWhicheverFrontTakesIt() throws Exception {
        try (var other = ClickHouseFront.launch(engine, FrontSettings.open())) {
            insert(front, table, "{\"n\":1}").token("batch-1").post();
            var again = insert(other, table, "{\"n\":1}").token("batch-1").post();
            insert(other, table, "{\"n\":1}").token("batch-2").post();

            assertThat(again.statusCode()).isEqualTo(200);
            assertThat(engine.count(table)).isEqualTo(2);
            assertThat(other.inserts()).extracting(LoggedRequest::token).containsExactly("batch-1", "batch-2");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"n\":\"x\"}|27|400|at row 1",
                "{\"n\":1|33|500|",
                "{\"n\":1000}|469|500|is violated at row 1",
                "{\"n\":1,\"s\":\"a|26|400|",
            })
    void badRowsHaveTheEnginesCodeAndTheServersStatus(String row, int code, int status, String says) throws Exception {
        var answer = insert(front, table, row).post();

        assertThat(code(answer)).as(answer.body()).isEqualTo(code);
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.body())
                .startsWith("Code: " + code + ". DB::Exception: ")
                .contains("(version 26.7.2.1");
        if (says != null) assertThat(answer.body()).contains(says);
        assertThat(engine.count(table)).isZero();
        var logged = front.inserts().getLast();
        assertThat(logged.ran()).isEqualTo(LoggedRequest.Ran.REFUSED);
        assertThat(logged.code()).isEqualTo(code);
        assertThat(logged.status()).isEqualTo(status);
    }

    @Test
    void binaryRowsThatBreakOffAreRefused() throws Exception {
        var answer = ask(front, "INSERT INTO " + table + " FORMAT RowBinary")
                .rows(new byte[] {1, 0, 0})
                .post();

        assertThat(code(answer)).as(answer.body()).isIn(32, 33);
        assertThat(answer.statusCode()).isEqualTo(500);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INSERT INTO nowhere FORMAT JSONEachRow|60|404",
                "INSERT INTO %s (missing) FORMAT JSONEachRow|16|500",
                "INSERT INTO %s FORMAT NoSuchFormat|73|404",
                "SELEC|62|400",
            })
    void statementsThatCannotBeRunSaySo(String sql, int code, int status) throws Exception {
        var answer = ask(front, sql.formatted(table)).rows("{\"n\":1}").post();

        assertThat(code(answer)).as(answer.body()).isEqualTo(code);
        assertThat(answer.statusCode()).isEqualTo(status);
    }

    @Test
    void settingsHoldForOneStatementAndUnknownOnesAreRefused() throws Exception {
        var http = HttpClient.newHttpClient();
        var strict = ask(http, front, "INSERT INTO " + table + " FORMAT JSONEachRow")
                .with("input_format_skip_unknown_fields", "0")
                .rows("{\"n\":1,\"zz\":1}")
                .post();
        var lenient = ask(http, front, "INSERT INTO " + table + " FORMAT JSONEachRow")
                .rows("{\"n\":1,\"zz\":1}")
                .post();
        var unknown = ask(http, front, "SELECT 1").with("no_such_setting", "1").post();
        var database = ask(http, front, "SELECT 1").with("database", "nowhere").post();

        assertThat(code(strict)).isEqualTo(117);
        assertThat(strict.statusCode()).isEqualTo(400);
        assertThat(lenient.statusCode()).isEqualTo(200);
        assertThat(code(unknown)).isEqualTo(115);
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(code(database)).isEqualTo(81);
        assertThat(front.inserts().getFirst().asked().setting("input_format_skip_unknown_fields"))
                .contains("0");
    }

    @Test
    void tooManyPartsIs252AlsoForATokenThatIsStored() throws Exception {
        String full = table + "_full";
        engine.execute("CREATE TABLE " + full + " (n UInt64) ENGINE = MergeTree ORDER BY n SETTINGS"
                + " parts_to_throw_insert = 3, parts_to_delay_insert = 100, non_replicated_deduplication_window = 100");
        engine.execute("SYSTEM STOP MERGES " + full);
        for (int n = 0; n < 3; n++) {
            assertThat(insert(front, full, "{\"n\":" + n + "}")
                            .token("b" + n)
                            .post()
                            .statusCode())
                    .isEqualTo(200);
        }

        var refused = insert(front, full, "{\"n\":3}").token("b3").post();
        var stored = insert(front, full, "{\"n\":0}").token("b0").post();

        assertThat(code(refused)).as(refused.body()).isEqualTo(252);
        assertThat(refused.statusCode()).isEqualTo(500);
        assertThat(code(stored)).isEqualTo(252);
        engine.execute("SYSTEM START MERGES " + full);
        engine.execute("OPTIMIZE TABLE " + full + " FINAL");
        assertThat(insert(front, full, "{\"n\":3}").token("b3").post().statusCode())
                .isEqualTo(200);
        assertThat(engine.count(full)).isEqualTo(4);
    }

    @Test
    void aViewThatThrowsFailsAnInsertWhoseRowsAreStored() throws Exception {
        engine.execute("CREATE TABLE " + table + "_to (n UInt64) ENGINE = MergeTree ORDER BY n");
        engine.execute("CREATE MATERIALIZED VIEW " + table + "_view TO " + table
                + "_to AS SELECT n + throwIf(s = 'bad')" + " AS n FROM " + table);

        var answer = insert(front, table, "{\"n\":1,\"s\":\"bad\"}").token("b").post();

        assertThat(code(answer)).as(answer.body()).isEqualTo(395);
        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(engine.count(table)).isEqualTo(1);
        assertThat(engine.count(table + "_to")).isZero();
    }

    @Test
    void aStatementsTimeAndMemoryAreBoundedByItsSettings() throws Exception {
        var slow = ask(front, "SELECT sum(cityHash64(number)) FROM numbers(1000000000000)")
                .with("max_execution_time", "1")
                .post();
        var large = ask(front, "SELECT length(groupArray(number)) FROM numbers(10000000)")
                .with("max_memory_usage", "10000000")
                .post();

        assertThat(code(slow)).as(slow.body()).isEqualTo(159);
        assertThat(slow.statusCode()).isEqualTo(408);
        assertThat(code(large)).as(large.body()).isEqualTo(241);
        assertThat(large.statusCode()).isEqualTo(500);
    }

    @Test
    void aHundredPartitionsAreTheMostOfOneInsert() throws Exception {
        engine.execute("CREATE TABLE " + table + "_by (n UInt64) ENGINE = MergeTree ORDER BY n PARTITION BY n");
        var rows = new StringBuilder();
        for (int n = 0; n < 101; n++) rows.append("{\"n\":").append(n).append("}\n");

        var answer = insert(front, table + "_by", rows.toString()).post();

        assertThat(code(answer)).as(answer.body()).isEqualTo(252);
        assertThat(answer.body()).contains("Too many partitions");
    }

    @Test
    void insertsOfManyClientsAtOnceAreStoredOnceEach() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new ArrayList<Future<Integer>>();
            for (int n = 0; n < 40; n++) {
                String row = "{\"n\":" + n % 20 + "}";
                String token = "token-" + n % 20;
                answers.add(threads.submit(
                        () -> insert(front, table, row).token(token).post().statusCode()));
            }
            for (var answer : answers) assertThat(answer.get()).isEqualTo(200);
        }
        assertThat(engine.count(table)).isEqualTo(20);
    }

    @Test
    void whoMayEnterIsDecidedByUserAndPassword() throws Exception {
        var settings =
                FrontSettings.open().without("default").user("ann", "secret").tokens(Set.of("tok"));
        try (var closed = ClickHouseFront.launch(engine, settings)) {
            String basic = Base64.getEncoder().encodeToString("ann:secret".getBytes(StandardCharsets.UTF_8));
            assertThat(ask(closed, "SELECT 1")
                            .header("Authorization", "Basic " + basic)
                            .post()
                            .statusCode())
                    .isEqualTo(200);
            assertThat(ask(closed, "SELECT 1")
                            .header("X-ClickHouse-User", "ann")
                            .header("X-ClickHouse-Key", "secret")
                            .post()
                            .statusCode())
                    .isEqualTo(200);
            assertThat(ask(closed, "SELECT 1")
                            .with("user", "ann")
                            .with("password", "secret")
                            .post()
                            .statusCode())
                    .isEqualTo(200);
            assertThat(ask(closed, "SELECT 1")
                            .header("Authorization", "Bearer tok")
                            .post()
                            .statusCode())
                    .isEqualTo(200);

            for (var wrong : Set.of(
                    ask(closed, "SELECT 1"),
                    ask(closed, "SELECT 1").header("X-ClickHouse-User", "ann").header("X-ClickHouse-Key", "no"),
                    ask(closed, "SELECT 1").header("Authorization", "Bearer no"),
                    ask(closed, "SELECT 1")
                            .header("X-ClickHouse-User", "ann")
                            .header("Authorization", "Basic " + basic))) {
                var answer = wrong.post();
                assertThat(answer.statusCode()).isEqualTo(403);
                assertThat(code(answer)).isEqualTo(516);
            }
            var ping =
                    HttpRequest.newBuilder(URI.create(closed.url() + "/ping")).build();
            var answer = HttpClient.newHttpClient().send(ping, BodyHandlers.ofString());
            assertThat(answer.body()).isEqualTo("Ok.\n");
        }
    }

    @Test
    void whatIsAskedByGetChangesNothing() throws Exception {
        assertThat(ask(front, "SELECT 1 FORMAT JSONEachRow").get().body()).isEqualTo("{\"1\":1}\n");
        assertThat(code(ask(front, "TRUNCATE TABLE " + table).get())).isEqualTo(164);
    }

    @Test
    void aStatementMayStandInTheBodyWithItsRows() throws Exception {
        assertThat(ask(front, "").rows("SELECT 40 + 2").post().body()).isEqualTo("42\n");
        assertThat(ask(front, "")
                        .rows("INSERT INTO " + table + " FORMAT JSONEachRow\n{\"n\":7}")
                        .post()
                        .statusCode())
                .isEqualTo(200);
        assertThat(ask(front, "INSERT INTO " + table + " (n) VALUES")
                        .rows("(8), (9)")
                        .post()
                        .statusCode())
                .isEqualTo(200);
        assertThat(ask(front, "INSERT INTO " + table + " SELECT 10, 'é'").post().statusCode())
                .isEqualTo(200);
        assertThat(engine.queryLong("SELECT sum(n) FROM " + table)).isEqualTo(34);
        assertThat(ask(front, "SELECT s FROM " + table + " WHERE s = 'é'")
                        .post()
                        .body())
                .isEqualTo("é\n");
    }
}
