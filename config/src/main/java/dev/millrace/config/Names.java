package dev.millrace.config;

import java.util.regex.Pattern;

/// Which texts may name things: safe as a metric label, in a token and in a file name.
final class Names {
    static final String NAME_RULE = "1 to 63 letters, digits, _ or -, beginning with a letter or a digit";
    static final String TOPIC_RULE = "1 to 249 letters, digits, '.', '_' or '-'";
    static final String IDENTIFIER_RULE = "a letter or _, then at most 62 letters, digits, _ or $";

    static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,62}");
    static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");
    static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_$]{0,62}");

    private Names() {}

    /// Of a pipeline, a sink, a shard.
    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /// Of a Kafka topic, by the broker's own rule.
    static boolean isTopic(String text) {
        return TOPIC.matcher(text).matches() && !text.equals(".") && !text.equals("..");
    }

    /// Of a table, schema or column.
    static boolean isIdentifier(String text) {
        return IDENTIFIER.matcher(text).matches();
    }
}
