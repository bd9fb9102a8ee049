package dev.millrace.config;

/// What filled a part of a value in, by name and never by what it brought.
sealed interface Brought {
    record Variable(String name) implements Brought {}

    /// A variable that was not set, or empty, so that its default in the file was taken.
    record Unset(String name) implements Brought {}

    record SecretFile(String path) implements Brought {}

    default String text() {
        return switch (this) {
            case Variable(var name) -> "variable " + name;
            case Unset(var name) -> "variable " + name + " is not set";
            case SecretFile(var path) -> "secret file " + Text.printable(path, 300);
        };
    }
}
