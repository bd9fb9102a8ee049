package dev.millrace.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.json.IsoTime.Form;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import org.jspecify.annotations.Nullable;

/// A moment means the same with a space in its middle as with a T, of which only the T is read eight characters at a
/// time, and what the JDK reads in it.
@Tag("FMT-3")
class IsoTimeTest {
    private static final long YEARS = 9998L * 365 * 86_400;

    @Property(tries = 3000)
    void momentsAreWhatTheJdkReads(@ForAll long seed) {
        var random = new Random(seed);
        var moment = LocalDateTime.of(1, 1, 1, 0, 0).plusSeconds((random.nextLong() >>> 1) % YEARS);
        var text = moment.withSecond(random.nextInt(60)).toString();
        if (text.length() == "0000-00-00T00:00".length()) text += ":00";
        var fraction = random.nextBoolean() ? ".125" : "";
        var read = read(text + fraction + "+02:00");
        assertThat(read.reason).as(text).isNull();
        var expected = OffsetDateTime.parse(text + fraction + "+02:00");
        assertThat(read.second).as(text).isEqualTo(expected.toEpochSecond());
        assertThat(read.fraction).as(text).isEqualTo(expected.getNano() / 1_000_000);
    }

    @Property(tries = 5000)
    void anySpellingMeansTheSameWithASpace(@ForAll long seed) {
        var random = new Random(seed);
        var day = OffsetDateTime.ofInstant(java.time.Instant.ofEpochSecond(random.nextInt()), ZoneOffset.UTC);
        var text = new StringBuilder(
                day.toLocalDateTime().withNano(random.nextInt(1000) * 1_000_000).toString());
        for (var changes = random.nextInt(3); changes > 0; changes--) change(random, text);
        var middle = 10;
        if (text.length() <= middle || text.charAt(middle) != 'T') return;
        var usual = read(text.toString());
        text.setCharAt(middle, ' ');
        assertThat(usual).as(text.toString()).isEqualTo(read(text.toString()));
    }

    private static void change(Random random, StringBuilder text) {
        var at = random.nextInt(text.length());
        switch (random.nextInt(3)) {
            case 0 -> text.setCharAt(at, "0123456789:-.TZ+/;".charAt(random.nextInt(18)));
            case 1 -> text.deleteCharAt(at);
            default -> text.insert(at, random.nextInt(10));
        }
    }

    private record Read(@Nullable String reason, long second, long fraction, boolean zoned) {}

    private static Read read(String text) {
        var time = new IsoTime();
        var bytes = ("\"" + text + "\"").getBytes(StandardCharsets.US_ASCII);
        var reason = time.refused(Form.TIMESTAMPTZ, bytes, 1, text.length(), 3);
        return reason != null
                ? new Read(reason, 0, 0, false)
                : new Read(null, time.epochSecond(), time.fraction(), time.zoned());
    }
}
