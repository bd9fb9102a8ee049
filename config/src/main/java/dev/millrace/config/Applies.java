package dev.millrace.config;

/// When a setting counts. Where it does not, it may not stand in the file.
sealed interface Applies {
    record Always() implements Applies {}

    /// Beside a setting of the same section that has a value.
    record With(Key.Setting<?> other) implements Applies {}

    /// Only while a setting of the same section has no value.
    record Without(Key.Setting<?> other) implements Applies {}

    /// Beside a setting of the same section that has this value, as it would stand in the file.
    record WithWord(Key.Setting<?> other, String word) implements Applies {}

    /// In a file whose values have this format.
    record InFormat(Key.Section format) implements Applies {}

    /// For people; empty for a setting that always counts.
    default String text() {
        return switch (this) {
            case Always _ -> "";
            case With(var other) -> "only with " + other.name();
            case Without(var other) -> "not with " + other.name();
            case WithWord(var other, var word) -> "only with " + other.name() + " " + word;
            case InFormat(var format) -> "only with format " + format.name();
        };
    }
}
