package dev.millrace.cli.proof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.lab.ChaosProxy;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Rows of one key, in a table that numbers what it gets.
@ExtendWith(LabExtension.class)
class KeyOrderTest {
    private static final int WAVE = 1000;
    private static final int KEYS = 40;
    private static final int POISON = 1500;

    /// Of each key's rows, those that came in before an earlier one of it.
    private static final String OVERTAKEN =
            "select count(*) from (select first, lag(first) over (partition by k order by v)"
                    + " as before from (select k, v, min(seq) as first from t group by k, v) landed) pairs where first < before";

    @Test
    @Tag("SEAL-8")
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    @DisplayName(
            "SEAL-8: rows of a key come in in the order of their offsets, though a way to the store is cut and a row is"
                    + " poison")
    void rowsOfAKeyComeInInOrder(SharedLab lab) throws Exception {
        try (var stage = new Stage(lab);
                var way = ChaosProxy.launch(
                        stage.postgres().host(), stage.postgres().port())) {
            var box = new LetterBox(stage.topics(), stage.topic("dead"));
            stage.execute("create table t (seq bigint generated always as identity, k integer, v integer check (v <> "
                    + POISON + "))");
            var topic = stage.topic("orders");
            stage.topics().create(topic, 2);
            var run = stage.start(stage.recipe("[ " + topic + " ]")
                            .postgres(stage.postgres().user(), "t", "", stage.endpoint())
                            .set(
                                    "sinks.warehouse.shards.s0",
                                    "[ \"" + stage.endpoint() + "\", \"postgres://" + way.host() + ":" + way.port()
                                            + "/" + stage.name() + "\" ]")
                            .set("sinks.warehouse.ordering", "key")
                            .set("sinks.warehouse.inflight", "{ max_per_shard: 4 }")
                            .set("sinks.warehouse.batch", "{ max_rows: 20, linger: 20ms }")
                            .set("sinks.warehouse.chunk", "{ target_bytes: 1KiB, linger: 5ms }")
                            .set("poison.topic", box.topic())
                            .set("delivery", "at_least_once"))
                    .ready();
            wave(stage, topic, 0);
            run.await("rows come in", () -> stage.count("t") > WAVE / 10);
            way.refuse();
            wave(stage, topic, 1);
            run.await("more come in over the other way", () -> stage.count("t") > WAVE + WAVE / 10);
            way.heal();
            wave(stage, topic, 2);
            run.await("all committed", () -> stage.caughtUp(topic));

            assertThat(stage.query("select count(distinct v) from t")).containsExactly(String.valueOf(3 * WAVE - 1));
            assertThat(box.letters()).hasSize(1);
            assertThat(stage.query(OVERTAKEN)).containsExactly("0");
            assertThat(run.metrics().sum("millrace_replica_failures_total"))
                    .as("the cut was felt")
                    .isPositive();
            run.stop(0);
        }
    }

    /// Rows of all keys in turn, numbered through.
    private static void wave(Stage stage, String topic, int number) {
        stage.topics()
                .produce(IntStream.range(number * WAVE, (number + 1) * WAVE)
                        .mapToObj(v -> {
                            var key = v % KEYS;
                            return new ProducerRecord<>(
                                    topic,
                                    key % 2,
                                    Integer.toString(key).getBytes(StandardCharsets.UTF_8),
                                    ("{\"k\":" + key + ",\"v\":" + v + "}").getBytes(StandardCharsets.UTF_8));
                        })
                        .toList());
    }
}
