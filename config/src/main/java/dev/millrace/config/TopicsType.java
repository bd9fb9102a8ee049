package dev.millrace.config;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/// A list of topics, or `{ pattern: … }`.
record TopicsType() implements ValueType<Topics> {
    static final ListType<String> NAMES = new ListType<>(WordType.topic(), "[orders, payments]");
    // Long patterns would be compiled by recursion.
    private static final int LONGEST = 1000;
    static final WordType<Topics> PATTERN = new WordType<>(
            "a regular expression", "one of at most 1000 characters, such as \"orders\\\\..*\"", TopicsType::matching);

    private static @Nullable Topics matching(String regex) {
        if (regex.isEmpty() || regex.length() > LONGEST) return null;
        try {
            return new Topics.Matching(Pattern.compile(regex).pattern());
        } catch (PatternSyntaxException _) {
            return null;
        }
    }

    @Override
    public @Nullable Topics read(ConfigNode node, String path, boolean secret, Reading reading) {
        return switch (node) {
            case ConfigNode.Sequence _ -> {
                var names = NAMES.read(node, path, secret, reading);
                // A topic listed twice was told; the record would refuse it.
                yield names == null
                        ? null
                        : new Topics.Listed(names.stream().distinct().toList());
            }
            case ConfigNode.Mapping mapping -> pattern(mapping, path, secret, reading);
            case ConfigNode.Scalar _, ConfigNode.Broken _ -> {
                reading.wrongKind(node, path, expected());
                yield null;
            }
        };
    }

    private @Nullable Topics pattern(ConfigNode.Mapping mapping, String path, boolean secret, Reading reading) {
        Topics topics = null;
        for (var entry : mapping.entries()) {
            var name = Text.printable(entry.key(), 60);
            if (entry.key().equals("pattern")) topics = PATTERN.read(entry.value(), path + ".pattern", secret, reading);
            else reading.problems().error(entry.place(), path + "." + name, "unknown key; only pattern may stand here");
        }
        if (mapping.entries().isEmpty()) reading.wrongKind(mapping, path, expected());
        return topics;
    }

    @Override
    public String expected() {
        return "a list, such as [orders, payments], or { pattern: \"orders\\\\..*\" }";
    }
}
