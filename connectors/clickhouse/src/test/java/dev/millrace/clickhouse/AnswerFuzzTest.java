package dev.millrace.clickhouse;

import dev.millrace.fuzz.Fuzzing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("CH-1")
@Tag("CH-4")
final class AnswerFuzzTest {
    @Test
    void anyAnswerComesToAnOutcomeAndNoExceptionToASuccess() throws Exception {
        Fuzzing.run(AnswerFuzz.class);
    }

    @Test
    void anyBytesOfASocketComeToAResult() throws Exception {
        Fuzzing.run(WireFuzz.class);
    }

    @Test
    void whateverAServerTellsOfItselfIsReadOrLeft() throws Exception {
        Fuzzing.run(TellingFuzz.class);
    }
}
