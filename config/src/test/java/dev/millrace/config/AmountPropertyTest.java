package dev.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;

@Tag("CFG-3")
class AmountPropertyTest {
    @Property(tries = 200)
    void aDurationIsWrittenAsItIsRead(@ForAll @IntRange(max = 100_000_000) int millis) {
        var duration = Duration.ofMillis(millis);
        assertThat(TypedValueTest.read(TypedValueTest.DURATION, DurationType.text(duration)))
                .isEqualTo(duration);
    }

    @Property(tries = 200)
    void aSizeOfWholeUnitsIsWrittenAsItIsRead(@ForAll @IntRange(max = 1023) int number, @ForAll("units") String unit) {
        var text = number + unit;
        var bytes = TypedValueTest.read(TypedValueTest.SIZE, text);
        assertThat(TypedValueTest.read(TypedValueTest.SIZE, SizeType.text((Long) bytes)))
                .isEqualTo(bytes);
    }

    @Provide
    Arbitrary<String> units() {
        return Arbitraries.of("B", "KiB", "MiB", "GiB");
    }
}
