package dev.millrace.postgres;

import dev.millrace.fuzz.Fuzzing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("FMT-3")
final class RowFuzzTest {
    @Test
    void anyBytesAreALineAsTheJsonSaysOrPoison() throws Exception {
        Fuzzing.run(CopyFuzz.class);
    }
}
