package dev.millrace.postgres;

import static dev.millrace.postgres.Warehouse.SHARD;
import static dev.millrace.postgres.Warehouse.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import dev.millrace.lab.LabPostgres;
import dev.millrace.postgres.PostgresSettings.Login;
import dev.millrace.postgres.PostgresSettings.Tls;
import dev.millrace.postgres.PostgresSettings.Tokens;
import dev.millrace.sinkpool.NanoClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/// Which tokens are pruned, and which never. A plan holds at most four segments here.
@Tag("EO-13")
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TokenPruningTest {
    private static final int KEPT = 4;
    private static final TokenTable TABLE = new TokenTable("public");
    private static final SourcePartition PARTITION = new SourcePartition("orders", new TopicId("t"), 0);

    private final AtomicLong now = new AtomicLong();
    private LabPostgres server;
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);

    @BeforeAll
    void launch() {
        server = LabPostgres.launch();
        server.createDatabase("shop");
    }

    @AfterAll
    void close() {
        timer.shutdownNow();
        server.close();
    }

    @BeforeEach
    void begin() {
        Warehouse.makeTokenTable(server, "shop");
    }

    /// The tokens of one segment of a partition, as a whole or in so many parts.
    private void entered(String shard, int partition, int end, int parts, String ago) {
        for (var part = 0; part < parts; part++)
            server.execute(
                    "shop",
                    "insert into millrace_segments values (sha256('" + shard + partition + ':' + end + ago
                            + "') || int4send(" + part + "), 'shop', 'warehouse', '" + shard + "', 't', " + partition
                            + ", " + end + ", now() - interval '" + ago + "' + interval '" + end + " milliseconds')");
    }

    private List<String> left(String shard, int partition) {
        return server.query(
                "shop",
                "select distinct seg_end from millrace_segments where shard = '" + shard + "' and part = " + partition
                        + " order by seg_end");
    }

    private TokenPruning pruning(NanoClock clock) {
        var logins = new Logins(
                PostgresEndpoint.of(address(server, "shop")),
                new Login("postgres", Password.of(""), new Tls.Off()),
                Duration.ofMinutes(5),
                timer);
        return new TokenPruning(logins, new Tokens("shop", KEPT), SHARD, clock);
    }

    private void prune() {
        var pruning = pruning(NanoClock.SYSTEM);
        pruning.wrote(TABLE, PARTITION);
        assertThat(pruning.prune(TABLE).toString()).endsWith("failure=null]");
    }

    private static List<String> texts(int... ends) {
        return IntStream.of(ends).mapToObj(Integer::toString).toList();
    }

    @Test
    @DisplayName("EO-13: what is older than seven days and than all that a plan can hold is pruned, and no more")
    void whatNobodyCanAskForIsPruned() {
        for (var end = 1; end <= 9; end++) entered("a", 0, end, 1, "8 days");
        entered("a", 1, 1, 1, "8 days");
        entered("b", 0, 1, 1, "8 days");
        server.execute("shop", """
                insert into millrace_segments
                values ('\\x01', 'another', 'warehouse', 'a', 't', 0, 1, now() - interval '1 year'),
                       ('\\x02', 'shop', 'another', 'a', 't', 0, 1, now() - interval '1 year'),
                       ('\\x03', 'shop', 'warehouse', 'a', 'another', 0, 1, now() - interval '1 year')""");
        prune();
        assertThat(left("a", 1)).isEqualTo(texts(1));
        assertThat(left("b", 0)).isEqualTo(texts(1));
        assertThat(server.query(
                        "shop",
                        "select seg_end from millrace_segments where pipeline = 'shop' and sink = 'warehouse'"
                                + " and shard = 'a' and topic_id = 't' and part = 0 order by 1"))
                .isEqualTo(texts(6, 7, 8, 9));
        assertThat(server.count("shop", "millrace_segments")).isEqualTo(4 + 2 + 3);
    }

    @Test
    @DisplayName("EO-13: after a stop of any length the segments that were open then are known")
    void afterAStopOpenSegmentsAreKnown() {
        for (var end = 1; end <= 9; end++) entered("a", 0, end, 3, "400 days");
        // The next run writes the newest of its plan first; the others of the plan come again later.
        entered("a", 0, 10, 1, "0 days");
        prune();
        assertThat(left("a", 0)).isEqualTo(texts(7, 8, 9, 10));
    }

    @Test
    @DisplayName("EO-13: parts of one segment are one: they push no other out")
    void partsOfOneSegmentAreOne() {
        for (var end = 1; end <= 4; end++) entered("a", 0, end, 1, "8 days");
        entered("a", 0, 5, 40, "8 days");
        prune();
        assertThat(left("a", 0)).isEqualTo(texts(2, 3, 4, 5));
        assertThat(server.count("shop", "millrace_segments")).isEqualTo(43);
    }

    @Test
    @DisplayName("EO-13: what is younger than seven days stays")
    void whatIsYoungStays() {
        for (var end = 1; end <= 9; end++) entered("a", 0, end, 1, "6 days");
        prune();
        assertThat(left("a", 0)).isEqualTo(texts(1, 2, 3, 4, 5, 6, 7, 8, 9));
    }

    @Test
    @DisplayName("EO-13: where a topic is read again, tokens of the first reading push none of the second out")
    void aTopicThatIsReadAgain() {
        for (var end = 101; end <= 109; end++) entered("a", 0, end, 1, "30 days");
        for (var end = 1; end <= 3; end++) entered("a", 0, end, 1, "9 days");
        prune();
        assertThat(left("a", 0)).contains("1", "2", "3").doesNotContain("101", "102");
    }

    @Test
    @DisplayName("EO-13: a partition that is idle keeps its newest token")
    void anIdlePartitionKeepsItsNewest() {
        entered("a", 0, 1, 1, "2000 days");
        prune();
        assertThat(left("a", 0)).isEqualTo(texts(1));
    }

    @Test
    @Tag("OPS-12")
    @DisplayName("EO-13 OPS-12: it prunes five minutes after the start, and once an hour then, amid writes")
    void itPrunesOnceAnHour() {
        var pruning = pruning(now::get);
        for (var end = 1; end <= 9; end++) entered("a", 0, end, 1, "8 days");
        pruning.wrote(TABLE, PARTITION);
        now.addAndGet(Duration.ofMinutes(5).toNanos());
        pruning.wrote(TABLE, PARTITION);
        Warehouse.await(server, "shop", "select count(*) from millrace_segments", KEPT);
        while (pruning.underWay()) Thread.onSpinWait();

        for (var end = 1; end <= 5; end++) entered("a", 0, end, 1, "9 days");
        now.addAndGet(Duration.ofMinutes(59).toNanos());
        pruning.wrote(TABLE, PARTITION);
        assertThat(pruning.underWay()).isFalse();
        assertThat(server.count("shop", "millrace_segments")).isEqualTo(KEPT + 5);
        now.addAndGet(Duration.ofMinutes(1).toNanos());
        pruning.wrote(TABLE, PARTITION);
        Warehouse.await(server, "shop", "select count(*) from millrace_segments", KEPT);
    }

    @Test
    void aPruningThatFailsIsTriedAgainAndHurtsNobody() {
        server.execute("shop", "alter table millrace_segments rename to elsewhere");
        try {
            var pruning = pruning(NanoClock.SYSTEM);
            pruning.wrote(TABLE, PARTITION);
            assertThat(pruning.prune(TABLE).toString()).contains("millrace_segments");
        } finally {
            server.execute("shop", "alter table elsewhere rename to millrace_segments");
        }
    }
}
