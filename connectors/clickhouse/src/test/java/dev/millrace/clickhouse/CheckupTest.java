package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.Tls;
import dev.millrace.lab.http.Pem;
import dev.millrace.sinkpool.Checkup;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Finding.Severity;
import dev.millrace.sinkpool.Guarantee.Level;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.ShardId;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a checkup finds at servers that the engine of the tests can't play.
@Tag("CFG-4")
@Timeout(300)
class CheckupTest {
    private static final ShardId OTHER = new ShardId("warehouse", "b");

    private static Checkup look(ClickHouseSettings settings, Duration limit, Map<ShardId, List<URI>> shards)
            throws InterruptedException {
        try (var sink = ClickHouseSink.open(settings, shards, () -> Lines.VERBATIM, NanoClock.SYSTEM)) {
            return sink.checkUp(Bench.in(limit), InstantSource.system());
        }
    }

    private static Checkup look(Map<String, String> extra, URI... replicas) throws InterruptedException {
        return look(Bench.settings(Compression.NONE, extra), Bench.AMPLE, Map.of(Bench.SHARD, List.of(replicas)));
    }

    private static Checkup look(URI... replicas) throws InterruptedException {
        return look(Map.of(), replicas);
    }

    private static Finding only(Checkup checkup, Severity severity) {
        var found = checkup.findings().stream()
                .filter(finding -> finding.severity() == severity)
                .toList();
        assertThat(found).as(checkup.toString()).hasSize(1);
        return found.getFirst();
    }

    @Test
    @DisplayName("CFG-4: replicas that share their tokens allow L2, and nothing is wrong with them")
    void replicasThatShareTheirTokensAreWell() throws Exception {
        try (var one = FakeServer.listen();
                var two = FakeServer.listen()) {
            var checkup = look(one.uri(), two.uri());
            assertThat(checkup.guarantee().level()).isEqualTo(Level.L2);
            assertThat(checkup.guarantee().why()).contains("10000 tokens for 3600 s");
            assertThat(checkup.findings())
                    .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.NOTE));
            assertThat(one.questions()).allMatch(sql -> sql.startsWith("SELECT ") || sql.startsWith("CHECK GRANT "));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, says yes when a batch is in its own queue", "1, which of its tables"})
    @DisplayName("CASE-9: a Distributed table is told as one, whether its inserts wait or not")
    @Tag("CASE-9")
    void aDistributedTableIsToldAsOne(String waits, String told) throws Exception {
        try (var server = FakeServer.listen()
                .says("engine, partition_key", "Distributed\t\t\t\t\t")
                .settings(Map.of("distributed_foreground_insert", waits + " \\N \\N 0"))) {
            var checkup = look(server.uri());
            assertThat(only(checkup, Severity.HAZARD).what()).contains(told);
            assertThat(checkup.guarantee().level()).isEqualTo(Level.L0);
        }
    }

    @Test
    @DisplayName(
            "CASE-11: async_insert by default is a note, since every insert says otherwise; where it is fixed, a fault")
    @Tag("CASE-11")
    void asynchronousInsertsByDefaultAreANoteAndFixedOnesAFault() throws Exception {
        try (var server = FakeServer.listen().settings(Map.of("async_insert", "1 \\N \\N 0"))) {
            assertThat(look(server.uri()).findings())
                    .anyMatch(finding -> finding.severity() == Severity.NOTE
                            && finding.what().contains("async_insert=0"));
            server.settings(Map.of("async_insert", "1 \\N \\N 1"));
            assertThat(only(look(server.uri()), Severity.FAULT).what()).contains("forbids to set async_insert");
        }
    }

    @Test
    void aSettingThatTheProfileFixesAtOurValueIsWell() throws Exception {
        try (var server = FakeServer.listen().settings(Map.of("async_insert", "0 \\N \\N 1"))) {
            assertThat(look(server.uri()).findings()).noneMatch(finding -> finding.severity() == Severity.FAULT);
        }
    }

    @Test
    void aSettingOutOfTheProfilesBoundsIsAFault() throws Exception {
        try (var server = FakeServer.listen().settings(Map.of("max_insert_block_size", "1000 1 65536 0"))) {
            assertThat(only(look(server.uri()), Severity.FAULT).what())
                    .contains("keeps max_insert_block_size within 1 to 65536");
        }
    }

