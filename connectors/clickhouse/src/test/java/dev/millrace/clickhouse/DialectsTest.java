package dev.millrace.clickhouse;

import static dev.millrace.clickhouse.Stub.exception;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.clickhouse.Dialects.Spoken;
import dev.millrace.clickhouse.Dialects.Way;
import dev.millrace.httpclient.Compression;
import dev.millrace.httpclient.HttpExchange;
import dev.millrace.httpclient.Tls;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import dev.millrace.sinkpool.WriteOutcome.Misconfigured;
import dev.millrace.sinkpool.WriteOutcome.Unavailable;
import dev.millrace.sinkpool.WriteOutcome.Written;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Each server is told the settings that it knows.
@Timeout(120)
class DialectsTest {
    private static final String[] ROWS = {"{\"id\":1}", "{\"id\":2}"};
    private static final String UNKNOWN = "Unknown setting deduplicate_insert";
    private static final ClickHouseEndpoint ENDPOINT = ClickHouseEndpoint.of(URI.create("http://ch:8123"));

    @Test
    @DisplayName("CH-3: two replicas of unlike age are each told what they know, with the same values")
    void eachItsOwn() throws Exception {
        try (var today = Stub.listen(Stub.ok());
                var old = Stub.listen(Stub.ok()).ofVersion("23.3.1.1", "deduplicate_insert");
                var bench = Bench.open(Bench.settings(), today.uri(), old.uri());
                var other = bench.sink().writer(Bench.SHARD, today.uri())) {
            assertThat(bench.write(ROWS)).isEqualTo(new Written(2, 0));
            other.write(new Call(Lines.batch(ROWS), "run/1", Bench.AMPLE));
            var toOld = old.only().query();
            var toToday = today.only().query();
            assertThat(toOld).doesNotContainKey("deduplicate_insert");
            assertThat(toToday).containsKey("deduplicate_insert").containsAllEntriesOf(toOld);
        }
    }

    @Test
    @DisplayName("CH-3: a server that was replaced by an older one is asked again after it knew no setting, and blamed"
            + " for nothing")
    void anOlderOneCameUp() throws Exception {
        try (var stub = Stub.listen(Stub.ok(), exception("404 Not Found", 115, UNKNOWN), Stub.ok());
                var bench = Bench.at(stub)) {
            assertThat(bench.write(ROWS)).isEqualTo(new Written(2, 0));
            stub.ofVersion("23.3.1.1", "deduplicate_insert");
            assertThat(bench.write(ROWS)).isInstanceOfSatisfying(Unavailable.class, outcome -> {
                assertThat(outcome.blame()).isEqualTo(new Blame.Nobody());
                assertThat(outcome.failure().mayHaveStored()).isFalse();
            });
            assertThat(bench.write(ROWS)).isEqualTo(new Written(2, 0));
            assertThat(stub.requests().get(1).query()).containsKey("deduplicate_insert");
            assertThat(stub.requests().get(2).query()).doesNotContainKey("deduplicate_insert");
        }
    }

    @Test
    @DisplayName("CH-4: a setting that a server does not know right after it was asked is the settings' fault")
    void aSettingOfTheUsers() throws Exception {
        try (var stub = Stub.listen(exception("404 Not Found", 115, "Unknown setting insert_quorums"));
                var bench = Bench.at(stub)) {
            assertThat(bench.write(ROWS)).isInstanceOf(Unavailable.class);
            assertThat(bench.write(ROWS)).isInstanceOf(Misconfigured.class);
        }
    }

    @Test
    @DisplayName("CH-3: a newer server is told more after a line broke, or after a ping")
    void aNewerOneCameUp() throws Exception {
        try (var stub = Stub.listen(
                                Stub.ok(),
                                line -> {
                                    line.read();
                                    line.reset();
                                },
                                Stub.ok())
                        .ofVersion("23.3.1.1", "deduplicate_insert", "max_insert_threads");
                var log = LogLines.of(Dialects.class);
                var bench = Bench.at(stub)) {
            bench.write(ROWS);
            stub.ofVersion("24.8.1.1", "max_insert_threads");
            bench.write(ROWS);
            bench.write(ROWS);
            stub.ofVersion("26.7.2.1");
            bench.ping();
            bench.write(ROWS);
            var asked = stub.requests().stream()
                    .filter(request -> request.target().contains("INSERT"))
                    .map(request -> request.query().keySet())
                    .toList();
            assertThat(asked).hasSize(4);
            assertThat(asked.get(1)).isEqualTo(asked.get(0)).doesNotContain("deduplicate_insert");
            assertThat(asked.get(2)).contains("deduplicate_insert").doesNotContain("max_insert_threads");
            assertThat(asked.get(3)).contains("deduplicate_insert", "max_insert_threads");
            assertThat(log.lines()).hasSize(2);
            assertThat(log.lines().getLast()).contains("ran 24.8.1.1 and runs 26.7.2.1");
        }
    }

