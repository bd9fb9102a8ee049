package dev.millrace.clickhouse;

import dev.millrace.fuzz.Fuzzing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("FMT-3")
final class RowFuzzTest {
    @Test
    void anyBytesAreARowAsTheJsonSaysOrPoison() throws Exception {
        Fuzzing.run(RowBinaryFuzz.class);
    }

    @Test
    void anyObjectGetsItsCoordinatesOrIsPoison() throws Exception {
        Fuzzing.run(CoordinateFuzz.class);
    }
}
