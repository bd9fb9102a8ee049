package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("CH-9")
class PlacesReadTest {
    private final List<String> told = new ArrayList<>();
    private final PlacesRead read = new PlacesRead((partition, offset) -> told.add(partition + "@" + offset));

    private void give(String text) {
        read.accept(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
    }

    @Test
    @DisplayName("CH-9: lines are read wherever the answer is cut into pieces")
    void pieces() {
        for (var c : "0\t0\n12\t9223372036854775807\n".toCharArray()) give(String.valueOf(c));
        assertThat(read.whole()).isTrue();
        assertThat(told).containsExactly("0@0", "12@9223372036854775807");
    }

    @Test
    @DisplayName("CH-9: no line at all is an answer too")
    void none() {
        assertThat(read.whole()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1\t2",
                "1",
                "1\n",
                "\t2\n",
                "1\t\n",
                "1\t2\t3\n",
                "1\t-2\n",
                "Code: 1",
                "4294967296\t1\n",
                "1\t92233720368547758070\n"
            })
    @DisplayName("CH-9: an answer that is no lines, or ends in one, is not believed")
    void notLines(String text) {
        give("1\t1\n" + text);
        assertThat(read.whole()).isFalse();
        assertThat(told).containsExactly("1@1");
    }
}
