package dev.millrace.config;

/// A percentage with its sign, within whole bounds: `60%` becomes 60.0.
record PercentType(int least, int most) implements ScalarType<Double> {
    @Override
    public Parsed<Double> parse(Text text) {
        var value = text.value();
        if (DecimalType.FORM.matcher(value).matches()) {
            return Parsed.bad(text + " has no %; write " + expected());
        }
        var number = value.endsWith("%") ? value.substring(0, value.length() - 1) : "";
        if (!DecimalType.FORM.matcher(number).matches()) {
            return Parsed.bad(text + " is not a percentage; write " + expected());
        }
        double percent = Double.parseDouble(number);
        if (percent < least || percent > most) return Parsed.bad(text + " is out of bounds; write " + expected());
        return Parsed.good(percent);
    }

    @Override
    public String expected() {
        return "a percentage from " + least + "% to " + most + "%";
    }
}
