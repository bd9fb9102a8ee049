package dev.millrace.config;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Settings of a server by name, each one of [ServerSettings].
record ServerSettingsType() implements ValueType<SortedMap<String, String>> {
    static final int LONGEST = 1024;

    @Override
    public @Nullable SortedMap<String, String> read(ConfigNode node, String path, boolean secret, Reading reading) {
        if (node instanceof ConfigNode.Scalar scalar && scalar.isNothing()) return Collections.emptySortedMap();
        if (!(node instanceof ConfigNode.Mapping mapping)) {
            reading.wrongKind(node, path, expected());
            return null;
        }
        var all = new TreeMap<String, String>();
        for (var entry : mapping.entries()) {
            if (reading.problems().full()) break;
            var entryPath = Walk.join(path, entry.key());
            if (!ServerSettings.isAllowed(entry.key())) {
                var near = Spelling.nearest(entry.key(), ServerSettings.allowed());
                reading.problems()
                        .error(
                                entry.place(),
                                entryPath,
                                "is not passed on, since deduplication, blocks and parsing are the sink's; "
                                        + (near == null ? "leave it out" : "did you mean " + near + "?"));
                continue;
            }
            var text = reading.text(entry.value(), entryPath, false, "a text");
            if (text == null) continue;
            if (text.value().length() > LONGEST)
                reading.problems()
                        .error(entry.value().place(), entryPath, "is longer than 1024 characters; shorten it");
            else all.put(entry.key(), text.value());
        }
        return all.size() == mapping.entries().size() ? all : null;
    }

    @Override
    public String expected() {
        return "settings of the server by name, such as { insert_quorum: 2 }";
    }
}
