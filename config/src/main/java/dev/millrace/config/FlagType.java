package dev.millrace.config;

/// `true` or `false`, and none of the other words that YAML once took for them.
record FlagType() implements ScalarType<Boolean> {
    @Override
    public Parsed<Boolean> parse(Text text) {
        return switch (text.value()) {
            case "true" -> Parsed.good(true);
            case "false" -> Parsed.good(false);
            default -> Parsed.bad(text + " is neither; write " + expected());
        };
    }

    @Override
    public String expected() {
        return "true or false";
    }
}
