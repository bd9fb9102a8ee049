package dev.millrace.config;

/// What it means that a setting is left out of the file.
sealed interface Absence {

    /// It may not be left out.
    record Refused() implements Absence {}

    /// It has its default then, as that would stand in the file.
    record Default(String text) implements Absence {}

    /// It has no value then; `meaning` tells people what happens.
    record NoValue(String meaning) implements Absence {}
}
