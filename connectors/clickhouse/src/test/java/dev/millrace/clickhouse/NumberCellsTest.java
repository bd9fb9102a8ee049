package dev.millrace.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.json.IgnoredFields;
import dev.millrace.json.JsonFields;
import dev.millrace.json.Reasons;
import dev.millrace.sinkpool.RowBuffer;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import org.jspecify.annotations.Nullable;

/// Whatever number of whatever spelling arrives as itself, or not at all.
@Tag("FMT-3")
class NumberCellsTest {
    private static final Cells CELLS = new Cells(true, JsonFields.Unknown.REFUSE, new IgnoredFields());

    record Width(String type, int bytes, boolean signed) {
        boolean holds(BigInteger number) {
            return signed
                    ? number.bitLength() < Byte.SIZE * bytes
                    : number.signum() >= 0 && number.bitLength() <= Byte.SIZE * bytes;
        }
    }

    /// A row's bytes, as a chunk has them.
    private static final class Put implements RowBuffer {
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

        BigInteger number(boolean signed) {
            var turned = bytes.toByteArray();
            for (var i = 0; i < turned.length / 2; i++) {
                var first = turned[i];
                turned[i] = turned[turned.length - 1 - i];
                turned[turned.length - 1 - i] = first;
            }
            return signed ? new BigInteger(turned) : new BigInteger(1, turned);
        }
    }

    private static @Nullable String put(String type, String json, Put row) {
        var source = ("[" + json + "]").getBytes(StandardCharsets.UTF_8);
        return Objects.requireNonNull(CELLS.of(type)).put(source, 1, row);
    }

    @Provide
    Arbitrary<Width> widths() {
        return Combinators.combine(Arbitraries.of(1, 2, 4, 8, 16, 32), Arbitraries.of(true, false))
                .as((bytes, signed) -> new Width((signed ? "Int" : "UInt") + Byte.SIZE * bytes, bytes, signed));
    }

    /// Close to a power of two, or of so many bits.
    @Provide
    Arbitrary<BigInteger> numbers() {
        var near = Combinators.combine(
                        Arbitraries.integers().between(0, 258),
                        Arbitraries.integers().between(-2, 2))
                .as((power, more) -> BigInteger.ONE.shiftLeft(power).add(BigInteger.valueOf(more)));
        var any = Combinators.combine(Arbitraries.integers().between(1, 258), Arbitraries.randoms())
                .as((bits, random) -> new BigInteger(bits, random));
        return Combinators.combine(Arbitraries.oneOf(near, any), Arbitraries.of(true, false))
                .as((number, negative) -> negative ? number.negate() : number);
    }

    /// The same number, with a point and an exponent or without.
    private static String spelled(BigDecimal number, Random random) {
        if (random.nextInt(3) == 0) return number.toPlainString();
        var digits = number.unscaledValue().toString();
        if (number.scale() == 0 && random.nextBoolean()) return digits;
        var exponent = -(long) number.scale();
        if (random.nextBoolean()) {
            digits += "0".repeat(3);
            exponent -= 3;
        }
        if (random.nextBoolean()) {
            var first = digits.startsWith("-") ? 2 : 1;
            exponent += digits.length() - first;
            digits = digits.substring(0, first) + '.' + digits.substring(first) + '0';
        }
        return exponent == 0 && random.nextBoolean() ? digits : digits + (random.nextBoolean() ? "e" : "E") + exponent;
    }

    @Property(tries = 3000)
    void wholeNumbersArriveAsThemselvesOrNotAtAll(
            @ForAll("widths") Width width, @ForAll("numbers") BigInteger number, @ForAll Random random) {
        var row = new Put();
        var reason = put(width.type, spelled(new BigDecimal(number), random), row);
        if (!width.holds(number)) assertThat(reason).isEqualTo(Reasons.OUT_OF_RANGE);
        else {
            assertThat(reason).isNull();
            assertThat(row.bytes.size()).isEqualTo(width.bytes);
            assertThat(row.number(width.signed)).isEqualTo(number);
        }
    }

    @Property(tries = 3000)
    void decimalsArriveDigitForDigitOrNotAtAll(
            @ForAll("numbers") BigInteger digits, @ForAll Random random, @ForAll Random choice) {
        var precision = 1 + choice.nextInt(76);
        var scale = choice.nextInt(precision + 1);
        var number = new BigDecimal(digits, choice.nextInt(scale + 3));
        var row = new Put();
        var reason = put("Decimal(" + precision + ", " + scale + ")", spelled(number, random), row);
        var exact = number.stripTrailingZeros();
        var before = exact.precision() - exact.scale();
        if (number.signum() != 0 && before > precision - scale)
            assertThat(reason).isEqualTo(Reasons.OUT_OF_RANGE);
        else if (number.signum() != 0 && exact.scale() > scale)
            assertThat(reason).isEqualTo(Reasons.TOO_PRECISE);
        else {
            assertThat(reason).isNull();
            assertThat(new BigDecimal(row.number(true), scale)).isEqualByComparingTo(number);
            assertThat(row.bytes.size())
                    .isEqualTo(precision <= 9 ? 4 : precision <= 18 ? 8 : precision <= 38 ? 16 : 32);
        }
    }

    @Property(tries = 2000)
    void doublesAndFloatsArriveAsTheNearest(@ForAll double wide, @ForAll float narrow, @ForAll Random random) {
        var row = new Put();
        assertThat(put("Float64", spelled(new BigDecimal(Double.toString(wide)), random), row))
                .isNull();
        assertThat(Double.longBitsToDouble(row.number(true).longValue())).isEqualTo(wide == 0 ? 0.0 : wide);
        row = new Put();
        assertThat(put("Float32", spelled(new BigDecimal(Float.toString(narrow)), random), row))
                .isNull();
        assertThat(Float.intBitsToFloat(row.number(true).intValue())).isEqualTo(narrow == 0 ? 0.0f : narrow);
    }
}
