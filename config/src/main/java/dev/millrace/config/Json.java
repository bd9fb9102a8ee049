package dev.millrace.config;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// A JSON value to be printed, in ASCII and with its fields in their order.
sealed interface Json {
    /// `true`, `false`, `null` or a number, as it is printed.
    record Word(String text) implements Json {}

    record Str(String text) implements Json {}

    record Arr(List<Json> values) implements Json {
        public Arr {
            values = List.copyOf(values);
        }

        static Arr of(Json... values) {
            return new Arr(List.of(values));
        }

        static Arr ofTexts(List<String> texts) {
            return new Arr(texts.stream().<Json>map(Str::new).toList());
        }
    }

    /// Immutable: each `with` is a new one.
    record Obj(Map<String, Json> fields) implements Json {
        public Obj {
            fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        }

        static Obj empty() {
            return new Obj(Map.of());
        }

        Obj with(String name, Json value) {
            var more = new LinkedHashMap<>(fields);
            more.put(name, value);
            return new Obj(more);
        }

        Obj with(String name, String text) {
            return with(name, new Str(text));
        }

        Obj with(String name, String... texts) {
            return with(name, Arr.ofTexts(Arrays.asList(texts)));
        }

        Obj with(String name, long number) {
            return with(name, new Word(Long.toString(number)));
        }

        Obj with(String name, double number) {
            return with(name, new Word(Double.toString(number)));
        }

        Obj with(String name, boolean fact) {
            return with(name, new Word(Boolean.toString(fact)));
        }
    }

    /// Lines indented by two spaces a level; a list of words stays on its line.
    default String print(String indent) {
        var deeper = indent + "  ";
        return switch (this) {
            case Word(var text) -> text;
            case Str(var text) -> quoted(text);
            case Arr(var values)
            when values.stream().noneMatch(v -> v instanceof Obj) ->
                values.stream().map(v -> v.print(deeper)).collect(Collectors.joining(", ", "[", "]"));
            case Arr(var values) ->
                values.stream()
                        .map(v -> deeper + v.print(deeper))
                        .collect(Collectors.joining(",\n", "[\n", "\n" + indent + "]"));
            case Obj(var fields) when fields.isEmpty() -> "{}";
            case Obj(var fields) ->
                fields.entrySet().stream()
                        .map(f -> deeper + quoted(f.getKey()) + ": "
                                + f.getValue().print(deeper))
                        .collect(Collectors.joining(",\n", "{\n", "\n" + indent + "}"));
        };
    }

    private static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') quoted.append('\\').append(c);
            else if (c < ' ' || c > '~') quoted.append("\\u%04x".formatted((int) c));
            else quoted.append(c);
        }
        return quoted.append('"').toString();
    }
}
