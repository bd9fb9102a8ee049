package dev.millrace.sinkpool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a sink's text may do to a log line: nothing.
final class FailureTest {
    private static Failure of(String text) {
        return new Failure(text, text, false);
    }

    @Test
    @Tag("OPS-10")
    void aMessageIsCutAtOneKibibyteWhateverItIsWrittenIn() {
        for (var letter : new String[] {"a", "é", "漢", "𝄞", "\n"}) {
            var message = of(letter.repeat(5000)).message();
            assertThat(message.getBytes(StandardCharsets.UTF_8))
                    .as("%s", letter)
                    .hasSizeLessThanOrEqualTo(1024);
            assertThat(message).endsWith("…");
            assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(message))
                    .as("no half of a letter")
                    .isTrue();
        }
    }

    @Test
    @Tag("OPS-10")
    void aMessageOfExactlyOneKibibyteIsWhole() {
        var text = "a".repeat(1024);
        assertThat(of(text).message()).isEqualTo(text);
    }

    @Test
    @Tag("OPS-10")
    void aCodeIsBounded() {
        assertThat(of("x".repeat(10_000)).code()).hasSizeLessThanOrEqualTo(64);
    }

    @Test
    @Tag("OPS-10")
    void noControlCharacterAndNoLineBreakOfAnyKindIsLeft() {
        var text = new StringBuilder();
        for (var c = 0; c < 0x20; c++) text.append((char) c);
        text.append("\u007f\u0085\u009b\u2028\u2029");
        var failure = of(text.toString());
        assertThat(failure.message().chars())
                .allMatch(c -> c >= 0x20 && !Character.isISOControl(c) && c != 0x2028 && c != 0x2029);
        assertThat(failure.code().chars()).allMatch(c -> !Character.isISOControl(c));
    }

    @Test
    @Tag("OPS-10")
    void noMarkThatTurnsTheDirectionOfTextIsLeft() {
        assertThat(of("a\u202eb\u2066c\u200fd\u061ce").message()).isEqualTo("a?b?c?d?e");
    }

    @Test
    @Tag("OPS-10")
    void lineBreaksAndTabsBecomeSpacesAndOtherTextStays() {
        var failure = of("two\nlines\tand naïve 漢 𝄞");
        assertThat(failure.message()).isEqualTo("two lines and naïve 漢 𝄞");
        assertThat(failure).hasToString("two lines and naïve 漢 𝄞: two lines and naïve 漢 𝄞");
    }
}
