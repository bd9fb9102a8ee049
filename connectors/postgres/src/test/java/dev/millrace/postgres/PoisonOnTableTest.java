package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.address;
import static dev.millrace.postgres.Warehouse.settings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.sinkpool.Failure;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// One bad row in a batch of 1,000 on a real table, through the pool: one dead letter, and all others once.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PoisonOnTableTest {
    private static final int ROWS = 1000;
    private static final int BAD = 437;

    /// POI-11: two for each halving. With a name it is 4: the whole, the rows before, the rows behind, the row.
    private static final int WITHOUT_NAME = 2 + 2 * 10;

    private LabPostgres server;

    @BeforeAll
    void launch() {
        server = LabPostgres.launch();
        server.createDatabase("shop");
        server.createDatabase("frozen");
        server.execute("frozen", "create table t (id int, v text)");
        server.execute("postgres", "alter database frozen set default_transaction_read_only = on");
    }

    @AfterAll
    void close() {
        server.close();
    }

    private void table(String definition) {
        server.execute("shop", "drop table if exists t, parent; create table parent (id int primary key)");
        server.execute("shop", "insert into parent select generate_series(0, 999)");
        server.execute("shop", definition.replace("[", "$$").replace("]", "$$"));
    }

    private static List<String> rows(String bad) {
        var rows = new ArrayList<String>();
        for (var i = 0; i < ROWS; i++) rows.add(i == BAD ? bad.replace('|', '\t') : i + "\tv");
        return rows;
    }

    /// Each constraint with the row that breaks it, past our own encoder, which would not send some of them.
    @ParameterizedTest(name = "{0} {1} {3}")
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "22001; ERROR; 4;  create table t (id int, v varchar(3)); 437|long",
                "22003; ERROR; 4;  create table t (id smallint, v text); 99999|v",
                "22P02; ERROR; 4;  create table t (id int, v text); x|v",
                "23502; ERROR; 4;  create table t (id int not null, v text); \\N|v",
                "23514; ERROR; 4;  create table t (id int, v text check (v = 'v')); 437|w",
                "23505; ERROR; 4;  create table t (id int unique, v text); 0|v",
                "23505; ERROR; 22; create table t (id int unique deferrable initially deferred, v text); 0|v",
                "23503; ERROR; 22; create table t (id int references parent, v text); 1234|v",
                "23503; ERROR; 22; create table t (id int references parent initially deferred, v text); 1234|v",
                "23502; ERROR; 4;  create table t (id int, v text, g int generated always as (nullif(id, 437)) stored not null);"
                        + " 437|v",
                "P0001; ERROR; 4;  create table t (id int, v text); raise",
                "22001; IGNORE; 4;  create table t (id int, v varchar(3)); 437|long",
                "22003; IGNORE; 4;  create table t (id smallint, v text); 99999|v",
                "22P02; IGNORE; 4;  create table t (id int, v text); x|v",
                "23502; IGNORE; 22; create table t (id int not null, v text); \\N|v",
                "23514; IGNORE; 22; create table t (id int, v text check (v = 'v')); 437|w",
                "23503; IGNORE; 22; create table t (id int references parent, v text); 1234|v",
                "P0001; IGNORE; 22; create table t (id int, v text); raise"
            })
    @Tag("PG-1")
    @Tag("POI-1")
    @Tag("POI-11")
    @Tag("POI-17")
    @DisplayName("INPUT-48: the row that a constraint refuses is found and set aside alone")
    void oneRowIsSetAside(String state, OnConflict onConflict, int most, String definition, String bad)
            throws Exception {
        table(definition);
        var row = bad;
        if (bad.equals("raise")) {
            row = "437|raise";
            server.execute("shop", """
                    create or replace function refuse() returns trigger language plpgsql as
                    $$begin if new.v = 'raise' then raise exception 'no'; end if; return new; end$$;
                    create trigger refuse before insert on t for each row execute function refuse()""");
        }
        try (var mill = new Mill(settings("t", onConflict, null), address(server, "shop"))) {
            mill.run(rows(row));

            assertThat(mill.letters()).singleElement().satisfies(letter -> {
                assertThat(letter.offset()).isEqualTo(BAD);
                assertThat(letter.failure().code()).isEqualTo(state);
            });
            assertThat(mill.tally().written()).isEqualTo(ROWS - 1);
            assertThat(mill.tally().deadLettered()).isOne();
            assertThat(mill.requests()).as("requests").isLessThanOrEqualTo(most);
        }
        assertThat(server.queryLong("shop", "select count(*) from t")).isEqualTo(ROWS - 1);
        assertThat(server.queryLong("shop", "select count(distinct id) from t where id <> 437"))
                .isEqualTo(ROWS - 1);
    }

    /// A megabyte is all that a transaction may keep of its rows for a trigger: 8 rows of 300 KB are too large
    /// together,
    /// one of 1.2 MB is so alone.
    @Test
    @Tag("POI-15")
    @DisplayName("CASE-24: a batch that is too large is split to the end, and a row that is too large set aside once")
    void aBatchThatIsTooLargeIsSplitToTheEnd() throws Exception {
        server.createDatabase("small");
        server.execute("small", "alter database small set temp_file_limit = '1MB'");
        server.execute("small", "alter database small set work_mem = '64kB'");
        server.execute("small", """
                create table t (id int primary key, v text);
                create function look() returns trigger language plpgsql as $$begin return null; end$$;
                create trigger look after insert on t referencing new table as added
                  for each statement execute function look()""");
        var rows = new ArrayList<String>();
        for (var i = 0; i < 9; i++) rows.add(i + "\t" + "x".repeat(i == 4 ? 1_200_000 : 300_000));
        try (var mill = new Mill(rows.size(), settings("t"), address(server, "small"))) {
            mill.run(rows);

            assertThat(mill.letters()).singleElement().satisfies(letter -> {
                assertThat(letter.offset()).isEqualTo(4);
                assertThat(letter.failure().code()).isEqualTo("too_large");
                assertThat(letter.failure().message()).contains("53400");
            });
            assertThat(mill.asked()).extracting(Mill.Asked::rows).containsExactly(9, 4, 2, 2, 5, 2, 1, 1, 3);
            assertThat(mill.tally().written()).isEqualTo(8);
        }
        assertThat(server.queryLong("small", "select count(*) from t where length(v) = 300000"))
                .isEqualTo(8);
    }

    @Test
    @Tag("POI-15")
    @DisplayName("CASE-24 INPUT-18: a row that is too large for an index is set aside once")
    void aRowThatIsTooLargeForAnIndexIsSetAsideOnce() throws Exception {
        table("create table t (id int, v text unique)");
        var large = new StringBuilder();
        var random = new java.util.Random(7);
        while (large.length() < 20_000) large.append(Integer.toString(random.nextInt(), 36));
        var rows = new ArrayList<String>();
        for (var i = 0; i < ROWS; i++) rows.add(i == BAD ? i + "\t" + large : i + "\t" + i);
        try (var mill = new Mill(settings("t"), address(server, "shop"))) {
            mill.run(rows);
            assertThat(mill.letters()).singleElement().satisfies(letter -> {
                assertThat(letter.offset()).isEqualTo(BAD);
                assertThat(letter.failure().code()).isEqualTo("too_large");
                assertThat(letter.failure().message()).contains("54000");
            });
            assertThat(mill.requests()).isLessThanOrEqualTo(WITHOUT_NAME);
        }
        assertThat(server.queryLong("shop", "select count(distinct id) from t")).isEqualTo(ROWS - 1);
    }

    @Test
    @Tag("PG-4")
    @Tag("WRT-4")
    void rowsThatAreThereAreNoPoisonAndTheReceiptAddsUp() throws Exception {
        table("create table t (id int primary key, v text not null)");
        server.execute("shop", "insert into t select i, 'old' from generate_series(0, 299) i");
        try (var mill = new Mill(settings("t", OnConflict.IGNORE, null), address(server, "shop"))) {
            mill.run(rows("\\N|v"));
            assertThat(mill.letters()).hasSize(1);
            assertThat(mill.duplicates()).isEqualTo(300);
            assertThat(mill.tally().written()).isEqualTo(ROWS - 1);
        }
        assertThat(server.queryLong("shop", "select count(*) from t where v = 'old'"))
                .isEqualTo(300);
        assertThat(server.count("shop", "t")).isEqualTo(ROWS - 1);
    }

    /// A sequence counts on when its transaction is rolled back: the third attempt goes through.
    @ParameterizedTest
    @CsvSource({
        "40001, 1000",
        "40P01, 1000",
        "55P03, 1000",
        "53100, 1000",
        "53200, 1000",
        "57014, 1000",
        "58030, 1000",
        "XX000, 1000",
        // A single row has no sibling to judge by, and is blamed no more.
        "40001, 1",
        "53100, 1",
        "57014, 1"
    })
    @Tag("PG-1")
    @DisplayName("INPUT-46 INPUT-48: what says nothing of the rows is retried whole, and blames none")
    void whatSaysNothingOfTheRowsIsRetriedWhole(String state, int rows) throws Exception {
        table("create table t (id int, v text)");
        server.execute("shop", """
                drop sequence if exists attempts; create sequence attempts;
                create or replace function refuse() returns trigger language plpgsql as
                $$begin
                  if nextval('attempts') < 3 then raise exception 'no' using errcode = 'STATE'; end if;
                  return null;
                end$$;
                create trigger refuse before insert on t for each statement execute function refuse()""".replace("STATE", state));
        try (var mill = new Mill(rows, settings("t"), address(server, "shop"))) {
            mill.run(rows("437\tv").subList(0, rows));
            assertThat(mill.asked()).extracting(Mill.Asked::rows).containsExactly(rows, rows, rows);
            assertThat(mill.failures()).extracting(Failure::code).containsExactly(state, state);
            assertThat(mill.letters()).isEmpty();
            assertThat(mill.tally().written()).isEqualTo(rows);
        }
        assertThat(server.count("shop", "t")).isEqualTo(rows);
    }

    @Test
    @Tag("PG-3")
    void aReadOnlyServerIsPassedByForAnotherWayAndNoRowIsBlamed() throws Exception {
        table("create table t (id int, v text)");
        var settings = settings("t");
        try (var mill = new Mill(settings, address(server, "frozen"), address(server, "shop"))) {
            mill.run(rows("437|v"));
            assertThat(mill.letters()).isEmpty();
            assertThat(mill.tally().written()).isEqualTo(ROWS);
            assertThat(mill.failures()).extracting(Failure::code).isSubsetOf("25006");
        }
        assertThat(server.count("shop", "t")).isEqualTo(ROWS);
    }
}
