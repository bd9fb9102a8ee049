package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.fuzz.Json;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Arrays;
import java.util.UUID;

/// Reads a row of RowBinary as a server does, value by value, and holds each against the JSON that it was made of.
final class FuzzedRowBinary {
    /// Reads one value, and holds it against this.
    @FunctionalInterface
    interface Type {
        void read(FuzzedRowBinary in, Json json);
    }

    private static final DateTimeFormatter MOMENT = new DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd['T'][' ']HH:mm[:ss]")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .optionalStart()
            .appendPattern("[XXX][XX][X]")
            .optionalEnd()
            .parseDefaulting(ChronoField.OFFSET_SECONDS, 0)
            .toFormatter();

    private final byte[] row;
    private int at;

    FuzzedRowBinary(byte[] row) {
        this.row = row;
    }

    boolean ended() {
        return at == row.length;
    }

    int one() {
        return bytes(1)[0] & 0xFF;
    }

    private byte[] bytes(int count) {
        assertThat(row.length - at).as("bytes left").isGreaterThanOrEqualTo(count);
        at += count;
        return Arrays.copyOfRange(row, at - count, at);
    }

    private int length() {
        var length = 0;
        for (var shift = 0; ; shift += 7) {
            var b = one();
            length |= (b & 0x7F) << shift;
            if (b < 0x80) return length;
        }
    }

    private BigInteger whole(int bytes, boolean signed) {
        var little = bytes(bytes);
        var big = new byte[bytes];
        for (var i = 0; i < bytes; i++) big[i] = little[bytes - 1 - i];
        return signed ? new BigInteger(big) : new BigInteger(1, big);
    }

    private static String text(Json json) {
        if (json instanceof Json.Text(var text)) return text;
        throw new AssertionError("a text was made of " + json);
    }

    private static String number(Json json) {
        if (json instanceof Json.Numeral(var text)) return text;
        throw new AssertionError("a number was made of " + json);
    }

    static Type whole(int bytes, boolean signed, boolean quoted) {
        return decimal(bytes, 0, signed, quoted);
    }

    static Type decimal(int bytes, int scale, boolean signed, boolean quoted) {
        return (in, json) -> {
            var spelled = quoted && json instanceof Json.Text(var text) ? text : number(json);
            assertThat(new BigDecimal(in.whole(bytes, signed), scale)).isEqualByComparingTo(new BigDecimal(spelled));
        };
    }

    static Type float32() {
        return (in, json) -> assertThat(in.little(4).getFloat()).isEqualTo(Float.parseFloat(number(json)));
    }

    static Type float64() {
        return (in, json) -> assertThat(in.little(8).getDouble()).isEqualTo(Double.parseDouble(number(json)));
    }

    private ByteBuffer little(int bytes) {
        return ByteBuffer.wrap(bytes(bytes)).order(ByteOrder.LITTLE_ENDIAN);
    }

    static Type truth() {
        return (in, json) -> assertThat(json).isEqualTo(new Json.Truth(in.one() == 1));
    }

    static Type string() {
        return (in, json) -> assertThat(new String(in.bytes(in.length()), StandardCharsets.UTF_8))
                .isEqualTo(text(json));
    }

    static Type fixed(int bytes) {
        return (in, json) -> assertThat(in.bytes(bytes)).isEqualTo(text(json).getBytes(StandardCharsets.UTF_8));
    }

    static Type uuid() {
        return (in, json) -> {
            var halves = in.little(16);
            assertThat(new UUID(halves.getLong(), halves.getLong()).toString()).isEqualToIgnoringCase(text(json));
        };
    }

    static Type ipv4() {
        return (in, json) -> {
            var address = in.whole(4, false).intValue();
            assertThat((address >>> 24) + "." + (address >>> 16 & 0xFF) + "." + (address >>> 8 & 0xFF) + "."
                            + (address & 0xFF))
                    .isEqualTo(text(json));
        };
    }

    static Type ipv6() {
        return (in, json) -> {
            var mine = in.bytes(16);
            var theirs = InetAddress.ofLiteral(text(json)).getAddress();
            // An address that is one of IPv4's in disguise.
            if (theirs.length == 4) {
                assertThat(Arrays.copyOf(mine, 12)).isEqualTo(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1});
                mine = Arrays.copyOfRange(mine, 12, 16);
            }
            assertThat(mine).isEqualTo(theirs);
        };
    }

    static Type date(int bytes, boolean signed) {
        return (in, json) -> assertThat(
                        LocalDate.ofEpochDay(in.whole(bytes, signed).longValueExact()))
                .isEqualTo(LocalDate.parse(text(json)));
    }

    static Type moment(int bytes, boolean signed, int digits) {
        return (in, json) -> {
            var spelled = text(json).replaceFirst("(\\.\\d*?)0+(?=\\D|$)", "$1").replaceFirst("\\.(?=\\D|$)", "");
            var parsed = MOMENT.parse(spelled);
            var seconds = LocalDateTime.from(parsed)
                    .toEpochSecond(ZoneOffset.ofTotalSeconds(parsed.get(ChronoField.OFFSET_SECONDS)));
            var expected =
                    BigDecimal.valueOf(seconds).add(BigDecimal.valueOf(parsed.get(ChronoField.NANO_OF_SECOND), 9));
            assertThat(new BigDecimal(in.whole(bytes, signed), digits)).isEqualByComparingTo(expected);
        };
    }

    static Type word(int bytes, java.util.Map<Integer, String> words) {
        return (in, json) ->
                assertThat(words.get(in.whole(bytes, true).intValueExact())).isEqualTo(text(json));
    }

    static Type orNull(Type value) {
        return (in, json) -> {
            if (in.one() == 1) assertThat(json).isEqualTo(new Json.Nothing());
            else value.read(in, json);
        };
    }

    static Type listed(Type element) {
        return (in, json) -> {
            if (!(json instanceof Json.Listed(var elements))) throw new AssertionError("an array was made of " + json);
            assertThat(in.length()).isEqualTo(elements.size());
            for (var one : elements) element.read(in, one);
        };
    }

    static Type mapped(Type key, Type value) {
        return (in, json) -> {
            if (!(json instanceof Json.Members(var members))) throw new AssertionError("a map was made of " + json);
            assertThat(in.length()).isEqualTo(members.size());
            members.forEach((name, one) -> {
                key.read(in, new Json.Text(name));
                value.read(in, one);
            });
        };
    }

    static Type tuple(Type... elements) {
        return (in, json) -> {
            if (!(json instanceof Json.Listed(var given))) throw new AssertionError("a tuple was made of " + json);
            assertThat(given).hasSameSizeAs(elements);
            for (var i = 0; i < elements.length; i++) elements[i].read(in, given.get(i));
        };
    }

    /// Elements without a member are null.
    static Type named(java.util.Map<String, Type> elements) {
        return (in, json) -> {
            if (!(json instanceof Json.Members(var members))) throw new AssertionError("a tuple was made of " + json);
            elements.forEach((name, type) -> type.read(in, members.getOrDefault(name, new Json.Nothing())));
        };
    }

    static Type json() {
        return (in, json) -> {
            var again = Json.read(in.bytes(in.length()));
            assertThat(again).isNotNull();
            if (again != null) assertThat(again.json()).isEqualTo(json);
        };
    }
}
