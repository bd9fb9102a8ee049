package dev.millrace.bench;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// One line between the suite and a process of it: names and values, in their order.
///
/// As text it is `name=value name=value`, and what can't stand in it is escaped as in a URL.
record Words(Map<String, String> values) {
    Words {
        values = Map.copyOf(values);
    }

    static Words of(Object... namesAndValues) {
        var values = new LinkedHashMap<String, String>();
        for (var i = 0; i < namesAndValues.length; i += 2)
            values.put(namesAndValues[i].toString(), namesAndValues[i + 1].toString());
        return new Words(values);
    }

    static Words parse(String line) {
        var values = new LinkedHashMap<String, String>();
        for (var word : line.strip().split(" ", -1)) {
            var equals = word.indexOf('=');
            if (equals < 1) throw new BenchFailure("not a name and a value: " + word);
            values.put(
                    word.substring(0, equals), URLDecoder.decode(word.substring(equals + 1), StandardCharsets.UTF_8));
        }
        return new Words(values);
    }

    String line() {
        return values.entrySet().stream()
                .map(word -> word.getKey() + "=" + URLEncoder.encode(word.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining(" "));
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    String text(String name) {
        var value = values.get(name);
        if (value == null) throw new BenchFailure("no " + name + " in " + line());
        return value;
    }

    long number(String name) {
        var text = text(name);
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException _) {
            throw new BenchFailure(name + " is no number: " + text);
        }
    }

    boolean fact(String name) {
        return has(name) && text(name).equals("true");
    }

    /// Separated by commas, and perhaps none.
    List<Long> numbers(String name) {
        var text = text(name);
        if (text.isEmpty()) return List.of();
        return Arrays.stream(text.split(",")).map(Long::valueOf).toList();
    }
}
