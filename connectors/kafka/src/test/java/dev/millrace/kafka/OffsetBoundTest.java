package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// How a person names an offset.
class OffsetBoundTest {
    @Test
    @DisplayName("EO-12: an offset is a number, a word, or a time with its zone")
    void whatNamesAnOffset() {
        assertThat(OffsetBound.parse("4711")).isEqualTo(new OffsetBound.At(4711));
        assertThat(OffsetBound.parse("beginning")).isEqualTo(new OffsetBound.Beginning());
        assertThat(OffsetBound.parse("committed")).isEqualTo(new OffsetBound.Committed());
        assertThat(OffsetBound.parse("end")).isEqualTo(new OffsetBound.End());
        var since = new OffsetBound.Since(Instant.parse("2026-01-31T09:00:00Z"));
        assertThat(OffsetBound.parse("2026-01-31T09:00:00Z")).isEqualTo(since);
        assertThat(OffsetBound.parse("2026-01-31T10:00+01:00")).isEqualTo(since);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "latest", "2026-01-31", "2026-01-31T09:00:00", "9999999999999999999"})
    @DisplayName("EO-12: what names none is refused, with what may stand there")
    void whatNamesNone(String text) {
        assertThatThrownBy(() -> OffsetBound.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("committed")
                .hasMessageContaining("2026-01-31T10:00:00Z");
    }
}
