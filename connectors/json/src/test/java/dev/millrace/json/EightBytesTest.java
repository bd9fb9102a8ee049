package dev.millrace.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.function.IntPredicate;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class EightBytesTest {
    @Test
    @DisplayName("FMT-2: the first byte of a kind is found, whichever it is and wherever it stands")
    void theFirstOfAKindIsFound() {
        holds(EightBytes::endsOrEscapes, b -> b == '"' || b == '\\', "abcdefgh");
        holds(EightBytes::controlsOrNotAscii, b -> b < ' ' || b > 0x7f, "abcdefgh");
        holds(EightBytes::notDigits, b -> b < '0' || b > '9', "01893456");
    }

    /// Each byte at each place, with others of the kind behind it or none.
    private static void holds(LongUnaryOperator which, IntPredicate isOne, String others) {
        for (var b = 0; b < 256; b++)
            for (var place = 0; place < EightBytes.COUNT; place++)
                for (var behind = 0; behind < 2; behind++) {
                    var bytes = others.getBytes(StandardCharsets.US_ASCII);
                    bytes[place] = (byte) b;
                    if (behind == 1) for (var i = place + 1; i < bytes.length; i++) bytes[i] = (byte) b;
                    var hits = which.applyAsLong(EightBytes.at(bytes, 0));
                    assertThat(hits == 0 ? -1 : EightBytes.first(hits))
                            .as("byte %d at %d", b, place)
                            .isEqualTo(isOne.test(b) ? place : -1);
                }
    }
}
