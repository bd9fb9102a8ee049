package dev.millrace.cli;

import dev.millrace.fuzz.Fuzzing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("POI-14")
final class DlqLineFuzzTest {
    @Test
    void aDeadLetterIsOneLineWhateverItsHeadersHold() throws Exception {
        Fuzzing.run(DlqLineFuzz.class);
    }
}
