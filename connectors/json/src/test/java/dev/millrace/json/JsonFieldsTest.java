package dev.millrace.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.sinkpool.RecordView;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class JsonFieldsTest {
    private static final List<String> NAMES =
            List.of("id", "ie", "customer", "customes", "customer_a", "customer_b", "custome");

    @Test
    @DisplayName("FMT-2: names that begin alike are told apart, in whatever order they come")
    void namesThatBeginAlikeAreToldApart() {
        var fields = new JsonFields(
                NAMES.stream().map(name -> new JsonFields.Field(name, false)).toList(),
                JsonFields.Unknown.REFUSE,
                new IgnoredFields(),
                Set.of());
        for (var turn = 0; turn < NAMES.size(); turn++) {
            var text = new StringBuilder("{");
            for (var i = 0; i < NAMES.size(); i++) {
                var field = (i + turn) % NAMES.size();
                text.append(i == 0 ? "" : ",")
                        .append('"')
                        .append(NAMES.get(field))
                        .append("\":")
                        .append(field);
            }
            var value = text.append('}').toString().getBytes(StandardCharsets.US_ASCII);
            assertThat(fields.locate(new Value(value))).isNull();
            for (var field = 0; field < NAMES.size(); field++)
                assertThat(value[fields.start(field)] - '0')
                        .as(NAMES.get(field))
                        .isEqualTo(field);
        }
    }

    /// A record with a value and nothing else.
    @SuppressWarnings("ArrayRecordComponent") // it lives as long as one call
    private record Value(byte[] valueArray) implements RecordView {
        @Override
        public String topic() {
            return "orders";
        }

        @Override
        public int partition() {
            return 0;
        }

        @Override
        public long offset() {
            return 0;
        }

        @Override
        public long timestampMillis() {
            return 0;
        }

        @Override
        public byte[] keyArray() {
            return valueArray;
        }

        @Override
        public int keyFrom() {
            return 0;
        }

        @Override
        public int keyLength() {
            return -1;
        }

        @Override
        public int valueFrom() {
            return 0;
        }

        @Override
        public int valueLength() {
            return valueArray.length;
        }
    }
}
