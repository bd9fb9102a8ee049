package dev.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.config.KafkaProperties;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FetchBuffersTest {
    private static final long MIB = 1 << 20;

    @Test
    @Tag("SRC-14")
    @DisplayName("CASES 35: fetch size times partitions is told where it is more than half of the heap")
    void fetchSizeTimesPartitionsIsToldWhereItIsMuch() {
        var usual = FetchBuffers.of(KafkaProperties.NONE, 1, Map.of("a", 60, "b", 4));
        assertThat(usual.large(256 * MIB)).as("half of it").isFalse();
        assertThat(usual.large(256 * MIB - 2)).isTrue();
        assertThat(usual.line())
                .startsWith("64 partitions may have 128 MiB fetched")
                .contains("max.partition.fetch.bytes (1048576)");
        assertThat(FetchBuffers.of(KafkaProperties.NONE, 8, Map.of("a", 64)).line())
                .as("each of eight consumers has eight partitions")
                .startsWith("64 partitions may have 256 MiB fetched");
        var small = new KafkaProperties(Map.of("max.partition.fetch.bytes", " 131072 "), Map.of());
        assertThat(FetchBuffers.of(small, 1, Map.of("a", 64)).large(96 * MIB)).isFalse();
    }
}
