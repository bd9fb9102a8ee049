package dev.millrace.intake;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AnswerTest {
    @Test
    void aTextIsBoundedAndCannotEndItsString() {
        var answer =
                Answer.error(400, "a\"b\\c\nd\u0000\ud800" + "x".repeat(1000)).number("line", 3);
        assertThat(answer.body())
                .startsWith("{\"error\":\"a\\\"b\\\\c?d??x")
                .endsWith("x\",\"line\":3}\n")
                .hasSizeLessThan(600);
    }
}
