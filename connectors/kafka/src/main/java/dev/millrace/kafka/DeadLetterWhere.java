package dev.millrace.kafka;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Which dead rows are meant: those that fulfil every condition.
public record DeadLetterWhere(List<Condition> conditions) {
    /// What a condition may ask for.
    public enum Field {
        /// The code, such as a database's SQLSTATE.
        REASON,
        TOPIC,
        PARTITION,
        OFFSET,
        SINK,
        SHARD,
        PIPELINE;

        private @Nullable String of(DeadRow row) {
            return switch (this) {
                case REASON -> row.code();
                case TOPIC -> row.origin().topic();
                case PARTITION -> Integer.toString(row.origin().partition());
                case OFFSET -> Long.toString(row.origin().offset());
                case SINK -> row.sink();
                case SHARD -> row.shard();
                case PIPELINE -> row.pipeline();
            };
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// The field has exactly this value.
    public record Condition(Field field, String value) {
        boolean holds(DeadRow row) {
            return value.equals(field.of(row));
        }
    }

    public DeadLetterWhere {
        conditions = List.copyOf(conditions);
    }

    public static DeadLetterWhere all() {
        return new DeadLetterWhere(List.of());
    }

    /// Reads conditions of the form `key=value`. Throws with a line for a person.
    public static DeadLetterWhere parse(List<String> texts) {
        var conditions = new ArrayList<Condition>();
        for (var text : texts) {
            var equals = text.indexOf('=');
            if (equals < 1 || equals == text.length() - 1)
                throw new IllegalArgumentException(
                        "--where " + text + ": write key=value, where key is one of " + names());
            conditions.add(new Condition(field(text.substring(0, equals)), text.substring(equals + 1)));
        }
        return new DeadLetterWhere(conditions);
    }

    private static Field field(String name) {
        for (var field : Field.values()) if (field.toString().equals(name)) return field;
        throw new IllegalArgumentException("--where " + name + ": no such key; use one of " + names());
    }

    private static String names() {
        return Arrays.stream(Field.values()).map(Field::toString).collect(Collectors.joining(", "));
    }

    public boolean matches(DeadRow row) {
        for (var condition : conditions) if (!condition.holds(row)) return false;
        return true;
    }
}
