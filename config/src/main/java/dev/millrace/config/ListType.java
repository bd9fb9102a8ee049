package dev.millrace.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A list of at least one value, none twice.
record ListType<T>(ScalarType<T> each, String example) implements ValueType<List<T>> {

    @Override
    public @Nullable List<T> read(ConfigNode node, String path, boolean secret, Reading reading) {
        if (!(node instanceof ConfigNode.Sequence list)) {
            reading.wrongKind(node, path, expected());
            return null;
        }
        if (list.items().isEmpty()) {
            reading.problems().error(list.place(), path, "is empty; write " + expected());
            return null;
        }
        var values = new ArrayList<T>();
        Map<T, Place> seen = new HashMap<>();
        for (int i = 0; i < list.items().size(); i++) {
            var item = list.items().get(i);
            var value = each.read(item, path + "[" + i + "]", secret, reading);
            if (value == null) continue;
            var first = seen.putIfAbsent(value, item.place());
            if (first != null) {
                reading.problems()
                        .error(item.place(), path + "[" + i + "]", "is there already, at " + first + "; remove one");
            }
            values.add(value);
        }
        return values.size() == list.items().size() ? values : null;
    }

    @Override
    public String expected() {
        return "a list, such as " + example;
    }
}
