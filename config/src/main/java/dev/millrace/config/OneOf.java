package dev.millrace.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Sections of which at most one may stand below another. `otherwise` counts when none does; null where one must.
record OneOf(List<Key.Section> sections, Key.@Nullable Section otherwise) {
    static final OneOf NONE = new OneOf(List.of(), null);

    OneOf {
        sections = List.copyOf(sections);
    }

    boolean holds(Key key) {
        return key instanceof Key.Section section && sections.contains(section);
    }

    /// The one that counts; null where none does.
    Key.@Nullable Section chosen(Values values) {
        for (var section : sections) {
            if (values.get(section).present()) return section;
        }
        return otherwise;
    }
}
