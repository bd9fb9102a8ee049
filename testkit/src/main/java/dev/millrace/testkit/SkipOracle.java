package dev.millrace.testkit;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.kafka.KafkaSourceSettings.OnPoison;
import dev.millrace.kafka.KafkaSourceSettings.Values;
import dev.millrace.kafka.ValueFormat;
import java.util.HashMap;
import java.util.Map;

/// What one member left out by policy, as it is in truth. `as` is the partition as the member calls it.
///
/// Thread ownership: the run.
final class SkipOracle {
    private final World world;
    private final Values values;
    private final Map<SourcePartition, Long> skipped = new HashMap<>();

    SkipOracle(World world, Values values) {
        this.world = world;
        this.values = values;
    }

    boolean json() {
        return values.format() == ValueFormat.Kind.JSON;
    }

    void tombstone(SourcePartition as, FakePartition life, int record) {
        world.reached(Sometimes.TOMBSTONE);
        skip(as, life, record);
    }

    /// Under `stop` it is not left out: it stays undone, and the process ends. A dead letter ends with the topic.
    void poison(SourcePartition as, FakePartition life, int record) {
        if (values.onPoison() != OnPoison.SKIP) return;
        world.reached(Sometimes.POISON_SKIPPED);
        skip(as, life, record);
    }

    void policy(SourcePartition as, FakePartition life, int record) {
        world.reached(Sometimes.ROW_SKIPPED);
        skip(as, life, record);
    }

    private void skip(SourcePartition as, FakePartition life, int record) {
        life.skipped(record);
        skipped.merge(as, 1L, Long::sum);
    }

    void reached(Sometimes state) {
        world.reached(state);
    }

    long count(SourcePartition partition) {
        return skipped.getOrDefault(partition, 0L);
    }
}
