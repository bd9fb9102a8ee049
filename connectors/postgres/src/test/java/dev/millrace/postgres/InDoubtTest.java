package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.address;
import static dev.millrace.postgres.Warehouse.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.Cue;
import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
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

/// What PostgreSQL may have stored, with the answer to COMMIT lost, is sent again as it was, and never split.
@Tag("POI-12")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InDoubtTest {
    private static final int ROWS = 1000;

    private LabPostgres server;
    private ChaosProxy proxy;

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
        server.execute("shop", """
                drop table if exists t; create table t (id int primary key, v text not null)""");
        proxy = ChaosProxy.launch(server.host(), server.port());
    }

    @AfterEach
    void end() {
        proxy.close();
    }

    private Mill mill() {
        return new Mill(settings("t", OnConflict.IGNORE, null), address(proxy.host(), proxy.port(), "shop"));
    }

    private static List<String> rows(int bad) {
        var rows = new ArrayList<String>();
        for (var i = 0; i < ROWS; i++) rows.add(i + (i == bad ? "\t\\N" : "\tv"));
        return rows;
    }

    /// Each request that may have stored is followed by the same one.
    private static int repeats(Mill mill) {
        var asked = mill.asked();
        var repeats = 0;
        for (var i = 0; i < asked.size(); i++) {
            if (!(asked.get(i).outcome() instanceof Unavailable doubt)) continue;
            assertThat(doubt.failure().mayHaveStored()).isTrue();
            assertThat(asked.get(i + 1).rows()).isEqualTo(asked.get(i).rows());
            assertThat(asked.get(i + 1).token()).isEqualTo(asked.get(i).token());
            repeats++;
        }
        return repeats;
    }

    @Test
    @DisplayName("POI-12: a whole batch")
    void aWholeBatch() throws Exception {
        try (var mill = mill()) {
            proxy.dropAnswer(Cue.POSTGRES_COMMITTED);
            mill.run(rows(-1));
            assertThat(repeats(mill)).isOne();
            assertThat(mill.requests()).isEqualTo(2);
            assertThat(mill.letters()).isEmpty();
            assertThat(mill.duplicates()).isEqualTo(ROWS);
            assertThat(mill.tally().written()).isEqualTo(ROWS);
        }
        assertThat(server.count("shop", "t")).isEqualTo(ROWS);
    }

    @Test
    @Tag("POI-17")
    @DisplayName("POI-12: a part of a batch that is taken apart")
    void aPartOfABatchThatIsTakenApart() throws Exception {
        try (var mill = mill()) {
            proxy.dropAnswer(Cue.POSTGRES_COMMITTED);
            mill.run(rows(437));
            assertThat(repeats(mill)).isOne();
            assertThat(mill.letters()).singleElement().satisfies(letter -> {
                assertThat(letter.offset()).isEqualTo(437);
                assertThat(letter.failure().code()).isEqualTo("23502");
            });
            assertThat(mill.tally().written()).isEqualTo(ROWS - 1);
            assertThat(mill.tally().deadLettered()).isOne();
        }
        assertThat(server.count("shop", "t")).isEqualTo(ROWS - 1);
    }

    /// Where each answer is lost for a while, nothing is ever said of a row.
    @Test
    @DisplayName("POI-12: however often")
    void howeverOften() throws Exception {
        try (var mill = mill()) {
            proxy.dropAnswers(Cue.POSTGRES_COMMITTED);
            var rows = mill.begin(rows(-1));
            while (mill.requests() < 4) java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
            proxy.heal();
            Mill.ended(rows);
            assertThat(repeats(mill)).isGreaterThanOrEqualTo(4);
            assertThat(mill.asked()).allSatisfy(one -> assertThat(one.rows()).isEqualTo(ROWS));
            assertThat(mill.letters()).isEmpty();
        }
        assertThat(server.count("shop", "t")).isEqualTo(ROWS);
    }

    /// The pool swallows what fails when it asks its first session how it isolates, and would go on without.
    @Test
    @Tag("WRT-1")
    @DisplayName("WRT-1: a first session that is cut while it is set up spoils no later one")
    void aFirstSessionThatIsCut() throws Exception {
        proxy.dropAnswer(Cue.inRequest("ISOLATION LEVEL"));
        try (var mill = mill()) {
            mill.run(rows(-1));
            assertThat(mill.tally().written()).isEqualTo(ROWS);
            assertThat(mill.asked())
                    .extracting(asked -> asked.outcome() instanceof Unavailable told
                            ? told.failure().code()
                            : "")
                    .doesNotContain("0A000");
        }
        assertThat(proxy.traffic().dropped()).isOne();
        assertThat(server.count("shop", "t")).isEqualTo(ROWS);
    }
}
