package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What other people's bytes look like on a terminal.
class PrintableTest {
    private static String shown(String text, int limit) {
        return Printable.bytes(text.getBytes(StandardCharsets.UTF_8), limit);
    }

    @Test
    @Tag("POI-10")
    void nothingMovesTheCursorOrForgesALine() {
        assertThat(Printable.text("a\n\t\r\\ \u001b[2J\u0007\u202e\u2028é漢😀"))
                .isEqualTo("a\\n\\t\\r\\\\ \\u001b[2J\\u0007\\u202e\\u2028é漢😀");
        assertThat(Printable.bytes(new byte[] {'a', 0, -1, '\\', 27}, 9)).isEqualTo("a\\x00\\xff\\\\\\x1b");
        assertThat(Printable.bytes(null, 9)).isEqualTo("null");
        assertThat(Printable.bytes(new byte[0], 9)).isEmpty();
    }

    @Test
    @Tag("POI-10")
    void whatIsCutSaysSoAndNoLetterIsCutInTwo() {
        for (var limit = 1; limit <= 8; limit++) {
            var text = shown("é漢😀", limit);
            assertThat(text).doesNotContain("\\x").endsWith(" bytes more (--raw writes them all)");
        }
        assertThat(shown("é漢😀", 9)).isEqualTo("é漢😀");
        assertThat(shown("abcdef", 4)).startsWith("abcd … and 2 bytes more");
    }

    @Test
    @Tag("POI-10")
    void aJsonLineIsOneLineOfJson() {
        assertThat(new JsonLine()
                        .add("a\"\\", "b\n\u2028é")
                        .add("n", 7)
                        .add("t", true)
                        .add("none", (String) null)
                        .toString())
                .isEqualTo("{\"a\\\"\\\\\":\"b\\u000a\\u2028\\u00e9\",\"n\":7,\"t\":true,\"none\":null}");
    }
}
