package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.clickhouse.Coordinates.Part;
import dev.millrace.sinkpool.RowBuffer;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.RowEncoder.Encoded;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("CH-9")
class CoordinateEncoderTest {
    private static final class Row implements RowBuffer {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public void put(byte b) {
            bytes.write(b);
        }

        @Override
        public void put(byte[] source, int from, int length) {
            bytes.write(source, from, length);
        }

        @Override
        public void putAscii(String text) {
            bytes.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
        }

        String latin1() {
            return bytes.toString(StandardCharsets.ISO_8859_1);
        }
    }

    static Coordinates all() {
        var columns = new EnumMap<Part, String>(Part.class);
        for (var part : Part.values()) columns.put(part, "_" + part);
        return new Coordinates(new TreeMap<>(columns));
    }

    private static Coordinates only(Part part) {
        return new Coordinates(new TreeMap<>(Map.of(part, "_" + part)));
    }

    private static RowEncoder encoder(Coordinates columns) {
        return new CoordinateEncoder(columns, Lines.VERBATIM);
    }

    private static String row(Coordinates columns, ARecord record) {
        var row = new Row();
        assertThat(encoder(columns).encode(record, row)).isSameAs(Encoded.WRITTEN);
        return row.latin1();
    }

    @Test
    @DisplayName("CH-9: the coordinates are the first members of the object, which stays one line")
    void first() {
        var record = ARecord.of("{\"id\":1}")
                .at("orders", 3, 5)
                .key(new byte[] {'k'})
                .header("a", new byte[] {'1'})
                .header("a", null);
        assertThat(row(all(), record))
                .isEqualTo("{\"_topic\":\"orders\",\"_partition\":3,\"_offset\":5,\"_timestamp\":1700000000123,"
                        + "\"_key\":\"k\",\"_headers\":[[\"a\",\"1\"],[\"a\",null]],\"id\":1}\n");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', textBlock = """
            {}                  , {"_offset":7}
            `{ \t }`            , `{"_offset":7 \t }`
            ` \t {"id":1} `     , `{"_offset":7,"id":1} `
            {"a":{"_offset":1}} , `{"_offset":7,"a":{"_offset":1}}`
            {"a":"_offset"}     , `{"_offset":7,"a":"_offset"}`
            {"a":["_offset"]}   , `{"_offset":7,"a":["_offset"]}`
            {"_offse":1}        , `{"_offset":7,"_offse":1}`
            {"a":"{\\"_offset"} , `{"_offset":7,"a":"{\\"_offset"}`
            """)
    @DisplayName("CH-9: white space before the object, an empty one, and what only looks like a coordinate")
    void shapes(String value, String row) {
        assertThat(row(only(Part.OFFSET), ARecord.of(value).at("orders", 0, 7))).isEqualTo(row + "\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"_offset\":1}",
                "{\"a\":1 , \"_offset\" :1}",
                "{\"a\":[{\"b\":\"}\\\"\"}],\"_offset\":1}",
                "{\"\\u005foffset\":1}",
                "{\"_off\\u0073et\":null}",
                "{\"_topic\":1,\"_offset\":1}",
            })
    @DisplayName("CH-9: a record that names a coordinate itself is poison, however the name is written")
    void twice(String value) {
        var row = new Row();
        assertThat(encoder(only(Part.OFFSET)).encode(ARecord.of(value), row))
                .isEqualTo(new Encoded.Poison(
                        "duplicate_key", "the value has a member _offset, which is a column of coordinates"));
        assertThat(row.latin1()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[1]", "1", "{", "{\"a", "{\"a\\", "{\"a\":1", " "})
    @DisplayName("CH-9: what is no object is poison and never an exception")
    void noObject(String value) {
        assertThat(encoder(all()).encode(ARecord.of(value), new Row()))
                .isInstanceOfSatisfying(
                        Encoded.Poison.class,
                        poison -> assertThat(poison.reason()).isEqualTo("not_an_object"));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 9, 10, -1, -10, 1_700_000_000_123L, Long.MAX_VALUE, Long.MIN_VALUE})
    void numbersAreWrittenInFull(long number) {
        assertThat(row(only(Part.TIMESTAMP), ARecord.of("{}").timestamp(number)))
                .isEqualTo("{\"_timestamp\":" + number + "}\n");
    }

    @Test
    @DisplayName("CH-9: two coordinates in one column, and a name that is none, are refused")
    void refused() {
        assertThatThrownBy(() -> new Coordinates(new TreeMap<>(Map.of(Part.TOPIC, "c", Part.KEY, "c"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("clickhouse.coordinates.key: the column c takes the topic already");
        assertThatThrownBy(() -> new Coordinates(new TreeMap<>(Map.of(Part.TOPIC, "a.b"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("clickhouse.coordinates.topic: a.b is no column's name");
    }
}
