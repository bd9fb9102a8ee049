package dev.millrace.config;

import org.jspecify.annotations.Nullable;

/// A text that is never shown. Warns when it stands in the file itself.
record SecretType() implements ScalarType<Secret> {
    static final int LONGEST = 64 << 10;

    @Override
    public Parsed<Secret> parse(Text text) {
        if (text.value().isEmpty()) return Parsed.bad("is empty; set the variable, or fill the file");
        if (text.value().length() > LONGEST) return Parsed.bad("is longer than 65536 characters; shorten it");
        return Parsed.good(Secret.of(text.value()));
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
            case Parsed.Good<Secret> _ -> secret(text, reading);
            case Parsed.Bad<Secret>(var message) -> {
                reading.problems().error(node.place(), path, message);
                yield null;
            }
        };
    }

    /// What was read: what a file brings in may be another by now.
    static Secret secret(Text text, Reading reading) {
        return text.fromFile()
                ? Secret.of(text.value(), () -> new SecretType().again(text.source(), reading.interpolation()))
                : Secret.of(text.value());
    }

    private String again(String source, Interpolation interpolation) {
        var text = interpolation.fill(source, true);
        if (text instanceof Parsed.Good<Text>(var filled) && parse(filled) instanceof Parsed.Good<Secret>(var now))
            return now.reveal();
        throw new IllegalStateException("a secret that was read at the start cannot be read again");
    }

    @Override
    public String expected() {
        return "a text, best as ${file:/run/secrets/…} or ${VAR}";
    }
}
