package dev.millrace.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("FMT-1")
final class PassThroughEncoderTest {
    private static final class Bytes implements RowBuffer {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();

        @Override
        public void put(byte b) {
            out.write(b);
        }

        @Override
        public void put(byte[] source, int from, int length) {
            out.write(source, from, length);
        }

        @Override
        public void putAscii(String text) {
            out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
        }
    }

    private static String row(RowEncoder encoder, @Nullable String value) {
        var bytes = new Bytes();
        encoder.encode(new TestRecords("orders", 0).add(0, "k", value).at(0), bytes);
        return bytes.out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void theExactBytesAndATerminator() {
        assertThat(row(PassThroughEncoder.exact(), "any\nbytes \r\n é")).isEqualTo("any\nbytes \r\n é\n");
        assertThat(row(PassThroughEncoder.exact(), "")).isEqualTo("\n");
        assertThat(row(PassThroughEncoder.exact(), null)).isEqualTo("\n");
    }

    @Test
    void checkedJsonIsOneLineWhateverItsWhiteSpace() {
        assertThat(row(PassThroughEncoder.singleLine(), "{\r\n  \"a\": \"b\\n\",\n\n\"long enough for words\": 1\n}"))
                .isEqualTo("{    \"a\": \"b\\n\",  \"long enough for words\": 1 }\n");
        assertThat(row(PassThroughEncoder.singleLine(), "\n\n")).isEqualTo("  \n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":1}",
                "{\"a\":\"b\\n\"} \t",
                "\n{\"a\":1}",
                "{\"a\":1}\r",
                "{\r}",
                "{\"a\"\n:1}",
                "{\"a\":\n1}",
                "{\"a\":[1,\n{\"b\"\r:2}]\n}"
            })
    void whatTheCheckTellsOfLineBreaksChangesNoRow(String value) {
        var json = ValueFormat.of(ValueFormat.Kind.JSON, ValueFormat.OnTombstone.SKIP);
        // A row on several lines before it says nothing of this one.
        for (var before : List.of("{\n}", "{}")) {
            var records = new TestRecords("orders", 0).add(0, "k", before).add(1, "k", value);
            json.check(records.at(0));
            var record = records.at(1);
            assertThat(json.check(record)).isSameAs(RowEncoder.Encoded.WRITTEN);
            records.checked(json.members());
            var bytes = new Bytes();
            PassThroughEncoder.singleLine().encode(record, bytes);
            assertThat(bytes.out.toString(StandardCharsets.UTF_8))
                    .isEqualTo(value.replaceAll("[\n\r]", " ") + "\n")
                    .isEqualTo(row(PassThroughEncoder.singleLine(), value));
        }
    }

    @Test
    void rawTakesAnyBytesAndLeavesTombstonesToTheirPolicy() {
        var record = new TestRecords("orders", 0)
                .add(0, "k", null)
                .add(1, "k", "")
                .add(2, "k", "\u0000")
                .at(0);
        var raw = ValueFormat.of(ValueFormat.Kind.RAW, ValueFormat.OnTombstone.SKIP);
        assertThat(raw.check(record)).isEqualTo(new RowEncoder.Encoded.Skipped("tombstone"));
        var rows = ValueFormat.of(ValueFormat.Kind.RAW, ValueFormat.OnTombstone.ROW);
        for (var i = 0; i < 3; i++)
            assertThat(rows.check(((TestRecords) record).at(i))).isSameAs(RowEncoder.Encoded.WRITTEN);
    }
}
