package dev.millrace.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The one declaration of a key: reading, defaults, suggestions and everything printed about it come from here.
sealed interface Key {
    String name();

    /// One line for people.
    String doc();

    /// A key with a value. `fallback` is the default as it would stand in the file; null where the key must be there
    /// (`required`) or
    /// may be absent.
    record Setting<T>(
            String name, ValueType<T> type, @Nullable String fallback, boolean required, boolean secret, String doc)
            implements Key {
        static <T> Setting<T> of(String name, ValueType<T> type, String doc) {
            return new Setting<>(name, type, null, false, type instanceof SecretType, doc);
        }

        Setting<T> byDefault(String text) {
            return new Setting<>(name, type, text, false, secret, doc);
        }

        Setting<T> needed() {
            return new Setting<>(name, type, null, true, secret, doc);
        }

        /// The default's value; null where there is none.
        @Nullable
        T fallbackValue() {
            if (fallback == null || !(type instanceof ScalarType<T> scalar)) return null;
            return switch (scalar.parse(Text.literal(fallback))) {
                case Parsed.Good<T>(var value) -> value;
                case Parsed.Bad<T>(var message) -> throw new IllegalStateException(name + ": " + message);
            };
        }
    }

    /// A key with keys below it. One that is not `required` may be left out: its keys then have their defaults.
    record Section(String name, boolean required, String doc, List<Key> keys) implements Key {
        public Section {
            keys = List.copyOf(keys);
        }

        static Section of(String name, String doc, Key... keys) {
            return new Section(name, false, doc, List.of(keys));
        }

        Section needed() {
            return new Section(name, true, doc, keys);
        }

        @Nullable
        Key find(String key) {
            return keys.stream().filter(k -> k.name().equals(key)).findFirst().orElse(null);
        }
    }

    /// A key with sections below it that the user names, one at least.
    record NamedSections(String name, String doc, Section each) implements Key {}

    /// A key of a part that is not built yet: present, it is refused with the reason.
    record Unbuilt(String name, Part part, String remedy) implements Key {
        @Override
        public String doc() {
            return part.notBuilt();
        }
    }
}
