package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.ChaosProxy;
import dev.millrace.lab.FreePort;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Rows of one key that are posted, into a PostgreSQL of the lab.
@ExtendWith(LabExtension.class)
class IntakeOrderTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int KEYS = 8;
    private static final int POSTS = 40;
    private static final int ROWS = 5;

    /// Of a key as it came in for the first time, beside the row before it.
    private static final String OVERTAKEN =
            "select count(*) from (select v, lag(v) over (partition by k order by first) as before"
                    + " from (select k, v, min(seq) as first from t group by k, v) landed) pairs where v < before";

    private final int port = FreePort.take();
    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    @Tag("SEAL-8")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void rowsOfAKeyComeInAsTheyWerePostedThoughAWayToTheStoreIsCutAndARowIsRefused(SharedLab lab) throws Exception {
        var database = lab.fresh();
        lab.postgres().createDatabase(database);
        lab.postgres()
                .execute(
                        database,
                        "create table t (seq bigint generated always as identity, k integer, v integer check (v <> 77))");
        try (var way = ChaosProxy.launch(lab.postgres().host(), lab.postgres().port());
                var run = InProcess.start(recipe(lab, way, database));
                var threads = Executors.newFixedThreadPool(KEYS)) {
            run.ready();
            run.await("rows come in over the way that will be cut too", () -> {
                assertThat(post("?wait=durable", "{\"k\":99,\"v\":0}")).isEqualTo(200);
                return run.metrics().of("millrace_replica_rows_written_total").values().stream()
                        .allMatch(rows -> rows > 0);
            });
            var answers = new ConcurrentLinkedQueue<Integer>();
            for (var key = 0; key < KEYS; key++) {
                var of = key;
                var _ = threads.submit(() -> {
                    for (var post = 0; post < POSTS; post++) {
                        if (of == 0 && post == POSTS / 3) way.refuse();
                        if (of == 0 && post == 2 * POSTS / 3) way.heal();
                        answers.add(post(of, post));
                    }
                    return null;
                });
            }
            threads.shutdown();
            assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
            assertThat(answers).hasSize(KEYS * POSTS).containsOnly(202);
            run.await(
                    "all but the one",
                    () -> lab.postgres()
                            .query(database, "select count(distinct v) from t where k < 99")
                            .contains(Long.toString(KEYS * POSTS * ROWS - 1)));
            assertThat(lab.postgres().query(database, OVERTAKEN)).containsExactly("0");
            assertThat(run.metrics().sum("millrace_replica_failures_total"))
                    .as("the cut was felt")
                    .isPositive();
            run.askToStop();
        }
    }

    private Recipe recipe(SharedLab lab, ChaosProxy way, String database) {
        var direct =
                "postgres://" + lab.postgres().host() + ":" + lab.postgres().port() + "/" + database;
        return Recipe.posted("[orders]", port)
                .postgres(lab.postgres().user(), "t", "", direct)
                .set(
                        "sinks.warehouse.shards.s0",
                        "[ \"" + direct + "\", \"postgres://" + way.host() + ":" + way.port() + "/" + database + "\" ]")
                .set("sinks.warehouse.ordering", "key")
                .set("sinks.warehouse.batch", "{ max_rows: 20, linger: 20ms }");
    }

    /// The next rows of a key.
    private int post(int key, int number) throws IOException, InterruptedException {
        var body = new StringBuilder();
        for (var row = 0; row < ROWS; row++)
            body.append("{\"k\":%d,\"v\":%d}\n".formatted(key, (number * ROWS + row) * KEYS + key));
        return post("?key=k" + key, body.toString());
    }

    private int post(String query, String body) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/orders" + query))
                .timeout(LONG)
                .POST(HttpRequest.BodyPublishers.ofString(body));
        return client.send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
