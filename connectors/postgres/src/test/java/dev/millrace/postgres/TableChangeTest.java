package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.address;
import static dev.millrace.postgres.Warehouse.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.Login;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Somebody changes a table, or a password, while rows are on their way: they are held, none is blamed,
/// and all land when it is as it was.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TableChangeTest {
    private static final int ROWS = 1000;
    private static final String TABLE =
            "create table t (id int primary key, v varchar(20), n numeric(10, 4), at timestamptz)";

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

    private void table() {
        server.execute("shop", "drop table if exists t, gone; " + TABLE);
    }

    /// A value that no narrower column keeps as it is.
    private static List<String> rows(int first) {
        return IntStream.range(first, first + ROWS)
                .mapToObj(id -> id + "\ttext " + id + "\t" + id + ".1234\t2026-11-29 10:00:00.123456Z")
                .toList();
    }

    private void allAsTheyWereSent(int rows) {
        assertThat(server.queryLong("shop", "select count(*) from t where v = 'text ' || id and n = id + 0.1234"))
                .isEqualTo(rows);
        assertThat(server.count("shop", "t")).isEqualTo(rows);
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "ERROR|  alter table t rename to gone| alter table gone rename to t| 42P01| no such table",
                "IGNORE| alter table t rename to gone| alter table gone rename to t| 42P01| no such table",
                "ERROR|  alter table t rename v to w| alter table t rename w to v| 42703| no such column",
                "IGNORE| alter table t rename v to w| alter table t rename w to v| 42703| no such column",
                "ERROR|  alter table t add must int not null default 0; alter table t alter must drop default|"
                        + " alter table t alter must drop not null| 23502| column must takes no null",
                "IGNORE| alter table t add must int not null default 0; alter table t alter must drop default|"
                        + " alter table t alter must set default 7| 23502| column must takes no null",
                "ERROR|  alter table t drop v, add v date| alter table t drop v, add v text| 22007|"
                        + " column v was character varying(20) and is date",
                "IGNORE| alter table t drop v, add v date| alter table t drop v, add v text| 42804|"
                        + " a column has another type"
            })
    @Tag("PG-1")
    @DisplayName("INPUT-45 CASE-49: what the server refuses of a changed table is held, and is no row's fault")
    void whatAChangedTableRefusesIsHeld(OnConflict onConflict, String change, String cure, String code, String words)
            throws Exception {
        table();
        try (var mill = new Mill(settings("t", onConflict, null), address(server, "shop"))) {
            mill.run(rows(0));
            server.execute("shop", change);
            var rest = mill.begin(rows(ROWS));

            var held = mill.awaitHeld(3);
            assertThat(held.code()).isEqualTo(code);
            assertThat(held.message()).contains(words);
            assertThat(mill.blocked()).isTrue();
            assertThat(mill.letters()).isEmpty();
            assertThat(rest).isNotDone();

            server.execute("shop", cure);
            Mill.ended(rest);
            assertThat(mill.letters()).isEmpty();
            assertThat(mill.tally().written()).isEqualTo(2 * ROWS);
            assertThat(server.count("shop", "t")).isEqualTo(2 * ROWS);
        }
    }

    /// The server would take these rows, and change them without a word.
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = ';',
            value = {
                "ERROR;  alter table t alter n type numeric(10, 2); numeric(10,4) and is numeric(10,2)",
                "IGNORE; alter table t alter n type numeric(10, 2); numeric(10,4) and is numeric(10,2)",
                "ERROR;  alter table t alter n type real; numeric(10,4) and is real",
                "ERROR;  alter table t alter at type date; timestamp with time zone and is date",
                "ERROR;  alter table t alter at type timestamptz(0); time zone and is timestamp(0) with time zone",
                "ERROR;  alter table t alter at type timestamp; time zone and is timestamp without time zone",
                "ERROR;  alter table t alter v type char(30); character varying(20) and is character(30)"
            })
    @Tag("FMT-3")
    @DisplayName("INPUT-45 CASE-49: what a changed table would take and alter is held")
    void whatAChangedTableWouldAlterIsHeld(OnConflict onConflict, String change, String words) throws Exception {
        table();
        try (var mill = new Mill(settings("t", onConflict, null), address(server, "shop"))) {
            mill.run(rows(0));
            server.execute("shop", "alter table t rename to gone; " + TABLE + "; " + change);
            var rest = mill.begin(rows(ROWS));

            var held = mill.awaitHeld(2);
            assertThat(held.code()).isEqualTo("table-changed");
            assertThat(held.message()).contains(words).contains("read again");
            assertThat(server.count("shop", "t")).isZero();
            assertThat(rest).isNotDone();

            server.execute("shop", "drop table t; alter table gone rename to t");
            Mill.ended(rest);
            assertThat(mill.letters()).isEmpty();
            allAsTheyWereSent(2 * ROWS);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "alter table t add note text",
                "alter table t add part int not null default 7",
                "alter table t add twice bigint generated always as (id * 2) stored not null",
                "alter table t alter v type text",
                "alter table t alter v type varchar(40)",
                "alter table t alter id type bigint",
                "alter table t alter id type numeric",
                "alter table t alter n type numeric(12, 5)",
                "alter table t alter n type numeric"
            })
    @Tag("POI-8")
    @DisplayName("INPUT-45: a column that is added beside the others, or keeps more, holds nothing up")
    void whatHarmsNoRowHoldsNothingUp(String change) throws Exception {
        table();
        try (var mill = new Mill(settings("t"), address(server, "shop"))) {
            mill.run(rows(0));
            server.execute("shop", change);
            mill.run(rows(ROWS));
            assertThat(mill.requests()).isEqualTo(2);
            allAsTheyWereSent(2 * ROWS);
        }
    }

    /// A table that is there again is another one, and as good.
    @Test
    @DisplayName("INPUT-45: a table that was dropped is waited for")
    void aTableThatWasDroppedIsWaitedFor() throws Exception {
        table();
        try (var mill = new Mill(settings("t"), address(server, "shop"))) {
            mill.run(rows(0));
            server.execute("shop", "drop table t");
            var rest = mill.begin(rows(ROWS));
            assertThat(mill.awaitHeld(3).code()).isEqualTo("42P01");
            server.execute("shop", TABLE);
            Mill.ended(rest);
            assertThat(mill.letters()).isEmpty();
            allAsTheyWereSent(ROWS);
        }
    }

    @Test
    @DisplayName("INPUT-44: a password that was changed is read again, and no row is blamed meanwhile")
    void aPasswordThatWasChangedIsReadAgain() throws Exception {
        table();
        server.createUser("rotating", "one");
        server.execute("shop", "grant insert on t to rotating");
        var secret = new AtomicReference<>("one");
        var base = settings("t");
        var settings = new PostgresSettings(
                "t", new Login("rotating", secret::get, base.login().tls()), base.rows(), base.limits());
        try (var mill = new Mill(settings, address(server, "shop"))) {
            mill.run(rows(0));
            server.execute("shop", "alter role rotating password 'two'");
            server.execute(
                    "postgres",
                    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'millrace'");
            var rest = mill.begin(rows(ROWS));
            var held = mill.awaitHeld(3);
            assertThat(held.code()).isEqualTo("28P01");
            assertThat(held.toString()).doesNotContain("one", "two");
            assertThat(mill.letters()).isEmpty();

            secret.set("two");
            Mill.ended(rest);
            assertThat(mill.letters()).isEmpty();
            allAsTheyWereSent(2 * ROWS);
        }
    }
}
