package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.address;
import static dev.millrace.postgres.Warehouse.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.postgres.PostgresSettings.Rows;
import dev.millrace.postgres.PostgresSettings.UnknownFields;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// A server that is a standby, and a primary whose standby does not answer.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StandbyTest {
    private static final String ONE = "{\"id\":1}";

    private LabPostgres server;

    @BeforeAll
    void launch() {
        server = LabPostgres.launch();
        server.createDatabase("shop");
        server.createUser("clerk", "secret-of-clerk");
        server.execute("shop", "create table t (id int); grant insert on t to clerk");
    }

    @AfterAll
    void close() {
        server.close();
    }

    private static void failed(WriteOutcome outcome, String code, boolean mayHaveStored) {
        assertThat(outcome).isInstanceOfSatisfying(Unavailable.class, failed -> {
            assertThat(failed.failure().code()).isEqualTo(code);
            assertThat(failed.failure().mayHaveStored()).isEqualTo(mayHaveStored);
            assertThat(failed.blame()).isEqualTo(new Blame.Replica());
        });
    }

    @Test
    @Tag("PG-3")
    void aStandbyIsUnavailableForItsReplicaAndNoPingBringsItIn() throws Exception {
        server.execute("shop", "truncate t");
        var signal = Path.of(server.query("shop", "show data_directory").getFirst(), "standby.signal");
        try (var warehouse = Warehouse.open(settings("t"), address(server, "shop"))) {
            assertThat(warehouse.write(ONE)).isEqualTo(new Written(1, 0));
            server.stop();
            Files.createFile(signal);
            server.start();
            try {
                findTheEndOfOldSessions(warehouse);
                failed(warehouse.writer().ping(new Call(warehouse.rows(ONE), Warehouse.AMPLE)), "standby", false);
                failed(warehouse.write(ONE), "25006", false);
            } finally {
                server.stop();
                Files.delete(signal);
                server.start();
            }
            findTheEndOfOldSessions(warehouse);
            assertThat(warehouse.writer().ping(new Call(warehouse.rows(ONE), Warehouse.AMPLE)))
                    .isEqualTo(new Written(0, 0));
            assertThat(warehouse.write(ONE)).isEqualTo(new Written(1, 0));
        }
    }

    /// A pooled session that ended with its server is seen when it is used next, unless it was idle for long.
    private static void findTheEndOfOldSessions(Warehouse warehouse) throws Exception {
        var outcome = warehouse.write(ONE);
        if (outcome instanceof Unavailable ended)
            assertThat(ended.failure().mayHaveStored()).isFalse();
    }

    @Test
    @Tag("WRT-3")
    void aCommitThatItsStandbyHasNotIsNeverToldAsWritten() throws Exception {
        server.execute("shop", "truncate t");
        var rows = new Rows(OnConflict.ERROR, UnknownFields.REFUSE, null);
        try (var warehouse = Warehouse.open(settings("t", "clerk", "secret-of-clerk", rows), address(server, "shop"))) {
            server.execute("postgres", "alter role postgres set synchronous_commit = local");
            server.execute("postgres", "alter system set synchronous_standby_names = 'ghost'");
            server.execute("postgres", "select pg_reload_conf()");
            try {
                // The server's own time limit must not end the wait: that would be answered as a commit. Sessions hear
                // of
                // the standby from the checkpointer, some time after the reload.
                var deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
                WriteOutcome first;
                do {
                    server.execute("shop", "truncate t");
                    first = warehouse.write(Duration.ofSeconds(2), warehouse.rows(ONE));
                } while (first instanceof Written && System.nanoTime() < deadline);
                assertThat(first).isInstanceOf(Unavailable.class);

                var outcome = warehouse.begin(new Call(warehouse.rows(ONE), Warehouse.AMPLE));
                cancelTheWait(outcome);
                failed(outcome.get(), "commit-not-replicated", true);
            } finally {
                server.execute("postgres", "alter system reset synchronous_standby_names");
                server.execute("postgres", "select pg_reload_conf()");
                server.execute("postgres", "alter role postgres reset synchronous_commit");
            }
        }
    }

    private void cancelTheWait(CompletableFuture<WriteOutcome> outcome) {
        while (!outcome.isDone()) {
            server.execute("postgres", """
                    select pg_cancel_backend(pid) from pg_stat_activity
                     where application_name = 'millrace' and wait_event = 'SyncRep'""");
        }
    }
}
