package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.millrace.clickhouse.TableLayout.Absent;
import dev.millrace.clickhouse.TableLayout.Column;
import dev.millrace.clickhouse.TableLayout.Origin;
import dev.millrace.json.IgnoredFields;
import dev.millrace.json.JsonFields;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TypedHotPathTest {
    private static final int ROWS = 20_000;

    private static final Map<String, String> VALUES = Map.ofEntries(
            Map.entry("Int64", "-9007199254740993"),
            Map.entry("UInt64", "18446744073709551615"),
            Map.entry("UInt256", "1e77"),
            Map.entry("Float64", "123.456"),
            Map.entry("Float32", "-0.5"),
            Map.entry("Decimal(38, 10)", "1234567890123456789012345678.0123456789"),
            Map.entry("Nullable(Decimal(9, 2))", "1.2300"),
            Map.entry("String", "\"a\\tb\\u00e9é\""),
            Map.entry("UUID", "\"00112233-4455-6677-8899-aabbccddeeff\""),
            Map.entry("Date", "\"2026-01-31\""),
            Map.entry("DateTime64(6)", "\"2026-01-31T10:00:00.123456+01:00\""),
            Map.entry("Enum8('a' = 1, 'b' = 2)", "\"b\""),
            Map.entry("IPv6", "\"2001:db8::1\""),
            Map.entry("Array(LowCardinality(String))", "[\"a\",\"b\"]"),
            Map.entry("Tuple(UInt8, Bool)", "[1,true]"));

    /// Where nothing is kept.
    private static final class Nowhere implements RowBuffer {
        private long bytes;

        @Override
        public void put(byte b) {
            bytes++;
        }

        @Override
        public void put(byte[] source, int from, int length) {
            bytes += length;
        }

        @Override
        public void putAscii(String text) {
            bytes += text.length();
        }
    }

    @Test
    @Tag("OPS-2")
    @DisplayName("OPS-2: a typed row allocates nothing beyond what the parser does")
    void nothingIsAllocatedForARow() {
        var names = List.copyOf(VALUES.keySet());
        var layout = new TableLayout(
                names.stream()
                        .map(type -> new Column(type, type, new Origin.Field(), Absent.DEFAULT))
                        .toList(),
                true,
                true);
        var encoder = layout.encoder(0, JsonFields.Unknown.REFUSE, new IgnoredFields(), Set.of());
        var fields = new JsonFields(
                names.stream().map(name -> new JsonFields.Field(name, false)).toList(),
                JsonFields.Unknown.REFUSE,
                new IgnoredFields(),
                Set.of());
        var value = new StringBuilder();
        VALUES.forEach((type, json) -> value.append(value.isEmpty() ? "{" : ",")
                .append('"')
                .append(type)
                .append("\":")
                .append(json));
        var record = Lines.record(value.append('}').toString());
        var row = new Nowhere();
        assertThat(encoder.encode(record, row)).isEqualTo(Encoded.WRITTEN);
        var encoding = least(() -> encoder.encode(record, row));
        var parsing = least(() -> fields.locate(record));
        assertThat(row.bytes).isPositive();
        // A small object for each value would be 4,800,000 bytes. What the compiler spares the parser differs by more
        // than nothing.
        assertThat(encoding - parsing).isLessThan(1_500_000);
    }

    /// What one round of rows allocates, when all is warm.
    private static long least(Runnable one) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var least = Long.MAX_VALUE;
        for (var round = 0; round < 5; round++) {
            var before = threads.getCurrentThreadAllocatedBytes();
            for (var i = 0; i < ROWS; i++) one.run();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }
}
