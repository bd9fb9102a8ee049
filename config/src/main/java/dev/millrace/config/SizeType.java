package dev.millrace.config;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.regex.Pattern;

/// An amount of bytes: a whole number and `B`, `KiB`, `MiB` or `GiB`, within bounds in bytes.
record SizeType(long least, long most) implements ScalarType<Long> {
    static final Pattern FORM = Pattern.compile("([0-9]{1,30})(B|KiB|MiB|GiB)");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,30}");
    private static final Pattern DECIMAL_UNIT = Pattern.compile("[0-9]{1,12}([KMGkmg])[Bb]?");
    private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB");

    static SizeType between(String least, String most) {
        return new SizeType(exact(least), exact(most));
    }

    /// What is too large for a long is as large as one can be.
    private static long exact(String text) {
        var match = FORM.matcher(text);
        if (!match.matches()) throw new IllegalArgumentException(text + " is not a size");
        var digits = match.group(1);
        long number = digits.length() > 18 ? Long.MAX_VALUE : Long.parseLong(digits);
        int shift = 10 * UNITS.indexOf(match.group(2));
        return number > Long.MAX_VALUE >> shift ? Long.MAX_VALUE : number << shift;
    }

    @Override
    public Parsed<Long> parse(Text text) {
        var value = text.value();
        if (NUMBER.matcher(value).matches()) {
            return Parsed.bad(text + " has no unit; add B, KiB, MiB or GiB (" + range() + ")");
        }
        var decimal = DECIMAL_UNIT.matcher(value);
        if (decimal.matches()) {
            return Parsed.bad(text + " has a unit that may mean 1000 or 1024; write KiB, MiB or GiB (" + range() + ")");
        }
        if (!FORM.matcher(value).matches()) {
            return Parsed.bad(text + " is not a size; write a whole number with B, KiB, MiB or GiB (" + range() + ")");
        }
        long bytes = exact(value);
        if (bytes < least || bytes > most) return Parsed.bad(text + " is out of bounds; write " + range());
        return Parsed.good(bytes);
    }

    private String range() {
        return text(least) + " to " + text(most);
    }

    @Override
    public String expected() {
        return "a size from " + range() + ", such as 64KiB, 128MiB or 1GiB";
    }

    /// For people: the largest unit of which there is one, with a decimal where it is not whole.
    static String text(long bytes) {
        int unit = 0;
        while (unit < UNITS.size() - 1 && bytes >> (10 * (unit + 1)) > 0) unit++;
        long one = 1L << (10 * unit);
        if (bytes % one == 0) return bytes / one + UNITS.get(unit);
        return BigDecimal.valueOf(bytes).divide(BigDecimal.valueOf(one), 1, RoundingMode.HALF_UP) + UNITS.get(unit);
    }
}
