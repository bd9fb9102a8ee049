package dev.millrace.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The one declaration of a key: reading, defaults, suggestions and everything printed about it come from here.
sealed interface Key {
    String name();

    /// One line for people.
    String doc();

    /// A key with a value.
    record Setting<T>(String name, ValueType<T> type, Absence absence, Applies applies, String doc) implements Key {
        static <T> Setting<T> of(String name, ValueType<T> type, String doc) {
            return new Setting<>(name, type, new Absence.NoValue(""), new Applies.Always(), doc);
        }

        Setting<T> byDefault(String text) {
            return new Setting<>(name, type, new Absence.Default(text), applies, doc);
        }

        Setting<T> needed() {
            return new Setting<>(name, type, new Absence.Refused(), applies, doc);
        }

        /// For one without a default that may be left out: what happens then.
        Setting<T> leftOut(String meaning) {
            return new Setting<>(name, type, new Absence.NoValue(meaning), applies, doc);
        }

        Setting<T> when(Applies condition) {
            return new Setting<>(name, type, absence, condition, doc);
        }

        boolean required() {
            return absence instanceof Absence.Refused;
        }

        boolean secret() {
            return type instanceof SecretType;
        }

        /// The default as it would stand in the file; null where there is none.
        @Nullable
        String fallback() {
            return absence instanceof Absence.Default(var text) ? text : null;
        }

        /// The default's value; null where there is none.
        @Nullable
        T fallbackValue() {
            var fallback = fallback();
            return fallback == null ? null : valueOf(fallback);
        }

        /// What one of its words becomes; null for a type that is no scalar.
        @Nullable
        T valueOf(String word) {
            if (!(type instanceof ScalarType<T> scalar)) return null;
            return switch (scalar.parse(Text.literal(word))) {
                case Parsed.Good<T>(var value) -> value;
                case Parsed.Bad<T>(var message) -> throw new IllegalStateException(name + ": " + message);
            };
        }
    }

    /// A key with keys below it. One that is not `required` may be left out: its keys then have their defaults. Of the
    /// sections in `oneOf` one counts.
    record Section(String name, boolean required, String doc, List<Key> keys, OneOf oneOf) implements Key {
        public Section {
            keys = List.copyOf(keys);
        }

        static Section of(String name, String doc, Key... keys) {
            return new Section(name, false, doc, List.of(keys), OneOf.NONE);
        }

        Section needed() {
            return new Section(name, true, doc, keys, oneOf);
        }

        /// Of these there must be one.
        Section withOneOf(Section... sections) {
            return new Section(name, required, doc, keys, new OneOf(List.of(sections), null));
        }

        /// Of these there may be one, and the first counts when there is none.
        Section withFirstOf(Section... sections) {
            return new Section(name, required, doc, keys, new OneOf(List.of(sections), sections[0]));
        }

        /// Whether it says nothing without a key of its own, so that it is there or not.
        boolean hasRequired() {
            return keys.stream().anyMatch(key -> key instanceof Setting<?> setting && setting.required());
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
