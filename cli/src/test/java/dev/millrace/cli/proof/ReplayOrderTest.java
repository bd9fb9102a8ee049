package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.lab.clickhouse.Answer;
import dev.millrace.lab.clickhouse.EngineLibrary;
import dev.millrace.lab.clickhouse.Fault;
import dev.millrace.lab.clickhouse.LabClickHouse;
import dev.millrace.lab.clickhouse.LoggedRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// A write of a key fails once, and a later one of the same key overtakes it.
@ExtendWith(LabExtension.class)
class ReplayOrderTest {
    private static final int KEY = 7;
    private static final int FIRST = 5;

    /// Without order a record's offset is what makes a later row win, wherever in the table's history it stands.
    @Test
    @Tag("SEAL-7")
    @Tag("WRT-2")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName("CASES 51: a row that overtakes an earlier one of its key is the one that a ReplacingMergeTree keeps,"
            + " where its version is the record's offset")
    void theLaterRowWinsThoughTheEarlierOneLandsAfterIt(SharedLab lab) throws Exception {
        assumeTrue(EngineLibrary.available());
        try (var stage = new Stage(lab);
                var store = LabClickHouse.shared(1, 1)) {
            store.execute("CREATE TABLE t (id UInt64, v UInt64, _offset UInt64) ENGINE = ReplacingMergeTree(_offset)"
                    + " ORDER BY id SETTINGS non_replicated_deduplication_window = 10000");
            var topic = stage.topic("orders");
            stage.topics().create(topic, 1);
            for (var offset = 0; offset < FIRST; offset++) produce(stage, topic, offset, offset);
            var front = store.front(0, 0);
            var recipe = stage.recipe("[ " + topic + " ]")
                    .set(
                            "sinks.warehouse.clickhouse",
                            "{ database: default, table: t, user: default, coordinates: { offset: _offset } }")
                    .set("sinks.warehouse.shards.s0", "[ \"" + front.url() + "\" ]")
                    .set("sinks.warehouse.batch", "{ linger: 20ms }")
                    .set("sinks.warehouse.retry", "{ initial: 2s, max: 2s }")
                    .set("delivery", "at_least_once");
            var run = stage.start(recipe).ready();
            produce(stage, topic, KEY, FIRST);
            run.await("the first of the key", () -> stage.caughtUp(topic));

            var readOnly = Answer.exception(242, "TABLE_IS_READ_ONLY", "Table is in readonly mode");
            front.fault(Fault.answer(readOnly).onInserts().times(1));
            front.clearRequests();
            produce(stage, topic, KEY, FIRST + 1);
            run.await("the second fails", () -> run.metrics().sum("millrace_replica_failures_total") == 1);
            produce(stage, topic, KEY, FIRST + 2);
            run.await("all committed", () -> stage.caughtUp(topic));

            var inserts = front.inserts();
            var failed = inserts.getFirst();
            assertThat(failed.code()).isEqualTo(242);
            assertThat(inserts)
                    .filteredOn(insert -> insert.ran() == LoggedRequest.Ran.DONE)
                    .as("the third is there before the second")
                    .hasSize(2)
                    .last()
                    .extracting(LoggedRequest::token)
                    .isEqualTo(failed.token());
            assertThat(store.engine(0).queryLong("SELECT v FROM t FINAL WHERE id = " + KEY))
                    .isEqualTo(FIRST + 2);
            store.execute("OPTIMIZE TABLE t FINAL");
            assertThat(store.engine(0).queryLong("SELECT v FROM t WHERE id = " + KEY))
                    .isEqualTo(FIRST + 2);
            assertThat(store.count("t")).isEqualTo(FIRST + 1);
            assertThat(run.stop(0).rows().duplicate()).isZero();
        }
    }

    private static void produce(Stage stage, String topic, int id, int version) {
        var key = Integer.toString(id).getBytes(StandardCharsets.UTF_8);
        var value = ("{\"id\":" + id + ",\"v\":" + version + "}").getBytes(StandardCharsets.UTF_8);
        stage.topics().produce(List.of(new ProducerRecord<>(topic, 0, key, value)));
    }

    /// Of four lanes, the keys 1 and 7 are of two.
    @Test
    @Tag("SEAL-8")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName("SEAL-8 CASES 51: with ordering: key a row waits for the earlier one of its key, another key does not,"
            + " and a ReplacingMergeTree keeps the later one without a version")
    void withOrderByKeyNothingOvertakesARowOfItsKey(SharedLab lab) throws Exception {
        assumeTrue(EngineLibrary.available());
        try (var stage = new Stage(lab);
                var store = LabClickHouse.shared(1, 1)) {
            store.execute("CREATE TABLE t (id UInt64, v UInt64) ENGINE = ReplacingMergeTree ORDER BY id"
                    + " SETTINGS non_replicated_deduplication_window = 10000");
            var topic = stage.topic("orders");
            stage.topics().create(topic, 1);
            var front = store.front(0, 0);
            var run = stage.start(stage.recipe("[ " + topic + " ]")
                            .set("sinks.warehouse.clickhouse", "{ database: default, table: t, user: default }")
                            .set("sinks.warehouse.shards.s0", "[ \"" + front.url() + "\" ]")
                            .set("sinks.warehouse.batch", "{ linger: 20ms }")
                            .set("sinks.warehouse.retry", "{ initial: 2s, max: 2s }")
                            .set("sinks.warehouse.ordering", "key")
                            .set("delivery", "at_least_once"))
                    .ready();
            var readOnly = Answer.exception(242, "TABLE_IS_READ_ONLY", "Table is in readonly mode");
            front.fault(Fault.answer(readOnly).onInserts().times(1));
            front.clearRequests();
            produce(stage, topic, KEY, FIRST);
            run.await("the first fails", () -> run.metrics().sum("millrace_replica_failures_total") == 1);
            produce(stage, topic, KEY, FIRST + 1);
            produce(stage, topic, 1, FIRST);
            run.await("all committed", () -> stage.caughtUp(topic));

            var inserts = front.inserts();
            var failed = inserts.getFirst();
            assertThat(failed.code()).isEqualTo(242);
            var stored = inserts.stream()
                    .filter(insert -> insert.ran() == LoggedRequest.Ran.DONE)
                    .toList();
            assertThat(stored).hasSize(3);
            assertThat(stored.get(1).token())
                    .as("the other key, then the first of the key, then the second")
                    .isEqualTo(failed.token());
            store.execute("OPTIMIZE TABLE t FINAL");
            assertThat(store.engine(0).queryLong("SELECT v FROM t WHERE id = " + KEY))
                    .isEqualTo(FIRST + 1);
            assertThat(store.count("t")).isEqualTo(2);
            assertThat(run.stop(0).rows().duplicate()).isZero();
        }
    }
}
