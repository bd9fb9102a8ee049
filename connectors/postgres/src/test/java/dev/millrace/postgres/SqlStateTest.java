package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.address;
import static dev.millrace.postgres.Warehouse.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.postgres.PostgresSettings.Rows;
import dev.millrace.postgres.PostgresSettings.UnknownFields;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import dev.millrace.sinkpool.WriteOutcome.Misconfigured;
import dev.millrace.sinkpool.WriteOutcome.Refused;
import dev.millrace.sinkpool.WriteOutcome.TooLarge;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/// What a real server's errors come to. Each row that is refused holds the marker.
@Tag("PG-1")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SqlStateTest {
    private static final String MARKER = "m4rker";
    private static final String GOOD = "{\"id\":1}";

    private static final List<String> LOGGERS = List.of("com.zaxxer.hikari", "dev.millrace.postgres", "org.postgresql");

    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private LabPostgres server;

    @BeforeAll
    void launch() {
        logged.start();
        for (var name : LOGGERS) {
            logger(name).addAppender(logged);
            logger(name).setAdditive(false);
            logger(name).setLevel(Level.DEBUG);
        }
        server = LabPostgres.launch(Map.of("deadlock_timeout", "100ms"));
        server.createDatabase("shop");
        server.execute("shop", "create table parent (id int primary key); create schema s");
    }

    @AfterAll
    void close() {
        server.close();
        for (var name : LOGGERS) {
            logger(name).detachAppender(logged);
            logger(name).setAdditive(true);
            logger(name).setLevel(null);
        }
        nothingOfTheRowsWasLogged();
    }

    private static Logger logger(String name) {
        return (Logger) LoggerFactory.getLogger(name);
    }

    private void nothingOfTheRowsWasLogged() {
        assertThat(logged.list).isNotEmpty();
        for (var event : logged.list) {
            var thrown = event.getThrowableProxy();
            var text = event.getFormattedMessage() + (thrown == null ? "" : ThrowableProxyUtil.asString(thrown));
            assertThat(text).doesNotContain(MARKER);
        }
    }

    @BeforeEach
    void freshTable() {
        server.execute("shop", """
                drop table if exists t cascade;
                create table t (
                  id int primary key, amount smallint, name varchar(20), day date, kind text not null default 'k',
                  parent int references parent, checked text constraint checked_short check (length(checked) < 3),
                  span int4range, exclude using gist (span with &&), big text unique, doc jsonb);
                alter table t alter kind drop not null""");
    }

    private Warehouse warehouse() {
        return Warehouse.open(settings("t"), address(server, "shop"));
    }

    /// The session must be as good as new after a refusal.
    private void writesOn(Warehouse warehouse) throws Exception {
        assertThat(server.count("shop", "t")).isZero();
        assertThat(warehouse.write(GOOD)).isEqualTo(new Written(1, 0));
    }

    private static void tellsNothing(WriteOutcome outcome) {
        assertThat(outcome.toString()).doesNotContain(MARKER);
    }

    private static final List<String> COLUMNS =
            List.of("id", "amount", "name", "day", "kind", "parent", "checked", "span", "big", "doc");

    /// A line of COPY text with these values, past our own encoder, which would not send them.
    private static String line(String values) {
        var given = new HashMap<String, String>();
        for (var value : List.of(values.split(" ", -1)))
            given.put(value.substring(0, value.indexOf('=')), value.substring(value.indexOf('=') + 1));
        return COLUMNS.stream().map(column -> given.getOrDefault(column, "\\N")).collect(Collectors.joining("\t"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '~',
            value = {
                "22P02; id=m4rker",
                "22003; id=3 amount=99999",
                "22001; id=3 name=m4rkerm4rkerm4rkerm4rker",
                "22007; id=3 day=m4rker",
                "22008; id=3 day=2026-13-45",
                "22P02; id=3 amount=1.5 name=m4rker",
                "22P02; id=3 span=[m4rker",
                "23502; name=m4rker",
                "23514; id=3 checked=m4rker",
                "23505; id=1 name=m4rker",
                "23P01; id=3 span=[1,5) name=m4rker"
            })
    @Tag("OPS-10")
    @Tag("PG-2")
    void aRowThatIsRefusedIsNamedAndNotTold(String state, String row) throws Exception {
        try (var warehouse = warehouse()) {
            var lines = Records.verbatim(line("id=1 span=[0,9)"), line("id=2"), line(row), line("id=4"));
            var outcome = warehouse.write(Warehouse.AMPLE, lines);

            assertThat(outcome).isInstanceOfSatisfying(Refused.class, refused -> {
                assertThat(refused.failure().code()).isEqualTo(state);
                assertThat(refused.failure().mayHaveStored()).isFalse();
                assertThat(refused.rowHint()).isEqualTo(2);
            });
            tellsNothing(outcome);
            writesOn(warehouse);
        }
    }

    @Test
    void aForeignKeyIsCheckedAtTheEndAndNamesNoRow() throws Exception {
        try (var warehouse = warehouse()) {
            var outcome = warehouse.write(GOOD, "{\"id\":2,\"parent\":7654321}");
            assertThat(outcome).isInstanceOfSatisfying(Refused.class, refused -> {
                assertThat(refused.failure().code()).isEqualTo("23503");
                assertThat(refused.failure().toString())
                        .contains("t_parent_fkey")
                        .doesNotContain("7654321");
                assertThat(refused.rowHint()).isEqualTo(-1);
            });
            writesOn(warehouse);
        }
    }

    @Test
    void aConstraintThatIsCheckedAtCommitRefusesAndHasStoredNothing() throws Exception {
        server.execute(
                "shop",
                "alter table t add constraint late foreign key (parent) references parent initially deferred;"
                        + " alter table t drop constraint t_parent_fkey");
        try (var warehouse = warehouse()) {
            assertThat(warehouse.write(GOOD, "{\"id\":2,\"parent\":7}"))
                    .isInstanceOfSatisfying(Refused.class, refused -> {
                        assertThat(refused.failure().code()).isEqualTo("23503");
                        assertThat(refused.failure().mayHaveStored()).isFalse();
                    });
            writesOn(warehouse);
        }
    }

    @Test
    void aRowTooBigForAnIndexIsTooLarge() throws Exception {
        try (var warehouse = warehouse()) {
            var text = new StringBuilder(MARKER);
            var random = new java.util.Random(7);
            while (text.length() < 20_000) text.append(Integer.toString(random.nextInt(), 36));
            var outcome = warehouse.write(GOOD, "{\"id\":2,\"big\":\"" + text + "\"}");
            assertThat(outcome)
                    .isInstanceOfSatisfying(
                            TooLarge.class,
                            large -> assertThat(large.failure().code()).isEqualTo("54000"));
            tellsNothing(outcome);
            writesOn(warehouse);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"22P04; 2", "22P04; 2|1|2|3|4|5|6|7|8|9|10|11|12|13", "22021; 2|1|m4rker\\xff"})
    void whatNoEncoderSendsIsRefusedByTheServer(String state, String row) throws Exception {
        try (var warehouse = warehouse()) {
            var outcome = warehouse.write(Warehouse.AMPLE, Records.verbatim(row.replace('|', '\t')));
            assertThat(outcome)
                    .isInstanceOfSatisfying(
                            Refused.class,
                            refused -> assertThat(refused.failure().code()).isEqualTo(state));
            tellsNothing(outcome);
            writesOn(warehouse);
        }
    }

    /// A database of another encoding than UTF-8 gets UTF-8 all the same, and converts it.
    @ParameterizedTest
    @CsvSource({"LATIN1, not_in_encoding", "LATIN2,", "EUC_KR,", "WIN1252,"})
    @Tag("PG-2")
    @DisplayName("INPUT-9")
    void aCharacterThatTheDatabaseLacksIsPoisonOrItsRowIsRefused(String encoding, @Nullable String poison)
            throws Exception {
        database(encoding);
        try (var warehouse = Warehouse.open(settings("t"), address(server, encoding.toLowerCase(Locale.ROOT)))) {
            if (poison != null)
                assertThat(Records.encode(warehouse.sink().encoder(), "{\"id\":2,\"name\":\"m4rkerख\"}")
                                .poison())
                        .isEqualTo(poison);
            var lines = Records.verbatim("1\tm4rker", "2\tm4rkerख");
            assertThat(warehouse.write(Warehouse.AMPLE, lines)).isInstanceOfSatisfying(Refused.class, refused -> {
                assertThat(refused.failure().code()).isEqualTo("22P05");
                assertThat(refused.failure().toString()).doesNotContain(MARKER);
                assertThat(refused.rowHint()).isEqualTo(1);
            });
            assertThat(warehouse.write("{\"id\":3,\"name\":\"§\"}")).isEqualTo(new Written(1, 0));
        }
        assertThat(server.query(encoding.toLowerCase(Locale.ROOT), "select id, name from t"))
                .containsExactly("3|§");
    }

    /// `SQL_ASCII` keeps the bytes that it is sent, and counts them as characters.
    @Test
    @Tag("PG-2")
    void aDatabaseWithoutAnEncodingKeepsTheBytes() throws Exception {
        database("SQL_ASCII");
        try (var warehouse = Warehouse.open(settings("t"), address(server, "sql_ascii"))) {
            assertThat(warehouse.write("{\"id\":1,\"name\":\"ख§\"}")).isEqualTo(new Written(1, 0));
            assertThat(server.query("sql_ascii", "select encode(name::bytea, 'hex') from t"))
                    .containsExactly("e0a496c2a7");
            var encoder = warehouse.sink().encoder();
            assertThat(Records.encode(encoder, "{\"name\":\"" + "§".repeat(10) + "\"}")
                            .said())
                    .isEqualTo(Encoded.WRITTEN);
            assertThat(Records.encode(encoder, "{\"name\":\"" + "§".repeat(10) + "x\"}")
                            .poison())
                    .isEqualTo("too_long");
        }
    }

    private void database(String encoding) {
        server.execute(
                "postgres",
                "create database " + encoding + " encoding '" + encoding
                        + "' lc_collate 'C' lc_ctype 'C' template template0");
        server.execute(encoding.toLowerCase(Locale.ROOT), "create table t (id int, name varchar(20))");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "42P01; alter table t rename to gone",
                "42703; alter table t rename column doc to document",
                "42501; revoke insert on t from writer",
                "3F000; alter schema s rename to gone",
                "0A000; alter table s.t enable row level security"
            })
    void aTableThatChangedIsNobodysRows(String state, String change) throws Exception {
        server.execute("shop", """
                drop schema if exists gone cascade; drop schema if exists s cascade; drop table if exists gone cascade;
                create schema s; create table s.t (id int)""");
        server.execute("shop", "drop role if exists writer");
        server.createUser("writer", "secret-of-writer");
        server.execute("shop", "grant usage on schema s to writer; grant insert on t, s.t to writer");
        var table = change.contains("s.t") || change.contains("schema") ? "s.t" : "t";
        var rows = new Rows(OnConflict.ERROR, UnknownFields.REFUSE, null);
        try (var warehouse =
                Warehouse.open(settings(table, "writer", "secret-of-writer", rows), address(server, "shop"))) {
            server.execute("shop", change);
            assertThat(warehouse.write(GOOD)).isInstanceOfSatisfying(Misconfigured.class, held -> {
                assertThat(held.failure().code()).isEqualTo(state);
                assertThat(held.failure().mayHaveStored()).isFalse();
            });
        } finally {
            server.execute("shop", "drop owned by writer");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "28P01; alter user mover password 'another'",
                "28000; alter user mover nologin",
                "3D000; alter database moving rename to moved"
            })
    void aLoginThatIsNotTakenIsNobodysRows(String state, String change) throws Exception {
        server.execute("postgres", "drop database if exists moved");
        server.execute("postgres", "drop database if exists moving");
        server.execute("postgres", "drop role if exists mover");
        server.createUser("mover", "secret-of-writer");
        server.createDatabase("moving");
        server.execute("moving", "create table t (id int); grant insert on t to mover");
        var rows = new Rows(OnConflict.ERROR, UnknownFields.REFUSE, null);
        try (var warehouse =
                Warehouse.open(settings("t", "mover", "secret-of-writer", rows), address(server, "moving"))) {
            server.execute("postgres", change);
            assertThat(warehouse.write(GOOD))
                    .isInstanceOfSatisfying(
                            Misconfigured.class,
                            held -> assertThat(held.failure().toString())
                                    .startsWith(state)
                                    .doesNotContain("secret"));
        }
    }

    @Test
    void tooManyConnectionsIsOverload() throws Exception {
        server.execute("postgres", "drop role if exists crowded");
        server.createUser("crowded", "x");
        server.execute("shop", "grant insert on t to crowded");
        var rows = new Rows(OnConflict.ERROR, UnknownFields.REFUSE, null);
        try (var warehouse = Warehouse.open(settings("t", "crowded", "x", rows), address(server, "shop"))) {
            server.execute("shop", "alter role crowded connection limit 0");
            assertThat(warehouse.write(GOOD)).isInstanceOfSatisfying(Unavailable.class, full -> {
                assertThat(full.failure().code()).isEqualTo("53300");
                assertThat(full.blame()).isEqualTo(new Blame.Overload(0));
                assertThat(full.failure().mayHaveStored()).isFalse();
            });
        } finally {
            server.execute("shop", "drop owned by crowded");
        }
    }

    @Test
    @Tag("PG-3")
    void aReadOnlyServerIsUnavailableForItsReplicaOnly() throws Exception {
        try (var warehouse = warehouse()) {
            server.execute("shop", "alter database shop set default_transaction_read_only = on");
            try {
                assertThat(warehouse.write(GOOD)).isInstanceOfSatisfying(Unavailable.class, readOnly -> {
                    assertThat(readOnly.failure().code()).isEqualTo("25006");
                    assertThat(readOnly.blame()).isEqualTo(new Blame.Replica());
                    assertThat(readOnly.failure().mayHaveStored()).isFalse();
                });
                assertThat(warehouse.writer().ping(new Call(warehouse.rows(GOOD), Warehouse.AMPLE)))
                        .isInstanceOfSatisfying(Unavailable.class, readOnly -> {
                            assertThat(readOnly.failure().code()).isEqualTo("read-only");
                            assertThat(readOnly.blame()).isEqualTo(new Blame.Replica());
                        });
            } finally {
                server.execute("postgres", "alter database shop reset default_transaction_read_only");
            }
        }
    }

    @Test
    void aDeadlockIsNobodysFault() throws Exception {
        try (var warehouse = warehouse();
                var other = server.connect("shop");
                var statement = other.createStatement()) {
            other.setAutoCommit(false);
            // Only the writer looks for deadlocks, so it is the one that is chosen.
            statement.execute("set deadlock_timeout = '10min'");
            statement.execute("insert into t (id) values (1)");
            var outcome = warehouse.begin(new Call(warehouse.rows("{\"id\":2}", GOOD), Warehouse.AMPLE));
            Warehouse.await(server, "shop", Warehouse.WAITING_FOR_LOCK, 1);
            statement.execute("insert into t (id) values (2)");
            other.rollback();
            nobodys(outcome.get(), "40P01");
            writesOn(warehouse);
        }
    }

    @Test
    void aLockThatIsNotGivenIsNobodysFault() throws Exception {
        server.execute("shop", """
                create or replace function lock_parent() returns trigger language plpgsql as
                $$begin lock table parent in exclusive mode nowait; return new; end$$;
                create trigger lock_parent before insert on t for each row execute function lock_parent()""");
        try (var warehouse = warehouse();
                var other = server.connect("shop");
                var statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("lock table parent in exclusive mode");
            nobodys(warehouse.write(GOOD), "55P03");
            other.rollback();
            writesOn(warehouse);
        }
    }

    private static void nobodys(WriteOutcome outcome, String state) {
        assertThat(outcome).isInstanceOfSatisfying(Unavailable.class, again -> {
            assertThat(again.failure().code()).isEqualTo(state);
            assertThat(again.blame()).isEqualTo(new Blame.Nobody());
            assertThat(again.failure().mayHaveStored()).isFalse();
        });
    }

    @Test
    void theServerGivesUpBeforeTheDeadlineAndLocksBeforeTheRest() throws Exception {
        server.execute("shop", """
                create or replace function note_limits() returns trigger language plpgsql as
                $$begin
                  new.name = (select string_agg(setting, ' ' order by name) from pg_settings
                               where name in ('lock_timeout', 'statement_timeout'));
                  return new;
                end$$;
                create trigger note_limits before insert on t for each row execute function note_limits()""");
        try (var warehouse = warehouse()) {
            assertThat(warehouse.write(GOOD)).isEqualTo(new Written(1, 0));
        }
        var lock = server.queryLong("shop", "select split_part(name, ' ', 1)::bigint from t");
        var statement = server.queryLong("shop", "select split_part(name, ' ', 2)::bigint from t");
        var deadline = Warehouse.AMPLE.toMillis();
        assertThat(lock).isPositive().isLessThan(statement);
        assertThat(statement).isLessThanOrEqualTo(deadline - deadline / 10);
    }

    @Test
    void aStatementThatIsCancelledIsTheReplicas() throws Exception {
        try (var warehouse = warehouse();
                var other = server.connect("shop");
                var statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("lock table t in exclusive mode");
            var outcome = warehouse.begin(new Call(warehouse.rows(GOOD), Warehouse.AMPLE));
            Warehouse.await(server, "shop", Warehouse.WAITING_FOR_LOCK, 1);
            server.execute(
                    "postgres",
                    "select pg_cancel_backend(pid) from pg_stat_activity where application_name = 'millrace'");
            assertThat(outcome.get()).isInstanceOfSatisfying(Unavailable.class, late -> {
                assertThat(late.failure().code()).isEqualTo("57014");
                assertThat(late.blame()).isEqualTo(new Blame.Replica());
                assertThat(late.failure().mayHaveStored()).isFalse();
            });
            other.rollback();
            writesOn(warehouse);
        }
    }

    @Test
    void aSessionThatIsEndedIsTheReplicasAndTheNextOneIsFresh() throws Exception {
        try (var warehouse = warehouse();
                var other = server.connect("shop");
                var statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("lock table t in exclusive mode");
            var outcome = warehouse.begin(new Call(warehouse.rows(GOOD), Warehouse.AMPLE));
            Warehouse.await(server, "shop", Warehouse.WAITING_FOR_LOCK, 1);
            server.execute(
                    "postgres",
                    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'millrace'");
            assertThat(outcome.get()).isInstanceOfSatisfying(Unavailable.class, ended -> {
                // The driver tells the end of the line over what the server said last.
                assertThat(ended.failure().code()).isIn("57P01", "08006");
                assertThat(ended.blame()).isEqualTo(new Blame.Replica());
                assertThat(ended.failure().mayHaveStored()).isFalse();
            });
            other.rollback();
            writesOn(warehouse);
        }
    }

    /// Errors that no small server can be brought to, by a trigger that raises them: the code comes over the line as
    /// it would, and every field is filled with the row.
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "40001; Nobody",
                "55006; Nobody",
                "53100; Overload",
                "53200; Overload",
                "57P03; Replica",
                "58030; Replica",
                "XX000; Replica",
                "XX001; Replica",
                "HV000; Replica",
                "25P03; Replica",
                "P0001; Refused",
                "38000; Refused",
                "44000; Refused",
                "23505; Refused",
                "53400; Refused",
                "22000; Refused",
                "23000; Refused",
                "40002; Refused",
                "40003; Replica",
                "08006; Replica",
                "0A000; Misconfigured",
                "25006; Replica",
                "54011; Misconfigured",
                "54000; Refused",
                "54001; Refused",
                "42804; Misconfigured",
                "55000; Misconfigured",
                "57P04; Misconfigured",
                "28000; Misconfigured"
            })
    @Tag("OPS-10")
    void whatATriggerRaisesIsTakenByItsCodeAndNotTold(String state, String kind) throws Exception {
        server.execute("shop", """
                create or replace function refuse() returns trigger language plpgsql as
                $$begin
                  if new.name is null then return new; end if;
                  raise exception 'no %', new.name using errcode = 'STATE', detail = new.name, hint = new.name,
                    column = new.name, constraint = new.name, table = new.name, schema = new.name;
                end$$;
                create trigger refuse before insert on t for each row execute function refuse()""".replace("STATE", state));
        for (var onConflict : OnConflict.values()) {
            server.execute("shop", "truncate t");
            try (var warehouse = Warehouse.open(settings("t", onConflict, null), address(server, "shop"))) {
                var outcome = warehouse.write("{\"id\":5}", "{\"id\":6,\"name\":\"m4rker\"}");
                assertThat(kind(outcome)).isEqualTo(kind);
                assertThat(failure(outcome).code()).isEqualTo(state);
                assertThat(failure(outcome).mayHaveStored()).isFalse();
                if (outcome instanceof Refused refused)
                    assertThat(refused.rowHint()).isEqualTo(onConflict == OnConflict.ERROR ? 1 : -1);
                tellsNothing(outcome);
                writesOn(warehouse);
            }
        }
    }

    private static String kind(WriteOutcome outcome) {
        return outcome instanceof Unavailable unavailable
                ? unavailable.blame().getClass().getSimpleName()
                : outcome.getClass().getSimpleName();
    }

    @Test
    @Tag("WRT-4")
    void aTriggerThatLeavesRowsOutStoresNothing() throws Exception {
        server.execute("shop", """
                create or replace function drop_some() returns trigger language plpgsql as
                $$begin return case when new.id > 1 then null else new end; end$$;
                create trigger drop_some before insert on t for each row execute function drop_some()""");
        try (var warehouse = warehouse()) {
            assertThat(warehouse.write(GOOD, "{\"id\":2}"))
                    .isInstanceOfSatisfying(
                            Misconfigured.class,
                            held -> assertThat(held.failure().code()).isEqualTo("rows-left-out"));
            writesOn(warehouse);
        }
    }

    /// A deferred trigger raises while COMMIT runs. What the server answered is known, unless it says itself, or by a
    /// code that nobody knows, that it does not know.
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "23505; Refused; false",
                "22003; Refused; false",
                "P0001; Refused; false",
                "54000; Refused; false",
                "40001; Nobody; false",
                "40P01; Nobody; false",
                "53100; Overload; false",
                "42501; Misconfigured; false",
                "25006; Replica; false",
                "XX000; Replica; false",
                "40003; Replica; true",
                "08007; Replica; true",
                "57P01; Replica; true",
                "ZZ999; Replica; true"
            })
    @Tag("WRT-3")
    void whatIsRaisedInCommitIsAnAnswerWhereTheCodeIsOne(String state, String kind, boolean mayHaveStored)
            throws Exception {
        server.execute("shop", """
                create or replace function late() returns trigger language plpgsql as
                $$begin
                  if new.name is not null then raise exception 'no %', new.name using errcode = 'STATE'; end if;
                  return null;
                end$$;
                create constraint trigger late after insert on t deferrable initially deferred
                  for each row execute function late()""".replace("STATE", state));
        try (var warehouse = warehouse()) {
            var outcome = warehouse.write("{\"id\":5}", "{\"id\":6,\"name\":\"m4rker\"}");
            assertThat(kind(outcome)).isEqualTo(kind);
            assertThat(failure(outcome).mayHaveStored()).isEqualTo(mayHaveStored);
            assertThat(failure(outcome).code()).isEqualTo(mayHaveStored ? "commit-in-doubt" : state);
            tellsNothing(outcome);
            writesOn(warehouse);
        }
    }

    private static Failure failure(WriteOutcome outcome) {
        return switch (outcome) {
            case Unavailable unavailable -> unavailable.failure();
            case Refused refused -> refused.failure();
            case TooLarge large -> large.failure();
            case Misconfigured held -> held.failure();
            case Written written -> throw new AssertionError(written.toString());
        };
    }

    /// Each line stands in a page that a person can read, and its condition has that code at a real server.
    @Test
    void everyLineOfTheTableIsWhatThePageSaysAndTheServerKnowsItsCondition() throws Exception {
        var lines = new ArrayList<String>();
        try (var connection = server.connect("shop");
                var statement = connection.createStatement()) {
            for (var rule : SqlStates.TABLE) {
                lines.add(String.join(
                        " | ", rule.prefix(), rule.condition(), rule.says().name(), rule.words()));
                assertThatThrownBy(() -> statement.execute(
                                "do $$begin raise " + rule.condition() + " using message = 'x'; end$$"))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                raised -> assertThat(raised.getSQLState())
                                        .as(rule.condition())
                                        .isEqualTo((rule.prefix() + "000").substring(0, 5)));
            }
        }
        Golden.check("sqlstates.txt", lines);
    }

    @Test
    void eachLineDecidesForItsOwnCodesAndForNoOther() {
        for (var rule : SqlStates.TABLE) {
            assertThat(SqlStates.of(rule.prefix())).isEqualTo(rule);
            var longer = rule.prefix().length() == 2 ? rule.prefix() + "9ZZ" : rule.prefix();
            assertThat(SqlStates.of(longer)).isEqualTo(rule);
        }
    }

    @Test
    void theLongestPrefixDecidesAndWhatIsUnknownIsTheReplicas() {
        assertThat(SqlStates.of("23505").words()).contains("unique");
        assertThat(SqlStates.of("23001").says()).isEqualTo(SqlStates.Says.ROWS);
        assertThat(SqlStates.of("53999").says()).isEqualTo(SqlStates.Says.OVERLOAD);
        for (var unknown : new String[] {null, "", "ZZ999", "5"})
            assertThat(SqlStates.of(unknown)).isSameAs(SqlStates.UNKNOWN);
        assertThat(SqlStates.TABLE.stream().map(SqlStates.Rule::prefix)).doesNotHaveDuplicates();
    }
}
