package dev.millrace.kafka;

import dev.millrace.fuzz.Fuzzing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class SourceFuzzTest {
    @Test
    @Tag("POI-5")
    @Tag("POI-14")
    void whatALetterSaysIsReadBackAndNobodyElsesRecordIsThrownOver() throws Exception {
        Fuzzing.run(LetterFuzz.class);
    }

    @Test
    @Tag("FMT-2")
    void whatIsTakenForAnObjectIsOne() throws Exception {
        Fuzzing.run(JsonCheckFuzz.class);
    }
}
