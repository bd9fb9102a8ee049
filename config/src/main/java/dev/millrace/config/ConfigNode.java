package dev.millrace.config;

import java.util.List;

/// A part of the file as it stands there, before any key gives it a type.
sealed interface ConfigNode {
    Place place();

    /// How a message calls it.
    String kind();

    /// Text. Plain means without quotes, so that an empty one is no value.
    record Scalar(Place place, String text, boolean plain) implements ConfigNode {
        boolean isNothing() {
            return plain && text.isEmpty();
        }

        /// Unquoted `null` or `~`, which many take for "no value".
        boolean isNull() {
            return plain && (text.equals("~") || text.equalsIgnoreCase("null"));
        }

        @Override
        public String kind() {
            return "text";
        }
    }

    record Sequence(Place place, List<ConfigNode> items) implements ConfigNode {
        public Sequence {
            items = List.copyOf(items);
        }

        @Override
        public String kind() {
            return "a list";
        }
    }

    /// Keys and values in the file's order, no key twice.
    record Mapping(Place place, List<Entry> entries) implements ConfigNode {
        public Mapping {
            entries = List.copyOf(entries);
        }

        @Override
        public String kind() {
            return "a section";
        }
    }

    /// Something whose problem was told already; nothing more is said of it.
    record Broken(Place place) implements ConfigNode {
        @Override
        public String kind() {
            return "nothing";
        }
    }

    /// One `key: value` and where the key stands.
    record Entry(Place place, String key, ConfigNode value) {}
}
