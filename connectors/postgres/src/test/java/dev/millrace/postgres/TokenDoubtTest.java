package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.AMPLE;
import static dev.millrace.postgres.Warehouse.address;
import static dev.millrace.postgres.Warehouse.withTokens;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.Cue;
import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// A COMMIT of which nobody knows what became is settled by sending the same again: the table has no key
/// to help.
@Tag("PG-5")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TokenDoubtTest {
    private static final Token BATCH = new Token("00112233445566778899aabbccddeeff");
    private static final int ROWS = 3;

    private LabPostgres server;

    @BeforeAll
    void launch() {
        server = LabPostgres.launch();
        server.createDatabase("shop");
    }

    @AfterAll
    void close() {
        server.close();
    }

    @BeforeEach
    void begin() {
        server.execute("shop", "drop table if exists t; create table t (id int)");
        Warehouse.makeTokenTable(server, "shop");
    }

    /// COMMIT waits at the gate, as it may for a disk or a standby, for as long as somebody holds it.
    private Gate closeTheGate() throws Exception {
        server.execute("shop", """
                create or replace function at_the_gate() returns trigger language plpgsql as $$
                begin perform pg_advisory_xact_lock_shared(42); return null; end $$;
                create constraint trigger gate after insert on t deferrable initially deferred
                  for each row execute function at_the_gate()""");
        var gate = server.connect("shop");
        gate.createStatement().execute("select pg_advisory_lock(42)");
        return new Gate(gate);
    }

    /// Whoever commits waits for this session.
    private record Gate(Connection holder) implements AutoCloseable {
        void open() throws SQLException {
            holder.createStatement().execute("select pg_advisory_unlock(42)");
        }

        @Override
        public void close() throws SQLException {
            holder.close();
        }
    }

    private static BatchRows rows(Warehouse warehouse) {
        return warehouse.rows("{\"id\":0}", "{\"id\":1}", "{\"id\":2}");
    }

    private static Call call(Warehouse warehouse, Duration limit) {
        return new Call(rows(warehouse), BATCH, 0, ROWS, limit);
    }

    private static void inDoubt(WriteOutcome outcome) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Unavailable.class,
                        doubt -> assertThat(doubt.failure().mayHaveStored()).isTrue());
    }

    private void committing(int sessions) {
        Warehouse.await(server, "shop", Warehouse.WAITING_FOR_LOCK, sessions);
    }

    private Warehouse open() {
        return Warehouse.open(withTokens("t", OnConflict.ERROR), address(server, "shop"));
    }

    @Test
    @DisplayName("PG-5, EO-13: an answer that is lost after COMMIT")
    void anAnswerLostAfterCommit() throws Exception {
        try (var proxy = ChaosProxy.launch(server.host(), server.port());
                var warehouse = Warehouse.open(
                        withTokens("t", OnConflict.ERROR), address(proxy.host(), proxy.port(), "shop"))) {
            proxy.dropAnswer(Cue.POSTGRES_COMMITTED);
            inDoubt(warehouse.writer().write(call(warehouse, AMPLE)));
            assertThat(warehouse.writer().write(call(warehouse, AMPLE))).isEqualTo(new Written(0, ROWS));
        }
        assertThat(server.count("shop", "t")).isEqualTo(ROWS);
    }

    /// The server does not see that a client is gone while it is at work: so the one that comes again waits for it.
    private CompletableFuture<WriteOutcome> comesAgain(Warehouse one, Warehouse again) throws Exception {
        var call = call(one, AMPLE);
        var outcome = one.begin(call);
        committing(1);
        call.cancel();
        inDoubt(outcome.get());
        var second = again.begin(call(again, AMPLE));
        committing(2);
        assertThat(second).isNotDone();
        assertThat(server.count("shop", "t")).isZero();
        return second;
    }

    @Test
    @DisplayName("PG-5, EO-13: the same again waits for a server process whose client is gone, and finds its rows")
    void theSameAgainWaitsForAProcessWhoseClientIsGone() throws Exception {
        try (var gate = closeTheGate();
                var one = open();
                var again = open()) {
            var second = comesAgain(one, again);
            gate.open();
            assertThat(second.get()).isEqualTo(new Written(0, ROWS));
        }
        assertThat(server.count("shop", "t")).isEqualTo(ROWS);
    }

    @Test
    @DisplayName("PG-5, EO-13: and where that process ends without having committed, it stores them")
    void whereThatProcessEndsTheSameAgainStores() throws Exception {
        try (var gate = closeTheGate();
                var one = open();
                var again = open()) {
            var second = comesAgain(one, again);
            server.query("shop", """
                    select pg_terminate_backend(pid) from pg_stat_activity
                     where application_name = 'millrace' and query ilike 'commit%'""");
            Warehouse.await(
                    server,
                    "shop",
                    "select count(*) from pg_stat_activity where application_name = 'millrace'"
                            + " and query ilike 'commit%'",
                    1);
            gate.open();
            assertThat(second.get()).isEqualTo(new Written(ROWS, 0));
        }
        assertThat(server.count("shop", "t")).isEqualTo(ROWS);
    }

    @Test
    @DisplayName("PG-5: who waits for such a process longer than its time allows comes again, and blames nobody")
    void whoWaitsTooLongComesAgain() throws Exception {
        try (var gate = closeTheGate();
                var one = open();
                var again = open()) {
            var call = call(one, AMPLE);
            var outcome = one.begin(call);
            committing(1);
            call.cancel();
            inDoubt(outcome.get());
            assertThat(again.writer().write(call(again, Duration.ofSeconds(2))))
                    .isInstanceOfSatisfying(Unavailable.class, waited -> {
                        assertThat(waited.failure().code()).isEqualTo("55P03");
                        assertThat(waited.failure().mayHaveStored()).isFalse();
                        assertThat(waited.blame()).isEqualTo(new WriteOutcome.Blame.Nobody());
                    });
            gate.open();
            assertThat(again.writer().write(call(again, AMPLE))).isEqualTo(new Written(0, ROWS));
        }
        assertThat(server.count("shop", "t")).isEqualTo(ROWS);
    }

    @Test
    @DisplayName("PG-5: a server that is killed in COMMIT")
    void aServerThatIsKilledInCommit() throws Exception {
        try (var _ = closeTheGate();
                var one = open()) {
            var outcome = one.begin(call(one, AMPLE));
            committing(1);
            assertThat(server.killBackends("shop")).isPositive();
            inDoubt(outcome.get());
            server.awaitRecovery();
            var next = one.writer().write(call(one, AMPLE));
            assertThat(next).isEqualTo(new Written(ROWS, 0));
            assertThat(one.writer().write(call(one, AMPLE))).isEqualTo(new Written(0, ROWS));
        }
        assertThat(server.count("shop", "t")).isEqualTo(ROWS);
    }

    /// Rows that are committed here, and nobody knows about there.
    @Test
    @Tag("WRT-3")
    @DisplayName("PG-5: a duplicate is told only when the standby has it")
    void aDuplicateIsToldOnlyWhenTheStandbyHasIt() throws Exception {
        try (var one = open()) {
            assertThat(server.count("shop", "t")).isZero();
            server.execute("postgres", "alter role postgres set synchronous_commit = local");
            server.execute("postgres", "alter database shop set synchronous_commit = on");
            server.execute("postgres", "alter system set synchronous_standby_names = 'ghost'");
            server.execute("postgres", "select pg_reload_conf()");
            server.execute("postgres", "alter role postgres in database shop set synchronous_commit = on");
            try {
                for (var i = 0; i < 3; i++) {
                    var outcome = one.begin(call(one, AMPLE));
                    while (!outcome.isDone()) {
                        server.execute("postgres", """
                                select pg_cancel_backend(pid) from pg_stat_activity
                                 where application_name = 'millrace' and wait_event = 'SyncRep'""");
                    }
                    assertThat(outcome.get())
                            .as("write " + i)
                            .isInstanceOfSatisfying(
                                    Unavailable.class,
                                    doubt -> assertThat(doubt.failure().code()).isEqualTo("commit-not-replicated"));
                }
            } finally {
                server.execute("postgres", "alter system reset synchronous_standby_names");
                server.execute("postgres", "select pg_reload_conf()");
                server.execute("postgres", "alter role postgres in database shop reset synchronous_commit");
                server.execute("postgres", "alter role postgres reset synchronous_commit");
                server.execute("postgres", "alter database shop reset synchronous_commit");
            }
            assertThat(one.writer().write(call(one, AMPLE))).isEqualTo(new Written(0, ROWS));
        }
        assertThat(server.count("shop", "t")).isEqualTo(ROWS);
    }

    /// As [InDoubtTest] has it of a table with a key, and in parts.
    @Test
    @Tag("EO-7")
    @DisplayName("PG-5, EO-7: answers that are lost while a batch is taken apart")
    void answersLostWhileABatchIsTakenApart() throws Exception {
        var lines = new ArrayList<String>();
        for (var i = 0; i < 1000; i++) lines.add(i == 437 ? "-1" : Integer.toString(i));
        server.execute("shop", "alter table t add check (id >= 0)");
        try (var proxy = ChaosProxy.launch(server.host(), server.port());
                var mill = new Mill(withTokens("t", OnConflict.ERROR), address(proxy.host(), proxy.port(), "shop"))) {
            proxy.dropAnswers(Cue.POSTGRES_COMMITTED);
            var all = mill.begin(List.copyOf(lines));
            while (mill.requests() < 5) LockSupport.parkNanos(5_000_000);
            proxy.heal();
            Mill.ended(all);
            assertThat(mill.letters())
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.offset()).isEqualTo(437));
            assertThat(mill.tally().written()).isEqualTo(999);
            assertThat(mill.duplicates()).isPositive();
        }
        assertThat(server.query("shop", "select count(*), count(distinct id) from t"))
                .containsExactly("999|999");
    }
}
