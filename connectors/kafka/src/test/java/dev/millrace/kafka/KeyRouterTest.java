package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class KeyRouterTest {
    @Property(tries = 500)
    void hashesAsKafkasOwnProducersDo(@ForAll byte[] key, @ForAll @IntRange(max = 7) int before) {
        var padded = new byte[before + key.length + 3];
        Arrays.fill(padded, (byte) 0x5a);
        System.arraycopy(key, 0, padded, before, key.length);
        assertThat(KeyRouter.murmur2(padded, before, key.length)).isEqualTo(Utils.murmur2(key));
    }

    @Test
    @DisplayName("SRC-5: a key goes where Kafka's default partitioner would put it")
    void aKeyGoesWhereTheDefaultPartitionerWouldPutIt() {
        var router = new KeyRouter(5);
        for (var i = 0; i < 200; i++) {
            var key = "customer-" + i;
            var record = new TestRecords("orders", 3).add(0, key, "{}").at(0);
            var expected = Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8))) % 5;
            assertThat(router.shard(record)).isEqualTo(expected);
        }
    }

    @Test
    @DisplayName("SRC-5: without a key, where a record goes is a function of its partition")
    void withoutAKeyThePartitionDecides() {
        for (var partition = 0; partition < 7; partition++) {
            var record = new TestRecords("orders", partition).add(0, null, "{}").at(0);
            assertThat(new KeyRouter(3).shard(record)).isEqualTo(partition % 3);
            assertThat(new PartitionRouter(3).shard(record)).isEqualTo(partition % 3);
        }
    }
}
