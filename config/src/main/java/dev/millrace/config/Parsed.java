package dev.millrace.config;

/// What became of reading one value: the value, or what is wrong and what to do.
sealed interface Parsed<T> {
    record Good<T>(T value) implements Parsed<T> {}

    record Bad<T>(String message) implements Parsed<T> {}

    static <T> Parsed<T> good(T value) {
        return new Good<>(value);
    }

    static <T> Parsed<T> bad(String message) {
        return new Bad<>(message);
    }
}