    @Test
    void aUserWhoMayOnlyReadIsAFault() throws Exception {
        try (var server =
                FakeServer.listen().settings(Map.of("readonly", "2 \\N \\N 0")).says("CHECK GRANT", "0")) {
            var faults = look(server.uri()).findings().stream()
                    .filter(finding -> finding.severity() == Severity.FAULT)
                    .map(Finding::what)
                    .toList();
            assertThat(faults).hasSize(2);
            assertThat(faults).anyMatch(what -> what.contains("readonly = 2"));
            assertThat(faults).anyMatch(what -> what.contains("may not insert into shop.events"));
        }
    }

    @Test
    void aSettingOfTheFileThatNoServerKnowsIsAFault() throws Exception {
        try (var server = FakeServer.listen()) {
            assertThat(only(look(Map.of("insert_qorum", "2"), server.uri()), Severity.FAULT)
                            .what())
                    .contains("insert_qorum");
        }
    }

    @Test
    void aReadOnlyReplicaIsAFaultAndAShortMemoryAHazard() throws Exception {
        try (var server = FakeServer.listen()
                .says("system.replicas", "/t\tr1\t1\t1")
                .says("engine, partition_key", "ReplicatedMergeTree\t\t50\t60\t\t")) {
            var checkup = look(server.uri());
            assertThat(only(checkup, Severity.FAULT).what()).contains("read-only on this replica");
            assertThat(checkup.findings()).anyMatch(finding -> finding.what().contains("remembers 50 tokens"));
            assertThat(checkup.findings())
                    .anyMatch(finding -> finding.what().contains("remembers tokens for 60 s")
                            && finding.remedy().contains("replicated_deduplication_window_seconds"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "24.8.1.1, true",
        "26.3.33.60, true",
        "26.3.33.61, false",
        "26.5.99.1, true",
        "26.6.5.114, false",
        "26.7.2.1, true",
        "26.8.3.98, false",
        "27.1.1.1, false"
    })
    void aVersionThatLosesRowsIsAHazard(String version, boolean loses) throws Exception {
        try (var server = FakeServer.listen().ofVersion(version)) {
            assertThat(look(server.uri()).findings().stream()
                            .anyMatch(finding -> finding.severity() == Severity.HAZARD
                                    && finding.what().contains("ClickHouse " + version)))
                    .isEqualTo(loses);
        }
    }

    @ParameterizedTest
    @CsvSource({"120, ahead of", "-120, behind"})
    void aClockThatIsOffIsAHazard(int seconds, String direction) throws Exception {
        try (var server = FakeServer.listen().clockAhead(Duration.ofSeconds(seconds))) {
            assertThat(only(look(server.uri()), Severity.HAZARD).what())
                    .matches("its clock is 1(19|20) s " + direction + ".*");
        }
    }

    @Test
    void oneServerUnderTwoAddressesIsAHazard() throws Exception {
        try (var one = FakeServer.listen();
                var two = FakeServer.listen()) {
            one.says("serverUUID", "6a4a1c1e-0000-4000-8000-000000000001");
            two.says("serverUUID", "6a4a1c1e-0000-4000-8000-000000000001");
            var hazard = only(look(one.uri(), two.uri()), Severity.HAZARD);
            assertThat(hazard.what())
                    .contains("the same server as")
                    .contains(one.uri().toString());
            assertThat(hazard.where()).contains(two.uri().toString());
        }
    }

    @Test
    @DisplayName("INPUT-40: a replica of another table's set, and two shards of one, are told")
    @Tag("INPUT-40")
    void pathsInKeeperThatDoNotFitAreHazards() throws Exception {
        try (var one = FakeServer.listen();
                var two = FakeServer.listen()) {
            var shards = new LinkedHashMap<ShardId, List<URI>>();
            shards.put(Bench.SHARD, List.of(one.uri()));
            shards.put(OTHER, List.of(two.uri()));
            var together = look(Bench.settings(), Bench.AMPLE, shards);
            assertThat(only(together, Severity.HAZARD).what()).contains("two shards write into one table");

            two.says("system.replicas", "/clickhouse/tables/s1/orders\tr1\t0\t2");
            assertThat(look(Bench.settings(), Bench.AMPLE, shards).findings())
                    .noneMatch(finding -> finding.severity() == Severity.HAZARD);
            var apart = look(one.uri(), two.uri());
            assertThat(only(apart, Severity.HAZARD).what()).contains("no replicas of each other");
            assertThat(apart.guarantee().level()).isEqualTo(Level.L0);
        }
    }

    @Test
    void aQuotaIsAHazardAndWhatIsNotToldANote() throws Exception {
        try (var server = FakeServer.listen()
                .says("system.quota_usage", "tenants\t3600\t100\t\\N")
                .refuses("system.columns", 497)) {
            var checkup = look(server.uri());
            assertThat(only(checkup, Severity.HAZARD).what())
                    .isEqualTo("quota tenants lets ingest make 100 inserts and write any number of bytes in 3600 s");
            assertThat(checkup.findings())
                    .anyMatch(finding -> finding.severity() == Severity.NOTE
                            && finding.what().equals("it does not tell system.columns"));
        }
    }

    @Test
    void anOldServerThatKnowsNoQuestionIsNoFault() throws Exception {
        try (var server = FakeServer.listen()
                .refuses("serverUUID", 46)
                .refuses("CHECK GRANT", 62)
                .refuses("system.replicated_merge_tree_settings", 60)
                .says("system.merge_tree_settings", "replicated_deduplication_window\t1000")) {
            var checkup = look(server.uri());
            assertThat(checkup.guarantee().level()).isEqualTo(Level.L2);
            assertThat(checkup.findings())
                    .noneMatch(finding -> finding.severity() == Severity.FAULT)
                    .noneMatch(finding -> finding.what().contains("does not tell"));
        }
    }

    @Test
    @DisplayName("INPUT-40: what is not ClickHouse is a fault, and every other endpoint is looked at all the same")
    @Tag("INPUT-40")
    void whatIsNotClickHouseIsAFault() throws Exception {
        var page = "<html><h1>Welcome to nginx!</h1></html>";
        try (var nginx = Stub.listen(Stub.answer("200 OK", "Server: nginx\r\n", page));
                var gone = Stub.listen(Stub.answer("404 Not Found", "Server: nginx\r\n", page));
                var moved = Stub.listen(Stub.answer("302 Found", "Location: http://elsewhere/\r\n", ""));
                var server = FakeServer.listen()) {
            var checkup = look(nginx.uri(), gone.uri(), moved.uri(), server.uri(), Stub.nobody());
            assertThat(checkup.findings().stream()
                            .filter(finding -> finding.severity() == Severity.FAULT)
                            .map(Finding::where))
                    .containsExactly(
                            "sinks.warehouse.shards.a " + nginx.uri(),
                            "sinks.warehouse.shards.a " + gone.uri(),
                            "sinks.warehouse.shards.a " + moved.uri());
            assertThat(only(checkup, Severity.UNREACHED).what()).contains("no connection");
            assertThat(checkup.guarantee().level()).isEqualTo(Level.L2);
            assertThat(checkup.guarantee().why()).contains("as far as servers answered");
        }
    }

    @Test
    void anEndpointThatHangsEndsAtTheDeadlineAndHoldsUpNoOther() throws Exception {
        try (var hangs = Stub.listen(Stub.Line::untilClosed);
                var server = FakeServer.listen()) {
            var checkup = look(
                    Bench.settings(), Duration.ofSeconds(3), Map.of(Bench.SHARD, List.of(hangs.uri(), server.uri())));
            assertThat(only(checkup, Severity.UNREACHED).where())
                    .contains(hangs.uri().toString());
            assertThat(server.questions()).hasSizeGreaterThan(8);
        }
    }

    @Test
    void aCertificateThatEndsSoonIsAHazardAndAnUntrustedOneAFault(@TempDir Path directory) throws Exception {
        var pem = Pem.make(directory, "server", "RSA", "2048");
        var socket = pem.context(pem.certificate())
                .getServerSocketFactory()
                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        try (var stub =
                Stub.over(socket, "https", Stub.exception("500 Internal Server Error", 516, "Authentication failed"))) {
            var trusted = Bench.settings(
                    "events", Compression.NONE, () -> "s3cret", new Tls(pem.certificateFile(), null, null), Map.of());
            var shards = Map.of(Bench.SHARD, List.of(stub.uri()));
            var checkup = look(trusted, Bench.AMPLE, shards);
            assertThat(only(checkup, Severity.HAZARD).what()).contains("its certificate ends at");
            assertThat(only(checkup, Severity.FAULT).what()).contains("(516)");

            assertThat(only(look(Bench.settings(), Bench.AMPLE, shards), Severity.FAULT)
                            .what())
                    .startsWith("no TLS");
        }
    }

    @Test
    void filesOfTlsThatCannotBeUsedAreAFault() throws Exception {
        var settings = Bench.settings(
                "events", Compression.NONE, () -> "s3cret", new Tls(Path.of("/nowhere.pem"), null, null), Map.of());
        var checkup = look(settings, Bench.AMPLE, Map.of(Bench.SHARD, List.of(URI.create("https://localhost:1"))));
        assertThat(only(checkup, Severity.FAULT).what()).contains("/nowhere.pem");
    }
}
