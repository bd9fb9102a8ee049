package dev.millrace.config;

import dev.millrace.fuzz.Fuzzing;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("CFG-1")
@Tag("CFG-5")
@Tag("CFG-6")
final class ConfigurationFuzzTest {
    @Test
    void anyFileIsReadOrRefusedWithPlacesAndExplainedAsItWasRead() throws Exception {
        Fuzzing.run(ConfigurationFuzz.class);
    }
}
