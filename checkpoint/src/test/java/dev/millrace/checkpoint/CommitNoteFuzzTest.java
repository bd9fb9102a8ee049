package dev.millrace.checkpoint;

import dev.millrace.fuzz.Fuzzing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("EO-8")
@Tag("SRC-8")
final class CommitNoteFuzzTest {
    @Test
    void whatStandsBesideAnOffsetIsWhatWasWrittenOrNothing() throws Exception {
        Fuzzing.run(CommitNoteFuzz.class);
    }
}