    @Test
    @DisplayName(
            "INPUT-40: a replica that comes up too old for its word is refused, with what it lacks, and not written"
                    + " to")
    void tooOld() throws Exception {
        try (var stub = Stub.listen(Stub.ok());
                var old = Stub.listen(Stub.ok()).ofVersion("18.16.1", "insert_deduplication_token");
                var bench = Bench.open(Bench.settings(), stub.uri(), old.uri())) {
            assertThat(bench.write(ROWS))
                    .isInstanceOfSatisfying(
                            Misconfigured.class,
                            outcome -> assertThat(outcome.failure().message())
                                    .contains("18.16.1", "knows no insert_deduplication_token", "use a later one"));
            assertThat(old.requests()).isEmpty();
            old.ofVersion("26.7.2.1");
            assertThat(bench.write(ROWS)).isEqualTo(new Written(2, 0));
        }
    }

    @Test
    @DisplayName("CH-3: what was told is asked again after a minute, and no sooner")
    void askedAgainAfterAMinute() throws Exception {
        var now = new AtomicLong(Long.MAX_VALUE - 5);
        var asked = new AtomicLong();
        var dialects = new Dialects(now::get);
        var base = new InsertSettings(Bench.settings(), InsertSettings.asked(), null);
        Dialects.Asking asking = _ -> {
            asked.incrementAndGet();
            return new Exchange.Result.Failed(HttpExchange.unavailable("connect", "no connection", false));
        };
        dialects.learned(ENDPOINT, new Spoken("26.7.2.1", InsertSettings.asked()));
        assertThat(dialects.way(ENDPOINT, base, asking)).isInstanceOf(Way.Open.class);
        now.addAndGet(TimeUnit.SECONDS.toNanos(60) - 1);
        assertThat(dialects.way(ENDPOINT, base, asking)).isInstanceOf(Way.Open.class);
        assertThat(asked).hasValue(0);
        now.incrementAndGet();
        assertThat(dialects.way(ENDPOINT, base, asking)).isInstanceOf(Way.Closed.class);
        assertThat(asked).hasValue(1);
    }

    @Test
    @DisplayName("CH-3: another statement goes to a server that was asked already, and is not asked for again")
    void anotherStatement() throws Exception {
        var dialects = new Dialects(() -> 0);
        Dialects.Asking never = _ -> {
            throw new AssertionError("asked");
        };
        dialects.learned(ENDPOINT, new Spoken("26.7.2.1", InsertSettings.asked()));
        for (var table : List.of("a", "b", "b")) {
            var base = new InsertSettings(
                    Bench.settings(table, Compression.NONE, () -> "", Tls.DEFAULTS, Map.of()),
                    InsertSettings.asked(),
                    null);
            assertThat(dialects.way(ENDPOINT, base, never))
                    .isInstanceOfSatisfying(
                            Way.Open.class,
                            open -> assertThat(open.settings().query(new Token("t")))
                                    .isEqualTo(base.query(new Token("t"))));
        }
    }

    @Test
    @DisplayName("INPUT-40: who says no version is no ClickHouse, whatever its headers say")
    void saysNoVersion() throws Exception {
        var dialects = new Dialects(() -> 0);
        var base = new InsertSettings(Bench.settings(), InsertSettings.asked(), null);
        Dialects.Asking asking = _ ->
                new Exchange.Result.Answered(new HttpAnswer(200, 0, "<html>hello</html>", true, true, false, 0, 0));
        assertThat(dialects.way(ENDPOINT, base, asking))
                .isInstanceOfSatisfying(
                        Way.Closed.class,
                        closed -> assertThat(closed.outcome())
                                .isInstanceOfSatisfying(
                                        Unavailable.class,
                                        away -> assertThat(away.failure().code())
                                                .isEqualTo("not-clickhouse")));
    }

    @Test
    @DisplayName("CH-3: whatever servers know, a setting has one value")
    void oneValue() {
        var base = new InsertSettings(Bench.settings(), InsertSettings.asked(), null);
        var all = List.of(base.query(new Token("t")).split("&"));
        for (var known : InsertSettings.asked()) {
            var some = List.of(base.knownBy(Set.of(known)).query(new Token("t")).split("&"));
            assertThat(all).containsAll(some);
        }
    }
}
