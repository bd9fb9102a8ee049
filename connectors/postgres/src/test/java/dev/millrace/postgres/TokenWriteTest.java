package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.AMPLE;
import static dev.millrace.postgres.Warehouse.SHARD;
import static dev.millrace.postgres.Warehouse.address;
import static dev.millrace.postgres.Warehouse.settings;
import static dev.millrace.postgres.Warehouse.withTokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.Recognition;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.TokenLog;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Misconfigured;
import dev.millrace.sinkpool.WriteOutcome.Refused;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.util.ArrayList;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Rows under a token stand once, in whatever parts and order they come. The table has no key to help.
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TokenWriteTest {
    private static final Token BATCH = new Token("00112233445566778899aabbccddeeff");
    private static final Token NEXT = new Token("00112233445566778899aabbccddef00");
    private static final Recognition BY_ROW = new Recognition(TokenLog.SHARED, NanoClock.NEVER, true, false);
    private static final int ROWS = 24;

    private LabPostgres server;

    @BeforeAll
    void launch() {
        server = LabPostgres.launch();
        server.createDatabase("shop");
        server.createUser("clerk", "secret-of-clerk");
    }

    @AfterAll
    void close() {
        server.close();
    }

    @BeforeEach
    void begin() {
        server.execute("shop", "drop table if exists t; create table t (id int not null)");
        Warehouse.makeTokenTable(server, "shop");
    }

    private Warehouse open(OnConflict onConflict) {
        return Warehouse.open(withTokens("t", onConflict), address(server, "shop"));
    }

    private static BatchRows rows(Warehouse warehouse, int count) {
        return warehouse.rows(
                IntStream.range(0, count).mapToObj(id -> "{\"id\":" + id + "}").toArray(String[]::new));
    }

    private static WriteOutcome write(Warehouse warehouse, BatchRows batch, Token token, int from, int to)
            throws Exception {
        return warehouse.writer().write(new Call(batch, token, from, to, AMPLE));
    }

    private void eachRowStandsOnce(int rows) {
        assertThat(server.query("shop", "select count(*), count(distinct id) from t"))
                .containsExactly(rows + "|" + rows);
    }

    @ParameterizedTest
    @EnumSource(OnConflict.class)
    @DisplayName("EO-13: a batch that comes again is a duplicate, whoever sends it, and another one is not")
    void aBatchThatComesAgainIsADuplicate(OnConflict onConflict) throws Exception {
        try (var warehouse = open(onConflict);
                var other = open(onConflict)) {
            assertThat(warehouse.sink().recognition(SHARD)).isEqualTo(BY_ROW);
            var batch = rows(warehouse, ROWS);
            assertThat(write(warehouse, batch, BATCH, 0, ROWS)).isEqualTo(new Written(ROWS, 0));
            assertThat(write(warehouse, batch, BATCH, 0, ROWS)).isEqualTo(new Written(0, ROWS));
            assertThat(write(other, rows(other, ROWS), BATCH, 0, ROWS)).isEqualTo(new Written(0, ROWS));
            eachRowStandsOnce(ROWS);
            assertThat(write(other, rows(other, ROWS), NEXT, 0, ROWS)).isEqualTo(new Written(ROWS, 0));
            assertThat(server.count("shop", "t")).isEqualTo(2 * ROWS);
        }
        assertThat(server.query(
                        "shop",
                        "select encode(token, 'hex'), pipeline, sink, shard, topic_id, part, seg_end"
                                + " from millrace_segments order by token"))
                .containsExactly(
                        BATCH.text() + "|shop|warehouse|a|t|0|" + ROWS, NEXT.text() + "|shop|warehouse|a|t|0|" + ROWS);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    @DisplayName("EO-7: whatever parts came before, in whatever order, only rows that are missing are stored")
    void onlyRowsThatAreMissingAreStored(long seed) throws Exception {
        var chance = new Random(seed);
        try (var warehouse = open(chance.nextBoolean() ? OnConflict.ERROR : OnConflict.IGNORE)) {
            // Small slabs: a part cuts through chunks.
            var values = IntStream.range(0, ROWS)
                    .mapToObj(id -> "{\"id\":" + id + "}")
                    .toList();
            var batch = Records.batch(warehouse.sink().encoder(), 20, values);
            var in = new java.util.BitSet();
            for (var i = 0; i < 12; i++) {
                var from = chance.nextInt(ROWS);
                var to = from + 1 + chance.nextInt(ROWS - from);
                if (i == 11) {
                    from = 0;
                    to = ROWS;
                }
                var known = in.get(from, to).cardinality();
                assertThat(write(warehouse, batch, BATCH, from, to))
                        .as("seed " + seed + ", rows " + from + " to " + to)
                        .isEqualTo(new Written(to - from - known, known));
                in.set(from, to);
                assertThat(server.query("shop", "select id from t order by id"))
                        .isEqualTo(in.stream().mapToObj(Integer::toString).toList());
            }
        }
        eachRowStandsOnce(ROWS);
    }

    @Test
    @DisplayName("EO-7: a row that is refused is named by its place in what was asked, not in what was missing")
    void aRefusedRowIsNamedByItsPlace() throws Exception {
        server.execute("shop", "alter table t add check (id <> 7)");
        try (var warehouse = open(OnConflict.ERROR)) {
            var batch = rows(warehouse, 10);
            assertThat(write(warehouse, batch, BATCH, 1, 4)).isEqualTo(new Written(3, 0));
            assertThat(write(warehouse, batch, BATCH, 8, 10)).isEqualTo(new Written(2, 0));
            assertThat(write(warehouse, batch, BATCH, 0, 10))
                    .isInstanceOfSatisfying(
                            Refused.class,
                            refused -> assertThat(refused.rowHint()).isEqualTo(7));
            // Its token went with its rows.
            assertThat(server.count("shop", "millrace_segments")).isEqualTo(2);
            assertThat(write(warehouse, batch, BATCH, 2, 8))
                    .isInstanceOfSatisfying(
                            Refused.class,
                            refused -> assertThat(refused.rowHint()).isEqualTo(5));
            assertThat(write(warehouse, batch, BATCH, 0, 7)).isEqualTo(new Written(4, 3));
        }
        eachRowStandsOnce(9);
    }

    /// What the default of a role or database is must not decide what a writer sees after it waited.
    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    @DisplayName("EO-13: two writers of parts of one batch that overlap are one after the other")
    void writersOfOneBatchAreOneAfterTheOther(String isolation) throws Exception {
        server.execute("shop", "alter database shop set default_transaction_isolation = '" + isolation + "'");
        try (var one = open(OnConflict.ERROR);
                var other = open(OnConflict.ERROR);
                var gate = server.connect("shop")) {
            var batch = rows(one, ROWS);
            gate.setAutoCommit(false);
            gate.createStatement().execute("lock table t in exclusive mode");
            var first = one.begin(new Call(batch, BATCH, 0, 16, AMPLE));
            Warehouse.await(server, "shop", Warehouse.WAITING_FOR_LOCK, 1);
            var second = other.begin(new Call(rows(other, ROWS), BATCH, 8, ROWS, AMPLE));
            Warehouse.await(server, "shop", Warehouse.WAITING_FOR_LOCK, 2);
            assertThat(server.queryLong(
                            "shop", "select count(*) from pg_locks where locktype = 'advisory' and not granted"))
                    .isOne();
            gate.commit();
            assertThat(first.get()).isEqualTo(new Written(16, 0));
            assertThat(second.get()).isEqualTo(new Written(8, 8));
        } finally {
            server.execute("shop", "alter database shop reset default_transaction_isolation");
        }
        eachRowStandsOnce(ROWS);
    }

    @Test
    @DisplayName("EO-13: of many that send the same at once one stores it")
    void ofManyThatSendTheSameOneStoresIt() throws Exception {
        var warehouses = new ArrayList<Warehouse>();
        try {
            for (var i = 0; i < 6; i++) warehouses.add(open(OnConflict.ERROR));
            for (var round = 0; round < 10; round++) {
                var token = new Token("round " + round);
                var calls = warehouses.stream()
                        .map(one -> one.begin(new Call(rows(one, ROWS), token, 0, ROWS, AMPLE)))
                        .toList();
                var accepted = 0L;
                for (var call : calls) accepted += ((Written) call.get()).accepted();
                assertThat(accepted).isEqualTo(ROWS);
            }
        } finally {
            warehouses.forEach(Warehouse::close);
        }
        assertThat(server.count("shop", "t")).isEqualTo(10 * ROWS);
    }

    @Test
    @DisplayName("EO-13: without its table nothing is stored where tokens were in use, and it goes on when it is back")
    void withoutItsTableNothingIsStored() throws Exception {
        try (var warehouse = open(OnConflict.ERROR)) {
            var batch = rows(warehouse, ROWS);
            server.execute("shop", "alter table millrace_segments rename to elsewhere");
            assertThat(write(warehouse, batch, BATCH, 0, ROWS))
                    .isInstanceOfSatisfying(
                            Misconfigured.class,
                            held -> assertThat(held.failure().message()).contains("millrace_segments"));
            assertThat(server.count("shop", "t")).isZero();
            server.execute("shop", "alter table elsewhere rename to millrace_segments");
            assertThat(write(warehouse, batch, BATCH, 0, ROWS)).isEqualTo(new Written(ROWS, 0));
        }
    }

    @Test
    @DisplayName("EO-11: where the table was not there at the start, rows go without tokens to the end, and it is told")
    void whereTheTableWasNotThereRowsGoWithoutTokens() throws Exception {
        server.execute("shop", "drop table millrace_segments");
        try (var warehouse = open(OnConflict.ERROR)) {
            assertThat(warehouse.sink().recognition(SHARD)).isEqualTo(Recognition.of(TokenLog.NONE));
            assertThat(warehouse.sink().describe(Warehouse.in(AMPLE)))
                    .isInstanceOfSatisfying(
                            Description.Described.class,
                            described -> assertThat(described.hazards())
                                    .singleElement()
                                    .asString()
                                    .contains("no table public.millrace_segments", "millrace init"));
            var batch = rows(warehouse, ROWS);
            assertThat(write(warehouse, batch, BATCH, 0, ROWS)).isEqualTo(new Written(ROWS, 0));
            // A row that went out without its token would not be found by it.
            Warehouse.makeTokenTable(server, "shop");
            assertThat(warehouse.sink().describe(Warehouse.in(AMPLE))).isInstanceOf(Description.Described.class);
            assertThat(warehouse.sink().recognition(SHARD)).isEqualTo(Recognition.of(TokenLog.NONE));
            assertThat(write(warehouse, batch, BATCH, 0, ROWS)).isEqualTo(new Written(ROWS, 0));
            assertThat(server.count("shop", "millrace_segments")).isZero();
        }
    }

    @Test
    @DisplayName(
            "PG-5: without the table a repeat is recognised where on_conflict: ignore has an index that names a row")
    void aKeyRecognisesWhatItNames() {
        server.execute("shop", """
                drop table millrace_segments;
                drop table if exists keyed, counted, partly;
                create table keyed (id int primary key);
                create table counted (id int not null, line bigint generated always as identity primary key);
                create table partly (id int not null); create unique index on partly (id) where id > 0""");
        assertThat(recognition("keyed", OnConflict.IGNORE)).isEqualTo(BY_ROW);
        assertThat(recognition("keyed", OnConflict.ERROR)).isEqualTo(Recognition.of(TokenLog.NONE));
        assertThat(recognition("counted", OnConflict.IGNORE)).isEqualTo(Recognition.of(TokenLog.NONE));
        assertThat(recognition("partly", OnConflict.IGNORE)).isEqualTo(Recognition.of(TokenLog.NONE));
    }

    private Recognition recognition(String table, OnConflict onConflict) {
        try (var warehouse = Warehouse.open(withTokens(table, onConflict), address(server, "shop"))) {
            return warehouse.sink().recognition(SHARD);
        }
    }

    @Test
    @DisplayName("EO-13: tokens that are off change nothing")
    void tokensThatAreOffChangeNothing() throws Exception {
        try (var warehouse = Warehouse.open(settings("t"), address(server, "shop"))) {
            assertThat(warehouse.sink().recognition(SHARD)).isEqualTo(Recognition.SHARED);
            var batch = rows(warehouse, ROWS);
            assertThat(write(warehouse, batch, BATCH, 0, ROWS)).isEqualTo(new Written(ROWS, 0));
            assertThat(write(warehouse, batch, BATCH, 0, ROWS)).isEqualTo(new Written(ROWS, 0));
        }
        assertThat(server.count("shop", "millrace_segments")).isZero();
    }

    @Test
    @DisplayName("EO-13: a writer needs no more than four rights to the table of tokens")
    void fourRightsWillDo() throws Exception {
        server.execute(
                "shop",
                "grant insert on t to clerk; grant select, insert, update, delete on millrace_segments to clerk");
        try (var warehouse = Warehouse.open(
                withTokens("t", "clerk", "secret-of-clerk", OnConflict.ERROR), address(server, "shop"))) {
            assertThat(write(warehouse, rows(warehouse, 2), BATCH, 0, 2)).isEqualTo(new Written(2, 0));
            assertThat(write(warehouse, rows(warehouse, 2), BATCH, 0, 2)).isEqualTo(new Written(0, 2));
        }
    }

    @Test
    @DisplayName("EO-7: a token that names other rows than it comes with stores nothing")
    void aTokenOfOtherRowsStoresNothing() {
        try (var warehouse = open(OnConflict.ERROR)) {
            var batch = rows(warehouse, 4);
            var call = new Call(batch, BATCH, 0, 2, AMPLE);
            assertThatThrownBy(() -> TokenRow.of(new TokenTable("public"), "shop", new Misnamed(call, batch)))
                    .hasMessageContaining("names 2 rows of 4");
        }
    }

    /// A call that has all rows, and the token of some.
    private record Misnamed(Call call, BatchRows rows) implements dev.millrace.sinkpool.WriteCall {
        @Override
        public dev.millrace.sinkpool.SealedBatch batch() {
            return call.batch();
        }

        @Override
        public Token token() {
            return call.token();
        }

        @Override
        public boolean mayBeStored() {
            return false;
        }

        @Override
        public long deadlineNanos() {
            return call.deadlineNanos();
        }

        @Override
        public void onCancel(Runnable end) {}
    }

    @Test
    @Tag("EO-13")
    void keysOfABatchStandBesideEachOther() {
        var whole = TokenKey.of(BATCH);
        assertThat(whole.bytes()).hasSize(16).isEqualTo(whole.first());
        var part = TokenKey.of(BATCH.part(3, Integer.MAX_VALUE)).bytes();
        assertThat(part).hasSize(24).startsWith(whole.bytes());
        assertThat(java.util.Arrays.compareUnsigned(part, whole.last())).isNegative();
        assertThat(java.util.Arrays.compareUnsigned(TokenKey.of(NEXT).first(), whole.last()))
                .isPositive();
        // Hex digits of another case are another text, and so is any other.
        assertThat(TokenKey.of(new Token(BATCH.text().toUpperCase(java.util.Locale.ROOT)))
                        .first())
                .isNotEqualTo(whole.first());
        assertThat(TokenKey.of(new Token("run/warehouse/a/7")).first()).hasSize(16);
    }
}
