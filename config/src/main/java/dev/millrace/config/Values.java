package dev.millrace.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What was read of one section, typed by its declarations. A setting that had a problem has no value here.
///
/// `present` tells whether the section stands in the file; the values of one that doesn't are the defaults.
///
/// Thread ownership: the thread that reads the file.
final class Values {
    private final String path;
    private final Place place;
    private final boolean present;
    private final Map<String, Value<?>> settings = new HashMap<>();
    private final Map<String, Values> sections = new HashMap<>();
    private final Map<String, List<Named>> named = new HashMap<>();
    private final Set<String> refused = new HashSet<>();

    /// A section with the name its user gave it.
    record Named(String name, Place place, Values values) {}

    Values(String path, Place place, boolean present) {
        this.path = path;
        this.place = place;
        this.present = present;
    }

    String path() {
        return path;
    }

    Place place() {
        return place;
    }

    boolean present() {
        return present;
    }

    <T> void put(Key.Setting<T> setting, Value<T> value) {
        settings.put(setting.name(), value);
    }

    /// For one that stands in the file and was refused: it has no value, not even its default.
    void refuse(Key.Setting<?> setting) {
        settings.remove(setting.name());
        refused.add(setting.name());
    }

    boolean refused(Key.Setting<?> setting) {
        return refused.contains(setting.name());
    }

    void put(Key.Section section, Values values) {
        sections.put(section.name(), values);
    }

    void put(Key.NamedSections sections, List<Named> values) {
        named.put(sections.name(), new ArrayList<>(values));
    }

    /// Null where it has no value: left out without a default, or refused.
    @SuppressWarnings("unchecked") // put() stored under this name what the same declaration's type read
    <T> @Nullable Value<T> find(Key.Setting<T> setting) {
        return (Value<T>) settings.get(setting.name());
    }

    /// Whether it stands in the file and was read.
    boolean given(Key.Setting<?> setting) {
        var value = settings.get(setting.name());
        return value != null && value.given();
    }

    <T> @Nullable T orNull(Key.Setting<T> setting) {
        var value = find(setting);
        return value == null ? null : value.value();
    }

    /// For a file without problems and a setting that has a default or is required.
    <T> T get(Key.Setting<T> setting) {
        var value = find(setting);
        if (value == null) throw new IllegalStateException(path + "." + setting.name() + " was not read");
        return value.value();
    }

    Values get(Key.Section section) {
        var values = sections.get(section.name());
        if (values == null) throw new IllegalStateException(path + "." + section.name() + " was not read");
        return values;
    }

    List<Named> get(Key.NamedSections sections) {
        return named.getOrDefault(sections.name(), List.of());
    }
}
