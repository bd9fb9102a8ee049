package dev.millrace.config;

import java.util.List;
import java.util.regex.Pattern;

/// Which topics: a list of names, or every topic whose whole name matches a pattern.
///
/// As text it is for people: log lines hold it.
public sealed interface Topics {
    /// Whether a topic of this name is one of them.
    boolean includes(String topic);

    /// These topics, in the file's order, none twice.
    record Listed(List<String> names) implements Topics {
        public Listed {
            names = List.copyOf(names);
            Require.atLeast("topics", names.size(), 1);
            Require.atLeast("distinct topics", names.stream().distinct().count(), names.size());
            for (var name : names) Require.matches("topic", Names.isTopic(name), name);
        }

        @Override
        public boolean includes(String topic) {
            return names.contains(topic);
        }

        @Override
        public String toString() {
            return String.join(", ", names);
        }
    }

    /// Every topic that matches, those of the future included. Throws `PatternSyntaxException` for what is no regular
    /// expression.
    record Matching(String regex) implements Topics {
        public Matching {
            Require.matches("pattern", !regex.isEmpty(), regex);
            Pattern.compile(regex);
        }

        @Override
        public boolean includes(String topic) {
            return pattern().matcher(topic).matches();
        }

        public Pattern pattern() {
            return Pattern.compile(regex);
        }

        @Override
        public String toString() {
            return "all that match " + regex;
        }
    }
}
