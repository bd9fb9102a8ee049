package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.FreePort;
import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.Limits;
import dev.millrace.postgres.PostgresSettings.Login;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.postgres.PostgresSettings.Rows;
import dev.millrace.postgres.PostgresSettings.Tls;
import dev.millrace.postgres.PostgresSettings.UnknownFields;
import dev.millrace.sinkpool.Checkup;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Finding.Severity;
import dev.millrace.sinkpool.Guarantee.Level;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// What a checkup finds at a real server.
@Tag("CFG-4")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CheckupTest {
    private static final ShardId OTHER = new ShardId("warehouse", "b");

    private LabPostgres server;

    @BeforeAll
    void launch() {
        server = LabPostgres.launch();
        for (var database : List.of("shop", "shop2")) {
            server.createDatabase(database);
            server.execute(database, "create table keyed (id int primary key)");
            server.execute(database, "create table loose (id int)");
        }
        server.createUser("clerk", "secret-of-clerk");
        server.execute("shop", "create table wide (id int, more text)");
        server.execute("shop2", "create table wide (id int)");
    }

    @AfterAll
    void close() {
        server.close();
    }

    private static PostgresSettings settings(String table, String user, String password, OnConflict onConflict) {
        return new PostgresSettings(
                table,
                new Login(user, Password.of(password), new Tls.Off()),
                new Rows(onConflict, UnknownFields.REFUSE, null),
                new Limits(1, Duration.ofSeconds(5), Duration.ofSeconds(30)));
    }

    private static Checkup look(PostgresSettings settings, Duration limit, Map<ShardId, List<URI>> shards)
            throws InterruptedException {
        try (var sink = PostgresSink.open(settings, shards, NanoClock.SYSTEM)) {
            return sink.checkUp(Warehouse.in(limit), InstantSource.system());
        }
    }

    private Checkup look(String table, OnConflict onConflict, String... databases) throws InterruptedException {
        var ways = Arrays.stream(databases)
                .map(database -> address(server, database))
                .toList();
        return look(settings(table, "postgres", "", onConflict), Warehouse.AMPLE, Map.of(Warehouse.SHARD, ways));
    }

    private static List<Finding> of(Checkup checkup, Severity severity) {
        // The server of the tests is quick because it does not care for crashes of its host.
        return checkup.findings().stream()
                .filter(finding -> finding.severity() == severity)
                .filter(finding ->
                        !finding.what().startsWith("fsync") && !finding.what().startsWith("full_page"))
                .toList();
    }

    private static Finding only(Checkup checkup, Severity severity) {
        assertThat(of(checkup, severity)).as(checkup.toString()).hasSize(1);
        return of(checkup, severity).getFirst();
    }

    @Test
    void aKeyAndOnConflictIgnoreAreL1AndWell() throws Exception {
        var checkup = look("keyed", OnConflict.IGNORE, "shop");
        assertThat(checkup.guarantee().level()).isEqualTo(Level.L1);
        assertThat(of(checkup, Severity.FAULT)).isEmpty();
        assertThat(of(checkup, Severity.HAZARD)).isEmpty();
        assertThat(server.count("shop", "keyed")).isZero();
    }

    @Test
    void withoutAKeyNothingIsRecognised() throws Exception {
        var checkup = look("loose", OnConflict.IGNORE, "shop");
        assertThat(checkup.guarantee().level()).isEqualTo(Level.L0);
        assertThat(only(checkup, Severity.HAZARD).what()).contains("no unique index");
    }

    @Test
    void anErrorOnConflictIsL0AndItsHazardIsTold() throws Exception {
        var checkup = look("keyed", OnConflict.ERROR, "shop");
        assertThat(checkup.guarantee().level()).isEqualTo(Level.L0);
        assertThat(only(checkup, Severity.HAZARD).what()).contains("on_conflict is error");
    }

    @Test
    void aMissingTableAMissingRightAndAWrongPasswordAreFaults() throws Exception {
        assertThat(only(look("nowhere", OnConflict.ERROR, "shop"), Severity.FAULT)
                        .what())
                .isEqualTo("table nowhere does not exist");
        var here = Map.of(Warehouse.SHARD, List.of(address(server, "shop")));
        var clerk = settings("loose", "clerk", "secret-of-clerk", OnConflict.ERROR);
        assertThat(only(look(clerk, Warehouse.AMPLE, here), Severity.FAULT).remedy())
                .isEqualTo("GRANT INSERT on it to \"clerk\"");
        var wrong = look(settings("loose", "clerk", "not-it", OnConflict.ERROR), Warehouse.AMPLE, here);
        assertThat(only(wrong, Severity.FAULT).remedy()).contains("postgres.password");
        assertThat(wrong.toString()).doesNotContain("not-it");
    }

    @Test
    void waysToTwoDatabasesAreNoReplicas() throws Exception {
        assertThat(only(look("keyed", OnConflict.IGNORE, "shop", "shop2"), Severity.HAZARD)
                        .what())
                .contains("it is another database");
        assertThat(of(look("keyed", OnConflict.IGNORE, "shop", "shop"), Severity.HAZARD))
                .isEmpty();
    }

    @Test
    void twoShardsInOneDatabaseAreToldAndTablesThatDifferAreAFault() throws Exception {
        var shards = new LinkedHashMap<ShardId, List<URI>>();
        shards.put(Warehouse.SHARD, List.of(address(server, "shop")));
        shards.put(OTHER, List.of(address(server, "shop")));
        var settings = settings("keyed", "postgres", "", OnConflict.IGNORE);
        assertThat(only(look(settings, Warehouse.AMPLE, shards), Severity.HAZARD)
                        .what())
                .contains("two shards write into one table");
        shards.put(OTHER, List.of(address(server, "shop2")));
        assertThat(of(look(settings, Warehouse.AMPLE, shards), Severity.HAZARD)).isEmpty();
        var wide = settings("wide", "postgres", "", OnConflict.ERROR);
        assertThat(only(look(wide, Warehouse.AMPLE, shards), Severity.FAULT).what())
                .contains("column 2 is more text and missing");
    }

    @Test
    void aStandbyIsAHazardAndAReadOnlyUserAFault() throws Exception {
        server.execute(
                "shop", "grant insert on loose to clerk; alter role clerk set default_transaction_read_only = on");
        var here = Map.of(Warehouse.SHARD, List.of(address(server, "shop")));
        var clerk = settings("loose", "clerk", "secret-of-clerk", OnConflict.ERROR);
        var readOnly = look(clerk, Warehouse.AMPLE, here);
        assertThat(only(readOnly, Severity.FAULT).what()).startsWith("default_transaction_read_only");
        server.execute("shop", "revoke insert on loose from clerk");
        server.execute("shop", "alter role clerk reset default_transaction_read_only");

        var signal = Path.of(server.query("shop", "show data_directory").getFirst(), "standby.signal");
        server.stop();
        Files.createFile(signal);
        server.start();
        try {
            assertThat(only(look("keyed", OnConflict.IGNORE, "shop"), Severity.HAZARD)
                            .what())
                    .contains("standby");
        } finally {
            server.stop();
            Files.delete(signal);
            server.start();
        }
    }

    @Test
    void endpointsThatHangOrAreNotThereEndAtTheDeadlineAndHoldUpNoOther() throws Exception {
        var nobody = address("127.0.0.1", FreePort.take(), "shop");
        try (var hangs = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var ways = List.of(address("127.0.0.1", hangs.getLocalPort(), "shop"), nobody, address(server, "shop"));
            var checkup = look(
                    settings("keyed", "postgres", "", OnConflict.IGNORE),
                    Duration.ofSeconds(2),
                    Map.of(Warehouse.SHARD, ways));
            assertThat(of(checkup, Severity.UNREACHED)).hasSize(2);
            assertThat(checkup.guarantee().level()).isEqualTo(Level.L1);
        }
    }

    private Checkup lookWithTokens(String table, OnConflict onConflict, String... databases)
            throws InterruptedException {
        var ways = Arrays.stream(databases)
                .map(database -> address(server, database))
                .toList();
        return look(Warehouse.withTokens(table, onConflict), Warehouse.AMPLE, Map.of(Warehouse.SHARD, ways));
    }

    @Test
    @Tag("EO-11")
    @DisplayName("EO-11: tokens and their table are L4, with or without a key; without it the level is as it was")
    void tokensAndTheirTableAreL4() throws Exception {
        var without = lookWithTokens("keyed", OnConflict.IGNORE, "shop");
        assertThat(without.guarantee().level()).isEqualTo(Level.L1);
        assertThat(without.guarantee().why()).startsWith("no table public.millrace_segments at ");
        assertThat(without.guarantee().why()).contains("run millrace init");
        assertThat(only(without, Severity.HAZARD).remedy()).contains("millrace init");
        assertThat(lookWithTokens("loose", OnConflict.ERROR, "shop").guarantee().level())
                .isEqualTo(Level.L0);

        for (var database : List.of("shop", "shop2")) Warehouse.makeTokenTable(server, database);
        for (var table : List.of("keyed", "loose")) {
            for (var onConflict : OnConflict.values()) {
                var with = lookWithTokens(table, onConflict, "shop");
                assertThat(with.guarantee().level()).isEqualTo(Level.L4);
                assertThat(of(with, Severity.FAULT)).isEmpty();
                // Rows that replay meet no index, and need none.
                assertThat(of(with, Severity.HAZARD)).isEmpty();
            }
        }
        var two = lookWithTokens("keyed", OnConflict.ERROR, "shop", "shop2");
        assertThat(two.guarantee().level()).isEqualTo(Level.L0);
        assertThat(two.guarantee().why()).contains("ways to two databases");

        server.execute("shop", "alter table millrace_segments alter part type bigint");
        var wrong = lookWithTokens("keyed", OnConflict.IGNORE, "shop");
        assertThat(wrong.guarantee().level()).isEqualTo(Level.L1);
        assertThat(only(wrong, Severity.FAULT).what()).contains("column part is bigint");
        for (var database : List.of("shop", "shop2")) server.execute(database, "drop table millrace_segments");
    }

    @Test
    @Tag("OPS-14")
    @DisplayName("OPS-14: tokens of a pipeline that has stored nothing for a month are told, and no others")
    void tokensThatNobodyWritesAnyMoreAreTold() throws Exception {
        server.createDatabase("old");
        server.execute("old", "create table keyed (id int primary key)");
        Warehouse.makeTokenTable(server, "old");
        for (var token : List.of("'a', 'gone', 40", "'b', 'gone', 50", "'c', 'runs', 1", "'d', 'runs', 60"))
            server.execute(
                    "old",
                    "insert into millrace_segments (token, pipeline, sink, shard, topic_id, part, seg_end, at)"
                            + " select t::text::bytea, p, 'warehouse', 's0', 'T', 0, 1, now() - interval '1 day' * d"
                            + " from (values ("
                            + token + ")) as v (t, p, d)");
        var note = only(lookWithTokens("keyed", OnConflict.ERROR, "old"), Severity.NOTE);
        assertThat(note.what()).contains("2 tokens of pipeline gone, sink warehouse", "for 40 days");
        assertThat(note.remedy()).contains("millrace_segments");

        var ways = Map.of(Warehouse.SHARD, List.of(address(server, "old")));
        try (var sink = PostgresSink.open(Warehouse.withTokens("keyed", OnConflict.ERROR), ways, NanoClock.SYSTEM)) {
            var until = NanoClock.SYSTEM.nanoTime() + Warehouse.AMPLE.toNanos();
            assertThat(sink.leftovers(until))
                    .as("of a table that is not known yet")
                    .isEmpty();
            assertThat(sink.describe(until)).isInstanceOf(Description.Described.class);
            assertThat(sink.leftovers(until)).singleElement().satisfies(told -> {
                assertThat(told.what()).isEqualTo(note.what());
                assertThat(told.remedy()).isEqualTo(note.remedy());
            });
        }
    }
}
