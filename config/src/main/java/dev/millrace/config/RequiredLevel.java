package dev.millrace.config;

import dev.millrace.config.ChoiceType.Choice;
import java.util.Arrays;

/// The level of delivery below which a pipeline refuses to start.
public enum RequiredLevel {
    /// It starts at any level.
    NONE("none"),
    L1("L1"),
    L2("L2"),
    L3("L3"),
    L4("L4");

    private final String word;

    RequiredLevel(String word) {
        this.word = word;
    }

    /// As it stands in the file.
    public String word() {
        return word;
    }

    /// Whether it takes a plan that outlives the run.
    boolean beyondARun() {
        return compareTo(L1) > 0;
    }

    static ChoiceType<RequiredLevel> type() {
        return new ChoiceType<>(Arrays.stream(values())
                .<Choice<RequiredLevel>>map(level -> new Choice.Built<>(level.word, level))
                .toList());
    }
}
