package dev.millrace.config;

import java.time.Duration;

/// What the records' constructors insist on, with the value and the bound in the message.
final class Require {
    private Require() {}

    static void atLeast(String name, long value, long least) {
        if (value < least) throw new IllegalArgumentException(name + " " + value + " < " + least);
    }

    static void between(String name, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(name + " " + value + " not in " + least + ".." + most);
        }
    }

    static void percent(String name, double value) {
        if (!(value > 0 && value <= 100)) throw new IllegalArgumentException(name + " " + value + " not in (0, 100]");
    }

    static void positive(String name, Duration value) {
        if (!value.isPositive()) throw new IllegalArgumentException(name + " " + value + " is not positive");
    }

    static void notNegative(String name, Duration value) {
        if (value.isNegative()) throw new IllegalArgumentException(name + " " + value + " is negative");
    }

    static void notLess(String name, Duration value, String otherName, Duration other) {
        if (value.compareTo(other) < 0) {
            throw new IllegalArgumentException(name + " " + value + " < " + otherName + " " + other);
        }
    }

    static void matches(String name, boolean holds, String value) {
        if (!holds) throw new IllegalArgumentException(name + " \"" + value + "\" is not allowed");
    }
}
