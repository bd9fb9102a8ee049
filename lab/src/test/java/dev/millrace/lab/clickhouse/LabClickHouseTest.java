package dev.millrace.lab.clickhouse;

import static dev.millrace.lab.clickhouse.Client.ask;
import static dev.millrace.lab.clickhouse.Client.insert;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LabClickHouseTest {
    private static final String TABLE = "CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n"
            + " SETTINGS non_replicated_deduplication_window = 1000";

    @BeforeAll
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    static void engine() {
        assumeTrue(EngineLibrary.available());
    }

    @Test
    void replicasThatShareAnEngineKnowEachOthersTokens() throws Exception {
        try (var store = LabClickHouse.shared(2, 2)) {
            store.execute(TABLE);
            insert(store.front(0, 0), "t", "{\"n\":1}").token("a").post();
            insert(store.front(0, 1), "t", "{\"n\":1}").token("a").post();
            insert(store.front(1, 0), "t", "{\"n\":1}").token("a").post();

            assertThat(store.engines()).hasSize(2);
            assertThat(store.engine(0).count("t")).isEqualTo(1);
            assertThat(store.engine(1).count("t")).isEqualTo(1);
            assertThat(store.count("t")).isEqualTo(2);
        }
    }

    @Test
    void replicasWithAnEngineEachKnowNothingOfEachOther() throws Exception {
        try (var store = LabClickHouse.unshared(1, 2)) {
            store.execute(TABLE);
            insert(store.front(0, 0), "t", "{\"n\":1}").token("a").post();
            insert(store.front(0, 1), "t", "{\"n\":1}").token("a").post();

            assertThat(store.engine(0, 0).count("t")).isEqualTo(1);
            assertThat(store.engine(0, 1).count("t")).isEqualTo(1);
            assertThat(ask(store.front(0, 0), "SELECT count() FROM t").post().body())
                    .isEqualTo("1\n");
        }
    }

    @Test
    void aKilledEngineTakesItsFrontsWithItAndBringsThemBackWithRowsAndTokens() throws Exception {
        try (var store = LabClickHouse.shared(1, 2)) {
            store.execute(TABLE);
            var front = store.front(0, 0);
            int port = front.port();
            insert(front, "t", "{\"n\":1}", "{\"n\":2}").token("a").post();

            store.engine(0).kill();
            for (var refusing : store.fronts()) {
                assertThatThrownBy(() -> ask(refusing, "SELECT 1").post()).isInstanceOf(ConnectException.class);
            }
            store.front(0, 1).kill();
            store.engine(0).start();

            assertThat(front.port()).isEqualTo(port);
            assertThat(store.front(0, 1).listening()).isFalse();
            assertThat(insert(front, "t", "{\"n\":1}", "{\"n\":2}")
                            .token("a")
                            .post()
                            .statusCode())
                    .isEqualTo(200);
            assertThat(store.count("t")).isEqualTo(2);
        }
    }

    @Test
    void insertsThatAKillCutOffAreStoredOnceAfterTheirRetries() throws Exception {
        try (var store = LabClickHouse.shared(1, 1)) {
            store.execute(TABLE);
            var engine = store.engine(0);
            var front = store.front(0, 0);
            for (int round = 0; round < 3; round++) {
                int first = round * 100;
                var sending = CompletableFuture.supplyAsync(
                        () -> send(front, first), task -> Thread.ofVirtual().start(task));
                int seen = 10 + round * 30;
                assertThat(front.await(all -> all.size() > seen, Duration.ofSeconds(60)))
                        .isTrue();
                engine.kill();
                int answered = sending.get(60, TimeUnit.SECONDS);
                engine.start();
                assertThat(engine.count("t")).isBetween(first + (long) answered, first + 100L);
                front.clearRequests();
                assertThat(send(front, first)).isEqualTo(100);
                assertThat(engine.count("t")).isEqualTo(first + 100L);
                assertThat(engine.queryLong("SELECT uniqExact(n) FROM t")).isEqualTo(first + 100L);
                front.clearRequests();
            }
        }
    }

    /// Returns how many were answered with success before one was not.
    private static int send(ClickHouseFront front, int first) {
        for (int n = 0; n < 100; n++) {
            try {
                HttpResponse<String> answer = insert(front, "t", "{\"n\":" + (first + n) + "}")
                        .token("row-" + (first + n))
                        .post();
                assertThat(answer.statusCode()).isEqualTo(200);
            } catch (IOException cut) {
                return n;
            } catch (InterruptedException failure) {
                throw new IllegalStateException(failure);
            }
        }
        return 100;
    }
}
