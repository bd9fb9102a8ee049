package dev.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;

class ByteSearchTest {
    @Property(tries = 500)
    void itFindsWhatIndexOfFindsHoweverTheStreamIsSplit(
            @ForAll @CharRange(from = 'a', to = 'b') @StringLength(max = 40) String stream,
            @ForAll @CharRange(from = 'a', to = 'b') @StringLength(min = 1, max = 6) String wanted,
            @ForAll @IntRange(min = 1, max = 7) int blockLength) {
        byte[] bytes = stream.getBytes(StandardCharsets.US_ASCII);
        var search = new ByteSearch(wanted.getBytes(StandardCharsets.US_ASCII));

        for (int from = 0; from < bytes.length; from += blockLength) {
            int to = Math.min(bytes.length, from + blockLength);
            assertThat(search.found(bytes, from, to))
                    .isEqualTo(stream.substring(0, to).contains(wanted));
        }
    }
}
