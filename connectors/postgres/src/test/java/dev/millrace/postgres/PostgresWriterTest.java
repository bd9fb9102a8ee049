package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.address;
import static dev.millrace.postgres.Warehouse.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.Cue;
import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import dev.millrace.sinkpool.WriteOutcome.Refused;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PostgresWriterTest {
    private static final String ONE = "{\"id\":1,\"name\":\"a\"}";
    private static final String TWO = "{\"id\":2,\"name\":\"b\"}";

    private LabPostgres server;
    private ChaosProxy proxy;

    @BeforeAll
    void launch() {
        server = LabPostgres.launch();
        server.createDatabase("shop");
        server.execute("shop", "create table t (id int primary key, name text, at timestamptz)");
    }

    @AfterAll
    void close() {
        server.close();
    }

    @BeforeEach
    void begin() {
        server.execute("shop", "truncate t");
        proxy = ChaosProxy.launch(server.host(), server.port());
    }

    @AfterEach
    void end() {
        proxy.close();
    }

    private Warehouse direct(OnConflict onConflict) {
        return Warehouse.open(settings("t", onConflict, null), address(server, "shop"));
    }

    private Warehouse proxied() {
        return Warehouse.open(settings("t"), address(server, "shop"), address(proxy.host(), proxy.port(), "shop"));
    }

    private static void unavailable(WriteOutcome outcome, String code, boolean mayHaveStored) {
        assertThat(outcome).isInstanceOfSatisfying(Unavailable.class, failed -> {
            assertThat(failed.failure().code()).isEqualTo(code);
            assertThat(failed.failure().mayHaveStored()).isEqualTo(mayHaveStored);
            assertThat(failed.blame()).isEqualTo(new Blame.Replica());
        });
    }

    @Test
    void aBatchOfManyChunksIsOneTransactionAndTheReceiptIsTheServers() throws Exception {
        try (var warehouse = direct(OnConflict.ERROR)) {
            var values = new ArrayList<String>();
            for (var i = 0; i < 5000; i++) values.add("{\"id\":" + i + ",\"name\":\"" + "n".repeat(i % 50) + "\"}");
            var rows = Records.batch(warehouse.sink().encoder(), 1000, values);
            assertThat(rows.slices()).hasSizeGreaterThan(50);
            assertThat(warehouse.write(Warehouse.AMPLE, rows)).isEqualTo(new Written(5000, 0));
            assertThat(server.count("shop", "t")).isEqualTo(5000);
            assertThat(server.queryLong("shop", "select count(distinct xmin::text) from t"))
                    .isOne();
        }
    }

    @Test
    void aPartOfABatchIsWrittenAlone() throws Exception {
        try (var warehouse = direct(OnConflict.ERROR)) {
            var rows = warehouse.rows(ONE, TWO, "{\"id\":3}", "{\"id\":4}").part(1, 3);
            assertThat(warehouse.write(Warehouse.AMPLE, rows)).isEqualTo(new Written(2, 0));
            assertThat(server.query("shop", "select id from t order by id")).containsExactly("2", "3");
        }
    }

    @Test
    void aRowLargerThanAPieceArrivesWhole() throws Exception {
        try (var warehouse = direct(OnConflict.ERROR)) {
            assertThat(warehouse.write("{\"id\":1,\"name\":\"" + "é".repeat(200_000) + "\"}", TWO))
                    .isEqualTo(new Written(2, 0));
            assertThat(server.queryLong("shop", "select length(name) from t where id = 1"))
                    .isEqualTo(200_000);
        }
    }

    @Test
    void timesWithoutAZoneAreUtcWhereverItRuns() throws Exception {
        try (var warehouse = direct(OnConflict.ERROR)) {
            warehouse.write("{\"id\":1,\"at\":\"2026-07-01 12:00:00\"}");
            assertThat(server.query("shop", "select at at time zone 'UTC' from t"))
                    .containsExactly("2026-07-01 12:00:00");
        }
    }

    @Test
    @Tag("PG-4")
    void rowsThatAreThereCountAsDuplicates() throws Exception {
        try (var warehouse = direct(OnConflict.IGNORE)) {
            assertThat(warehouse.write(ONE, TWO)).isEqualTo(new Written(2, 0));
            assertThat(warehouse.write(ONE, "{\"id\":3}", TWO, "{\"id\":3}")).isEqualTo(new Written(1, 3));
            assertThat(warehouse.write(ONE, TWO)).isEqualTo(new Written(0, 2));
            assertThat(server.count("shop", "t")).isEqualTo(3);
            assertThat(server.query("shop", "select name from t where id = 1")).containsExactly("a");
        }
    }

    /// The table alone says what is there: no memory of a token swallows a replay that is meant.
    @ParameterizedTest
    @EnumSource(OnConflict.class)
    @DisplayName("CASE-15: rows that were deleted and are sent again, under the same token, are there again")
    void rowsThatWereDeletedAndAreSentAgainAreThereAgain(OnConflict onConflict) throws Exception {
        try (var warehouse = direct(onConflict)) {
            var rows = warehouse.rows(ONE, TWO);
            assertThat(warehouse.write(Warehouse.AMPLE, rows)).isEqualTo(new Written(2, 0));
            server.execute("shop", "delete from t");
            assertThat(warehouse.write(Warehouse.AMPLE, rows)).isEqualTo(new Written(2, 0));
            assertThat(server.query("shop", "select id from t order by id")).containsExactly("1", "2");
        }
    }

    @Test
    @Tag("PG-4")
    void aBadRowIsRefusedWithItsPlaceAlsoWhereRepeatsAreIgnored() throws Exception {
        try (var warehouse = direct(OnConflict.IGNORE)) {
            assertThat(warehouse.write(Warehouse.AMPLE, Records.verbatim("1\ta\t\\N", "2\tb\t\\N", "m4rker\t\\N\t\\N")))
                    .isInstanceOfSatisfying(Refused.class, refused -> {
                        assertThat(refused.rowHint()).isEqualTo(2);
                        assertThat(refused.failure().toString()).doesNotContain("m4rker");
                    });
            assertThat(warehouse.write(ONE)).isEqualTo(new Written(1, 0));
        }
    }

    @Test
    @Tag("WRT-3")
    @Tag("POI-12")
    void aCommitWithoutAnAnswerIsInDoubtAndStored() throws Exception {
        try (var warehouse = proxied()) {
            proxy.dropAnswer(Cue.POSTGRES_COMMITTED);
            unavailable(warehouse.write(ONE, TWO), "commit-in-doubt", true);
            assertThat(server.count("shop", "t")).isEqualTo(2);
        }
    }

    @Test
    @Tag("WRT-3")
    void aLineCutWhileRowsAreSentHasStoredNothing() throws Exception {
        try (var warehouse = proxied()) {
            assertThat(warehouse.write(ONE)).isEqualTo(new Written(1, 0));
            proxy.cutAfterUp(300_000);
            unavailable(warehouse.write("{\"id\":5,\"name\":\"" + "x".repeat(1_000_000) + "\"}"), "08006", false);
            proxy.heal();
            assertThat(warehouse.write(TWO)).isEqualTo(new Written(1, 0));
            assertThat(server.query("shop", "select id from t order by id")).containsExactly("1", "2");
        }
    }

    @Test
    @Tag("WRT-1")
    void anAttemptThatHangsEndsWhenItIsCancelledAndStoresNothing() throws Exception {
        try (var warehouse = proxied()) {
            assertThat(warehouse.write(ONE)).isEqualTo(new Written(1, 0));
            proxy.slowDrip(1_000_000);
            var call =
                    new Call(warehouse.rows("{\"id\":5,\"name\":\"" + "x".repeat(5_000_000) + "\"}"), Warehouse.AMPLE);
            var outcome = warehouse.begin(call);
            assertThat(proxy.await(traffic -> traffic.upBytes() > 100_000, Warehouse.AMPLE))
                    .isTrue();
            proxy.blackHole();
            call.cancel();
            unavailable(outcome.get(), "cancelled", false);
            proxy.heal();
            assertThat(warehouse.write(TWO)).isEqualTo(new Written(1, 0));
            assertThat(server.query("shop", "select id from t order by id")).containsExactly("1", "2");
        }
    }

    @Test
    @Tag("WRT-1")
    void anAttemptThatHangsEndsAtItsDeadlineEvenIfNobodyCancelsIt() throws Exception {
        try (var warehouse = proxied()) {
            assertThat(warehouse.write(ONE)).isEqualTo(new Written(1, 0));
            proxy.holdAnswers(Cue.inAnswer("COPY"));
            assertThat(warehouse.write(Duration.ofSeconds(1), warehouse.rows(TWO)))
                    .isInstanceOfSatisfying(
                            Unavailable.class,
                            late -> assertThat(late.failure().mayHaveStored()).isFalse());
            assertThat(server.query("shop", "select id from t")).containsExactly("1");
        }
    }

    @Test
    @Tag("WRT-1")
    void aCommitThatHangsIsInDoubtWhenItIsCancelled() throws Exception {
        try (var warehouse = proxied()) {
            proxy.holdAnswers(Cue.POSTGRES_COMMITTED);
            var call = new Call(warehouse.rows(ONE), Warehouse.AMPLE);
            var outcome = warehouse.begin(call);
            assertThat(proxy.await(traffic -> traffic.held() == 1, Warehouse.AMPLE))
                    .isTrue();
            call.cancel();
            unavailable(outcome.get(), "cancelled", true);
            assertThat(server.count("shop", "t")).isOne();
        }
    }

    @Test
    @Tag("WRT-1")
    void anAttemptCancelledWhileItWaitsForASessionNeverWrites() throws Exception {
        try (var warehouse = direct(OnConflict.ERROR);
                var other = server.connect("shop");
                var statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("lock table t in exclusive mode");
            var first = warehouse.begin(new Call(warehouse.rows(ONE), Warehouse.AMPLE));
            Warehouse.await(server, "shop", Warehouse.WAITING_FOR_LOCK, 1);
            var call = new Call(warehouse.rows(TWO), Warehouse.AMPLE);
            var second = warehouse.begin(call);
            call.cancel();
            unavailable(second.get(), "cancelled", false);
            other.rollback();
            assertThat(first.get()).isEqualTo(new Written(1, 0));
            assertThat(server.query("shop", "select id from t")).containsExactly("1");
        }
    }

    @Test
    @Tag("WRT-1")
    void anAttemptCancelledWhileItsLoginHangsEnds() throws Exception {
        try (var warehouse = proxied()) {
            proxy.blackHole();
            var call = new Call(warehouse.rows(ONE), Warehouse.AMPLE);
            var outcome = warehouse.begin(call);
            assertThat(proxy.await(traffic -> traffic.connections() == 1, Warehouse.AMPLE))
                    .isTrue();
            call.cancel();
            unavailable(outcome.get(), "cancelled", false);
            proxy.heal();
            assertThat(warehouse.write(TWO)).isEqualTo(new Written(1, 0));
            assertThat(server.query("shop", "select id from t")).containsExactly("2");
        }
    }

    @Test
    @Tag("WRT-1")
    void afterItsDeadlineAnAttemptTouchesNothing() throws Exception {
        try (var warehouse = proxied()) {
            unavailable(warehouse.write(Duration.ofNanos(-1), warehouse.rows(ONE)), "deadline", false);
            assertThat(proxy.traffic().connections()).isZero();
            assertThat(server.count("shop", "t")).isZero();
        }
    }

    @Test
    void aRefusedConnectIsKnownAtOnceAndNotWhenTheWaitIsOver() throws Exception {
        try (var warehouse = proxied()) {
            proxy.refuse();
            unavailable(warehouse.write(ONE), "08001", false);
            unavailable(warehouse.writer().ping(new Call(warehouse.rows(ONE), Warehouse.AMPLE)), "08001", false);
            proxy.heal();
            assertThat(warehouse.write(ONE)).isEqualTo(new Written(1, 0));
        }
    }

    @Test
    @Tag("WRT-3")
    void aServerThatRecoversFromACrashIsTheReplicas() throws Exception {
        try (var warehouse = direct(OnConflict.ERROR)) {
            assertThat(warehouse.write(ONE)).isEqualTo(new Written(1, 0));
            server.killBackends("shop");
            assertThat(warehouse.write(TWO)).isInstanceOfSatisfying(Unavailable.class, failed -> {
                assertThat(failed.blame()).isEqualTo(new Blame.Replica());
                assertThat(failed.failure().mayHaveStored()).isFalse();
            });
            server.awaitRecovery();
            assertThat(warehouse.write(TWO)).isEqualTo(new Written(1, 0));
        }
    }

    @Test
    void aPingAsksOverAConnectionOfItsOwnAndLeavesNone() throws Exception {
        try (var warehouse = proxied()) {
            for (var i = 1; i <= 3; i++) {
                assertThat(warehouse.writer().ping(new Call(warehouse.rows(ONE), Warehouse.AMPLE)))
                        .isEqualTo(new Written(0, 0));
                assertThat(proxy.traffic().connections()).isEqualTo(i);
            }
            Warehouse.await(
                    server, "shop", "select count(*) from pg_stat_activity where application_name = 'millrace'", 0);
        }
    }

    @Test
    void aPingThatHangsInItsLoginEndsWhenItIsCancelled() throws Exception {
        try (var warehouse = proxied()) {
            proxy.blackHole();
            var call = new Call(warehouse.rows(ONE), Warehouse.AMPLE);
            var pinged = new java.util.concurrent.CompletableFuture<WriteOutcome>();
            Thread.ofVirtual().start(() -> {
                try {
                    pinged.complete(warehouse.writer().ping(call));
                } catch (Exception thrown) {
                    pinged.completeExceptionally(thrown);
                }
            });
            assertThat(proxy.await(traffic -> traffic.connections() == 1, Warehouse.AMPLE))
                    .isTrue();
            call.cancel();
            unavailable(pinged.get(), "cancelled", false);
        }
    }

    @Test
    void closingEndsWhatHangs() throws Exception {
        List<Warehouse> opened = new ArrayList<>();
        var warehouse = proxied();
        opened.add(warehouse);
        assertThat(warehouse.write(ONE)).isEqualTo(new Written(1, 0));
        proxy.holdAnswers(Cue.inAnswer("COPY"));
        var outcome = warehouse.begin(new Call(warehouse.rows(TWO), Warehouse.AMPLE));
        assertThat(proxy.await(traffic -> traffic.held() == 1, Warehouse.AMPLE)).isTrue();
        opened.forEach(Warehouse::close);
        assertThat(outcome.get()).isInstanceOf(Unavailable.class);
        assertThat(warehouse.write(TWO)).isInstanceOf(Unavailable.class);
        Warehouse.await(server, "shop", "select count(*) from pg_stat_activity where application_name = 'millrace'", 0);
        assertThat(server.count("shop", "t")).isOne();
    }

    @Test
    void anAnswerMeansOnDiskAlsoWhereTheDatabaseSaidOtherwise() throws Exception {
        server.execute("shop", "alter database shop set synchronous_commit = off");
        server.execute("shop", """
                create or replace function note_mode() returns trigger language plpgsql as
                $$begin new.name = current_setting('synchronous_commit'); return new; end$$;
                create trigger note_mode before insert on t for each row execute function note_mode()""");
        try (var warehouse = direct(OnConflict.ERROR)) {
            assertThat(warehouse.write(ONE)).isEqualTo(new Written(1, 0));
            assertThat(server.query("shop", "select name from t")).containsExactly("on");
        } finally {
            server.execute("shop", "drop trigger note_mode on t");
            server.execute("postgres", "alter database shop reset synchronous_commit");
        }
    }
}
