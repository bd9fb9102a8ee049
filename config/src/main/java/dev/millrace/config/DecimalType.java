package dev.millrace.config;

import java.util.regex.Pattern;

/// A number with or without decimals, within bounds; never NaN, infinite or with an exponent.
record DecimalType(double least, double most) implements ScalarType<Double> {
    static final Pattern FORM = Pattern.compile("(0|[1-9][0-9]{0,8})(\\.[0-9]{1,9})?");

    @Override
    public Parsed<Double> parse(Text text) {
        if (!FORM.matcher(text.value()).matches())
            return Parsed.bad(text + " is not a plain number; write " + expected());
        double number = Double.parseDouble(text.value());
        if (number < least || number > most) return Parsed.bad(text + " is out of bounds; write " + expected());
        return Parsed.good(number);
    }

    @Override
    public String expected() {
        return "a number from " + least + " to " + most;
    }
}
