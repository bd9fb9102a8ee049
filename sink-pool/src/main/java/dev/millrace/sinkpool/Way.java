package dev.millrace.sinkpool;

import java.util.Locale;

/// How an item comes in, and so which share of the budget it counts in.
public enum Way {
    /// Nothing was asked; it is shed where there is no room.
    STAGED(0),
    /// It spends a slot that was reserved for it.
    RESERVED(1);

    private final int number;

    Way(int number) {
        this.number = number;
    }

    /// What stands for a partition in what is told of its rows.
    int number() {
        return number;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
