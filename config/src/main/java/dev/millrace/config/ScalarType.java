package dev.millrace.config;

import org.jspecify.annotations.Nullable;

/// A value written as one scalar.
sealed interface ScalarType<T> extends ValueType<T>
        permits ChoiceType,
                CountType,
                DecimalType,
                DurationType,
                FlagType,
                PercentType,
                SecretType,
                SizeType,
                WordType {

    /// Reads the text; a message quotes it through [Text#toString] only.
    Parsed<T> parse(Text text);

    @Override
    default @Nullable T read(ConfigNode node, String path, boolean secret, Reading reading) {
        var text = reading.text(node, path, secret, expected());
        if (text == null) return null;
        return switch (parse(text)) {
            case Parsed.Good<T>(var value) -> value;
            case Parsed.Bad<T>(var message) -> {
                reading.problems().error(node.place(), path, message);
                yield null;
            }
        };
    }
}
