package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.millrace.lab.ChaosProxy;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What `/metrics` and `/status` say, held against the databases, the broker, a second consumer and the report.
@ExtendWith(LabExtension.class)
class ScrapedNumbersTest {
    private static final int PARTITIONS = 3;
    private static final int ROWS = 400;
    private static final int BAD = 5;
    private static final int WAITING = 250;

    @Test
    @Tag("OPS-2")
    @Tag("OPS-3")
    @Tag("OPS-7")
    @Tag("OPS-9")
    @Tag("OPS-13")
    @Tag("CKP-2")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void everyNumberIsTheOneThatOthersCount(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var first =
                        ChaosProxy.launch(lab.postgres().host(), lab.postgres().port());
                var second =
                        ChaosProxy.launch(lab.postgres().host(), lab.postgres().port())) {
            var proxies = List.of(first, second);
            var topic = tablesAndTopic(stage);
            proxies.forEach(ChaosProxy::refuse);
            var run = stage.start(recipe(stage, topic, proxies));
            run.await("it waits for its sink", () -> run.pages().code("/healthz") == 200);
            assertThat(run.pages().code("/readyz"))
                    .as("before the sink was seen")
                    .isEqualTo(503);
            proxies.forEach(ChaosProxy::heal);
            run.ready();

            for (var partition = 0; partition < PARTITIONS; partition++) produce(stage, topic, partition);
            run.await("all committed", () -> stage.caughtUp(topic));
            run.await(
                    "at rest",
                    () -> run.metrics().sum("millrace_inflight_rows") == 0
                            && run.metrics().of("millrace_lag").size() == PARTITIONS);
            atRest(stage, topic, run);

            proxies.forEach(ChaosProxy::refuse);
            var before = run.metrics();
            stage.topics().produce(Stage.rows(topic, 0, 100_000, WAITING));
            run.await("unready", () -> run.pages().code("/readyz") == 503);
            run.await(
                    "taken",
                    () -> run.metrics().sum("millrace_rows_polled_total")
                            == before.sum("millrace_rows_polled_total") + WAITING);
            run.await("in flight", () -> run.metrics().sum("millrace_inflight_rows") == WAITING);
            inAnOutage(run, before);

            proxies.forEach(ChaosProxy::heal);
            run.ready();
            run.await("all committed", () -> stage.caughtUp(topic));
            run.await("at rest", () -> run.metrics().sum("millrace_inflight_rows") == 0);
            var metrics = run.metrics();
            reported(stage, metrics, run.stop(0));
        }
    }

    /// Each figure of each partition and shard.
    private static void atRest(Stage stage, String topic, InProcess run) throws Exception {
        var metrics = run.metrics();
        var read = stage.topics().readAll(topic);
        var ends = stage.topics().endOffsets(topic);
        for (var p = 0; p < PARTITIONS; p++) {
            var partition = p;
            var label = "partition=\"" + p + "\"";
            var there = read.stream()
                    .filter(record -> record.partition() == partition)
                    .count();
            assertThat(metrics.sum("millrace_rows_polled_total", label))
                    .as("polled of %s", p)
                    .isEqualTo((double) there);
            assertThat(metrics.sum("millrace_rows_skipped_total", label)).isEqualTo(BAD);
            assertThat(metrics.sum("millrace_rows_dropped_total", label)).isZero();
            assertThat(metrics.sum("millrace_partition_inflight_rows", label)).isZero();
            assertThat(metrics.sum("millrace_lag", label)).isZero();
            assertThat(metrics.sum("millrace_frontier_blocked_seconds", label)).isZero();
            assertThat(metrics.sum("millrace_watermark", label))
                    .isEqualTo((double) ends.getOrDefault(new TopicPartition(topic, p), -1L));
            var inTables = rowsOf(stage, p);
            assertThat(inTables).isEqualTo(there - BAD);
            conserves(run.pages().status().at("/partitions"), p, there, inTables);
        }
        for (var shard = 0; shard < 2; shard++) {
            var label = "shard=\"s" + shard + "\"";
            var stored = stage.postgres().count(database(stage, shard), "t");
            assertThat(stored).isPositive();
            assertThat(metrics.sum("millrace_rows_written_total", label)).isEqualTo((double) stored);
            assertThat(metrics.sum("millrace_replica_rows_written_total", label))
                    .isEqualTo((double) stored);
            assertThat(metrics.sum("millrace_rows_duplicate_total", label)).isZero();
            assertThat(metrics.sum("millrace_attempts_total", label, "outcome=\"written\""))
                    .isEqualTo(metrics.sum("millrace_batches_written_total", label))
                    .isEqualTo(metrics.sum("millrace_batches_sealed_total", label))
                    .isEqualTo(metrics.sum("millrace_write_seconds_count", label));
            assertThat(metrics.sum("millrace_held_rows", label)).isZero();
            assertThat(metrics.sum("millrace_backoff_seconds", label)).isZero();
            assertThat(metrics.sum("millrace_shard_usable", label)).isEqualTo(1);
            assertThat(metrics.sum("millrace_breaker_state", label)).isZero();
        }
        assertThat(metrics.sum("millrace_inflight_bytes")).isZero();
        assertThat(metrics.sum("millrace_commits_total", "result=\"acknowledged\""))
                .isPositive();
    }

    /// polled = encoded + skipped + dropped + waiting, and encoded = written + given up + in flight.
    private static void conserves(JsonNode partitions, int partition, long polled, long written) {
        for (var one : partitions) {
            if (one.get("partition").asInt() != partition) continue;
            var sink = one.at("/sinks/0");
            assertThat(one.get("polled").asLong()).isEqualTo(polled);
            assertThat(sink.get("encoded").asLong() + sink.get("skipped").asLong())
                    .as("of %s", one)
                    .isEqualTo(polled
                            - one.get("dropped").asLong()
                            - one.get("waiting").asLong());
            assertThat(sink.get("written").asLong()).isEqualTo(written);
            assertThat(sink.get("encoded").asLong())
                    .isEqualTo(written
                            + sink.get("abandoned").asLong()
                            + sink.get("in_doubt").asLong()
                            + sink.get("in_flight").asLong());
            return;
        }
        throw new AssertionError("no partition " + partition + " in " + partitions);
    }

    private static void inAnOutage(InProcess run, Metrics before) throws Exception {
        var metrics = run.metrics();
        assertThat(run.pages().code("/healthz")).isEqualTo(200);
        assertThat(metrics.sum("millrace_rows_polled_total"))
                .as("polled = written + skipped + in flight")
                .isEqualTo(metrics.sum("millrace_rows_written_total")
                        + metrics.sum("millrace_rows_skipped_total")
                        + metrics.sum("millrace_inflight_rows"));
        assertThat(metrics.sum("millrace_partition_inflight_rows", "partition=\"0\""))
                .isEqualTo(WAITING);
        assertThat(metrics.sum("millrace_partition_inflight_rows")).isEqualTo(WAITING);
        assertThat(metrics.sum("millrace_inflight_bytes")).isPositive();
        assertThat(metrics.sum("millrace_rows_written_total")).isEqualTo(before.sum("millrace_rows_written_total"));
        run.await("a breaker is open, and its batch's wait is told", () -> {
            var now = run.metrics();
            return now.sum("millrace_breaker_state") > 0
                    && now.sum("millrace_frontier_blocked_seconds", "partition=\"0\"") > 0
                    && now.sum("millrace_sink_silent_seconds") > before.sum("millrace_sink_silent_seconds")
                    && now.sum("millrace_replica_failures_total") > 0;
        });
        run.await(
                "the lag is told",
                () -> run.metrics().of("millrace_lag", "partition=\"0\"").containsValue((double) WAITING));
    }

    private static void reported(Stage stage, Metrics metrics, Report report) {
        var stored = stage.postgres().count(database(stage, 0), "t")
                + stage.postgres().count(database(stage, 1), "t");
        assertThat(report.rows().polled()).isEqualTo((long) metrics.sum("millrace_rows_polled_total"));
        assertThat(report.rows().delivered())
                .isEqualTo((long) metrics.sum("millrace_rows_written_total"))
                .isEqualTo(stored);
        assertThat(report.rows().skipped())
                .isEqualTo((long) metrics.sum("millrace_rows_skipped_total"))
                .isEqualTo(PARTITIONS * BAD);
        assertThat(report.batchesDelivered()).isEqualTo((long) metrics.sum("millrace_batches_written_total"));
        assertThat(report.replicas().mapToLong(Report.Replica::failed).sum())
                .isEqualTo((long) metrics.sum("millrace_replica_failures_total"));
        assertThat(report.caughtUp()).isTrue();
    }

    private static Recipe recipe(Stage stage, String topic, List<ChaosProxy> proxies) {
        return stage.recipe("[ " + topic + " ]")
                .postgres(
                        stage.postgres().user(),
                        "t",
                        ", on_conflict: error",
                        "postgres://127.0.0.1:" + proxies.get(0).port() + "/" + database(stage, 0),
                        "postgres://127.0.0.1:" + proxies.get(1).port() + "/" + database(stage, 1))
                .set("poison.action", "skip");
    }

    private static String database(Stage stage, int shard) {
        return stage.name() + "_s" + shard;
    }

    private static String tablesAndTopic(Stage stage) {
        for (var shard = 0; shard < 2; shard++) {
            stage.postgres().createDatabase(database(stage, shard));
            stage.postgres().execute(database(stage, shard), "create table t (id integer primary key, p integer)");
        }
        var topic = stage.topic("numbers");
        stage.topics().create(topic, PARTITIONS);
        return topic;
    }

    /// Some good, some bad, some good; a partition is a shard where there is no key.
    private static void produce(Stage stage, String topic, int partition) {
        Consumer<Integer> good = first -> stage.topics().produce(Stage.rows(topic, partition, first, ROWS + partition));
        good.accept(10_000 * partition);
        for (var i = 0; i < BAD; i++) stage.topics().produce(List.of(Stage.row(topic, partition, "bad" + i)));
        good.accept(10_000 * partition + 5_000);
    }

    private static long rowsOf(Stage stage, int partition) {
        var rows = 0L;
        for (var shard = 0; shard < 2; shard++)
            rows += stage.postgres().queryLong(database(stage, shard), "select count(*) from t where p = " + partition);
        return rows;
    }
}
