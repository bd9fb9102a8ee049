package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.AMPLE;
import static dev.millrace.postgres.Warehouse.SHARD;
import static dev.millrace.postgres.Warehouse.address;
import static dev.millrace.postgres.Warehouse.withTokens;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.FreePort;
import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.Login;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.postgres.PostgresSettings.Tls;
import dev.millrace.postgres.TokenTables.Made;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How the table of tokens is made, and what is said of one that will not do.
@Tag("EO-11")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TokenTablesTest {
    private static final String GOOD = TokenTables.sql("s.t");

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
        server.execute(
                "shop", "drop schema if exists s cascade; create schema s; create table s.t (id int primary key)");
    }

    private static TokenTables tables(String table, String user, String password) {
        return new TokenTables(
                table, new Login(user, Password.of(password), new Tls.Off()), Duration.ofMinutes(1), NanoClock.SYSTEM);
    }

    private static Made make(TokenTables tables, URI... ways) throws InterruptedException {
        return Objects.requireNonNull(
                tables.make(Map.of(SHARD, List.of(ways)), Warehouse.in(AMPLE)).get(SHARD));
    }

    private Made make(String table) throws InterruptedException {
        return make(tables(table, "postgres", ""), address(server, "shop"));
    }

    private Description describe() {
        var here = Map.of(SHARD, List.of(address(server, "shop")));
        try (var sink = PostgresSink.open(withTokens("s.t", OnConflict.ERROR), here, NanoClock.SYSTEM)) {
            return sink.describe(Warehouse.in(AMPLE));
        }
    }

    @Test
    @DisplayName("EO-11: it is made beside the table of the rows, once, and does")
    void itIsMadeOnce() throws Exception {
        var where = address(server, "shop").toString();
        assertThat(make("s.t")).isEqualTo(new Made.Created(where, "s.millrace_segments"));
        server.execute("shop", "insert into s.millrace_segments values ('\\x01', 'p', 's', 'h', 't', 0, 1)");
        assertThat(make("s.t")).isEqualTo(new Made.Found(where, "s.millrace_segments"));
        assertThat(server.count("shop", "s.millrace_segments")).isOne();
        assertThat(describe())
                .isInstanceOfSatisfying(
                        Description.Described.class,
                        described -> assertThat(described.hazards()).isEmpty());
    }

    @Test
    @DisplayName("EO-11: without a schema it goes to that of the table, not to the first of the search path")
    void itGoesToTheSchemaOfTheTable() throws Exception {
        server.execute("shop", "create schema first; alter database shop set search_path = first, s");
        try {
            assertThat(make("t"))
                    .isEqualTo(new Made.Created(address(server, "shop").toString(), "s.millrace_segments"));
        } finally {
            server.execute("shop", "alter database shop reset search_path; drop schema first cascade");
        }
    }

    @Test
    @DisplayName("EO-11: many that make it at once all find it made")
    void manyAtOnce() throws Exception {
        for (var round = 0; round < 5; round++) {
            begin();
            var shards = new LinkedHashMap<ShardId, List<URI>>();
            for (var i = 0; i < 8; i++) shards.put(new ShardId("warehouse", "s" + i), List.of(address(server, "shop")));
            var made = tables("s.t", "postgres", "").make(shards, Warehouse.in(AMPLE));
            assertThat(made.values())
                    .as("round " + round)
                    .hasSize(8)
                    .allMatch(one -> one instanceof Made.Created || one instanceof Made.Found);
            assertThat(made.values())
                    .filteredOn(one -> one instanceof Made.Created)
                    .hasSize(1);
        }
    }

    @Test
    @DisplayName("EO-11: what is refused is told with its remedy, what does not answer as such")
    void whatIsRefusedIsToldWithItsRemedy() throws Exception {
        assertThat(make("nowhere"))
                .isInstanceOfSatisfying(
                        Made.Refused.class,
                        refused -> assertThat(refused.reason()).contains("does not exist"));
        server.execute("shop", "grant usage on schema s to clerk");
        var clerk = make(tables("s.t", "clerk", "secret-of-clerk"), address(server, "shop"));
        assertThat(clerk).isInstanceOfSatisfying(Made.Refused.class, refused -> {
            assertThat(refused.reason()).contains("permission denied for schema s");
            assertThat(refused.remedy()).contains("GRANT CREATE", "--print");
        });
        var wrong = make(tables("s.t", "clerk", "not-it"), address(server, "shop"));
        assertThat(wrong)
                .isInstanceOfSatisfying(
                        Made.Refused.class,
                        refused -> assertThat(refused.remedy()).contains("postgres.password"));
        assertThat(wrong.toString()).doesNotContain("not-it");
        var nobody = address("127.0.0.1", FreePort.take(), "shop");
        assertThat(make(tables("s.t", "postgres", ""), nobody)).isInstanceOf(Made.NotReachable.class);
        assertThat(make(tables("s.t", "postgres", ""), nobody, address(server, "shop")))
                .isInstanceOf(Made.Created.class);
    }

    @Test
    @DisplayName("EO-11: the SQL that is printed makes what will do, also when it is run again")
    void thePrintedSqlWillDo() throws Exception {
        server.execute("shop", GOOD);
        server.execute("shop", GOOD);
        assertThat(make("s.t")).isInstanceOf(Made.Found.class);
        assertThat(TokenTables.sql("t")).startsWith("-- in the schema that holds table \"t\"");
        assertThat(TokenTables.sql("\"odd s\".t")).contains("\"odd s\".millrace_segments");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            alter table s.millrace_segments alter part type bigint          | column part is bigint and not integer
            alter table s.millrace_segments drop column shard               | has no column shard
            alter table s.millrace_segments add column more int not null    | needs a value for column more
            alter table s.millrace_segments set unlogged                    | is unlogged
            alter table s.millrace_segments drop constraint millrace_segments_pkey | has no primary key of its column token
            drop table s.millrace_segments; create view s.millrace_segments as select 1 as token | is not a table""")
    @DisplayName("EO-11: a table of that name that will not do is refused with its remedy, by the start and by init")
    void oneThatWillNotDoIsRefused(String change, String reason) throws Exception {
        server.execute("shop", GOOD + change);
        assertThat(describe())
                .isInstanceOfSatisfying(
                        Description.Refused.class,
                        refused -> assertThat(refused.reason())
                                .contains("table s.millrace_segments", reason, "millrace init")
                                .doesNotContain("\n"));
        assertThat(make("s.t"))
                .isInstanceOfSatisfying(
                        Made.Refused.class,
                        refused -> assertThat(refused.reason()).contains(reason));
    }

    @Test
    @DisplayName("EO-11: missing rights are told, with the GRANT that gives them")
    void missingRightsAreTold() throws Exception {
        server.execute(
                "shop",
                GOOD
                        + "grant usage on schema s to clerk; grant insert on s.t to clerk; grant select, insert on s.millrace_segments to clerk");
        assertThat(make(tables("s.t", "clerk", "secret-of-clerk"), address(server, "shop")))
                .isInstanceOfSatisfying(Made.Refused.class, refused -> {
                    assertThat(refused.reason()).isEqualTo("no right to UPDATE, DELETE in table s.millrace_segments");
                    assertThat(refused.remedy())
                            .isEqualTo("GRANT SELECT, INSERT, UPDATE, DELETE ON \"s\".millrace_segments TO clerk");
                });
        var hidden = GOOD + "alter table s.millrace_segments enable row level security;"
                + "grant all on s.millrace_segments to clerk";
        server.execute("shop", hidden);
        assertThat(make(tables("s.t", "clerk", "secret-of-clerk"), address(server, "shop")))
                .isInstanceOfSatisfying(
                        Made.Refused.class,
                        refused -> assertThat(refused.reason()).contains("row-level security"));
    }
}
