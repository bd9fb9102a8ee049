package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.sinkpool.RecordView;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("SEAL-8")
final class KeyLanesTest {
    private static final int KEYS = 24_000;

    private static RecordView record(int partition, @Nullable String key) {
        return new TestRecords("orders", partition).add(0, key, "{}").at(0);
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "2, 2", "2, 4", "4, 4", "12, 4", "12, 3", "3, 5", "16, 16"})
    @DisplayName("SEAL-8: the keys of a shard are spread evenly over its lanes, however many shards there are")
    void theKeysOfAShardAreSpreadEvenly(int shards, int lanes) {
        var router = new KeyLanes(new KeyRouter(shards), lanes);
        var count = new int[shards][lanes];
        for (var i = 0; i < KEYS; i++) {
            var record = record(0, "customer-" + i);
            count[router.shard(record)][router.lane(record)]++;
        }
        var even = KEYS / (double) shards / lanes;
        for (var ofShard : count)
            for (var ofLane : ofShard)
                // Six times what chance makes of it.
                assertThat((double) ofLane).isBetween(even - 6 * Math.sqrt(even), even + 6 * Math.sqrt(even));
    }

    @Test
    @DisplayName("SEAL-8: so are those of one Kafka partition, which is murmur2 too")
    void theKeysOfAPartitionAreSpreadEvenly() {
        var partitions = new KeyRouter(12);
        var router = new KeyLanes(new PartitionRouter(3), 4);
        var count = new int[4];
        for (var i = 0; i < KEYS; i++) {
            var record = record(7, "customer-" + i);
            if (partitions.shard(record) == 7) count[router.lane(record)]++;
        }
        for (var ofLane : count) assertThat(ofLane).isBetween(KEYS / 12 / 4 - 140, KEYS / 12 / 4 + 140);
    }

    @Test
    @DisplayName("SEAL-8: a key has one lane in every partition and every process, and for ever")
    void aKeyHasOneLane() {
        var router = new KeyLanes(new KeyRouter(3), 8);
        for (var i = 0; i < 200; i++)
            assertThat(router.lane(record(1, "k" + i))).isEqualTo(router.lane(record(5, "k" + i)));
        assertThat(Stream.of("", "a", "customer-1", "customer-2", "customer-3").map(key -> router.lane(record(0, key))))
                .as("written down: a plan may be replayed by a newer release")
                .containsExactly(0, 3, 2, 7, 4);
    }

    @Test
    @DisplayName("SEAL-8: rows without a key keep the order of their partition")
    void withoutAKeyThePartitionDecides() {
        var router = new KeyLanes(new KeyRouter(3), 4);
        var two = new TestRecords("orders", 5).add(0, null, "{}").add(1, null, "[]");
        assertThat(router.lane(two.at(0))).isEqualTo(router.lane(two.at(1)));
        assertThat(router.shard(record(5, null))).isEqualTo(2);
        assertThat(IntStream.range(0, 64)
                        .map(partition -> router.lane(record(partition, null)))
                        .distinct()
                        .count())
                .isEqualTo(4);
    }

    @Test
    void noLaneIsNone() {
        assertThatThrownBy(() -> new KeyLanes(new KeyRouter(1), 0)).hasMessage("lanes 0 < 1");
    }
}
