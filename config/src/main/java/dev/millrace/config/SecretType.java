package dev.millrace.config;

import org.jspecify.annotations.Nullable;

/// A text that is never shown. Warns when it stands in the file itself.
record SecretType() implements ScalarType<Secret> {
    static final int LONGEST = 64 << 10;

    @Override
    public Parsed<Secret> parse(Text text) {
        if (text.value().isEmpty()) return Parsed.bad("is empty; set the variable, or fill the file");
        if (text.value().length() > LONGEST) return Parsed.bad("is longer than 65536 characters; shorten it");
        var file = text.wholeFile();
        return Parsed.good(file == null ? Secret.of(text.value()) : Secret.of(text.value(), file));
    }

    @Override
    public @Nullable Secret read(ConfigNode node, String path, boolean secret, Reading reading) {
        var text = reading.text(node, path, true, expected());
        if (text == null) return null;
        if (text.literal()) {
            reading.problems()
                    .warn(node.place(), path, "stands in the file in clear; use ${file:/run/secrets/…} or ${VAR}");
        }
        return switch (parse(text)) {
            case Parsed.Good<Secret>(var value) -> value;
            case Parsed.Bad<Secret>(var message) -> {
                reading.problems().error(node.place(), path, message);
                yield null;
            }
        };
    }

    @Override
    public String expected() {
        return "a text, best as ${file:/run/secrets/…} or ${VAR}";
    }
}
