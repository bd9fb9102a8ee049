package dev.millrace.config;

import java.util.regex.Pattern;

/// A whole number within bounds; where `unlimited` is true, the word `unlimited` too, which becomes
/// [Integer#MAX_VALUE].
record CountType(int least, int most, boolean unlimited) implements ScalarType<Integer> {
    private static final Pattern FORM = Pattern.compile("0|[1-9][0-9]{0,9}");

    static CountType between(int least, int most) {
        return new CountType(least, most, false);
    }

    CountType orUnlimited() {
        return new CountType(least, most, true);
    }

    @Override
    public Parsed<Integer> parse(Text text) {
        var value = text.value();
        if (unlimited && value.equals("unlimited")) return Parsed.good(Integer.MAX_VALUE);
        if (!FORM.matcher(value).matches()) {
            return Parsed.bad(text + " is not a whole number in plain digits; write " + range());
        }
        long number = Long.parseLong(value);
        if (number < least || number > most) return Parsed.bad(text + " is out of bounds; write " + range());
        return Parsed.good((int) number);
    }

    private String range() {
        return "a whole number from " + least + " to " + most + (unlimited ? ", or unlimited" : "");
    }

    @Override
    public String expected() {
        return range();
    }
}
