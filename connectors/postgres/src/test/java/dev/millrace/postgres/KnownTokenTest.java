package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.AMPLE;
import static dev.millrace.postgres.Warehouse.SHARD;
import static dev.millrace.postgres.Warehouse.address;
import static dev.millrace.postgres.Warehouse.withTokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.lab.FreePort;
import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.OnConflict;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.NewestTokens.Answer;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// A database that was restored to an older state is told from one that was not.
@Tag("EO-13")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KnownTokenTest {
    /// All their bits are set where the range that is asked for ends.
    private static final Token BATCH = new Token("ffffffffffffffffffffffffffffffff");

    private static final Token OTHER = new Token("fffffffffffffffeffffffffffffffff");

    private LabPostgres server;

    @BeforeAll
    void launch() {
        server = LabPostgres.launch();
    }

    @AfterAll
    void close() {
        server.close();
    }

    @BeforeEach
    void begin() {
        server.execute("postgres", "drop database if exists shop with (force)");
        server.createDatabase("shop");
        server.execute("shop", "create table t (id int)");
        Warehouse.makeTokenTable(server, "shop");
    }

    private static Answer ask(Token token, URI... ways) {
        return ask(token, AMPLE, ways);
    }

    private static Answer ask(Token token, Duration limit, URI... ways) {
        var prefix = Arrays.copyOf(HexFormat.of().parseHex(token.batch()), 8);
        try (var sink =
                PostgresSink.open(withTokens("t", OnConflict.ERROR), Map.of(SHARD, List.of(ways)), NanoClock.SYSTEM)) {
            return sink.knows(SHARD, prefix, Warehouse.in(limit));
        }
    }

    private void write(Token token, int from, int to) throws Exception {
        try (var warehouse = Warehouse.open(withTokens("t", OnConflict.ERROR), address(server, "shop"))) {
            var rows = warehouse.rows("{\"id\":1}", "{\"id\":2}", "{\"id\":3}");
            assertThat(warehouse.writer().write(new Call(rows, token, from, to, AMPLE)))
                    .isEqualTo(new Written(to - from, 0));
        }
    }

    @Test
    @DisplayName("EO-13: a token is known, as a whole or by a part; a database from before it lacks it")
    void aDatabaseFromBeforeItLacksIt() throws Exception {
        write(OTHER, 0, 3);
        server.execute("postgres", "drop database if exists backup");
        server.execute("postgres", "create database backup template shop");
        write(BATCH, 1, 3);
        assertThat(ask(BATCH, address(server, "shop"))).isEqualTo(new Answer.Known());
        assertThat(ask(OTHER, address(server, "shop"))).isEqualTo(new Answer.Known());

        server.execute("postgres", "drop database shop with (force)");
        server.execute("postgres", "alter database backup rename to shop");
        assertThat(ask(BATCH, address(server, "shop"))).isEqualTo(new Answer.Missing());
        assertThat(ask(OTHER, address(server, "shop"))).isEqualTo(new Answer.Known());

        server.execute("shop", "truncate millrace_segments");
        assertThat(ask(OTHER, address(server, "shop"))).isEqualTo(new Answer.Missing());
        server.execute("shop", "drop table millrace_segments");
        assertThat(ask(OTHER, address(server, "shop"))).isEqualTo(new Answer.Missing());
    }

    @Test
    @DisplayName("EO-13: who can't be asked says nothing: the next endpoint is, and no answer is no loss")
    void whoCantBeAskedSaysNothing() throws Exception {
        write(BATCH, 0, 3);
        var nobody = address("127.0.0.1", FreePort.take(), "shop");
        assertThat(ask(BATCH, nobody, address(server, "shop"))).isEqualTo(new Answer.Known());
        assertThat(ask(BATCH, nobody)).isInstanceOf(Answer.CannotTell.class);
        assertThat(ask(BATCH, address(server, "elsewhere")))
                .isInstanceOfSatisfying(
                        Answer.CannotTell.class,
                        none -> assertThat(none.reason()).contains("elsewhere"));
        try (var hangs = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            assertThat(ask(BATCH, Duration.ofSeconds(1), address("127.0.0.1", hangs.getLocalPort(), "shop")))
                    .isInstanceOf(Answer.CannotTell.class);
        }
        try (var gate = server.connect("shop")) {
            gate.setAutoCommit(false);
            gate.createStatement().execute("lock table millrace_segments");
            assertThat(ask(BATCH, Duration.ofSeconds(1), address(server, "shop")))
                    .isInstanceOf(Answer.CannotTell.class);
        }
        server.execute("shop", "drop table t");
        assertThat(ask(BATCH, address(server, "shop")))
                .isInstanceOfSatisfying(
                        Answer.CannotTell.class,
                        none -> assertThat(none.reason()).contains("table t does not exist"));
    }

    @Test
    @DisplayName("EO-13: a standby that lacks a token may be behind; one that has it has it")
    void aStandbyThatLacksItMayBeBehind() throws Exception {
        write(BATCH, 0, 3);
        var signal = Path.of(server.query("shop", "show data_directory").getFirst(), "standby.signal");
        server.stop();
        Files.createFile(signal);
        server.start();
        try {
            assertThat(ask(BATCH, address(server, "shop"))).isEqualTo(new Answer.Known());
            assertThat(ask(OTHER, address(server, "shop")))
                    .isInstanceOfSatisfying(
                            Answer.CannotTell.class,
                            none -> assertThat(none.reason()).contains("standby"));
        } finally {
            server.stop();
            Files.delete(signal);
            server.start();
        }
    }

    @Test
    void aPrefixIsEightBytesOfAShardOfTheSink() {
        try (var sink = PostgresSink.open(
                withTokens("t", OnConflict.ERROR), Map.of(SHARD, List.of(address(server, "shop"))), NanoClock.SYSTEM)) {
            assertThatThrownBy(() -> sink.knows(SHARD, new byte[7], Warehouse.in(AMPLE)))
                    .hasMessageContaining("7 bytes");
            assertThatThrownBy(() -> sink.knows(new ShardId("warehouse", "z"), new byte[8], Warehouse.in(AMPLE)))
                    .hasMessageContaining("no shard of this sink");
        }
    }
}
