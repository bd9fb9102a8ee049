package dev.millrace.config;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// Checked kafka-clients settings of a pipeline; what is secret prints as `***`.
///
/// Invariant: no name is in both maps.
public record KafkaProperties(Map<String, String> plain, Map<String, Secret> secret) {
    public static final KafkaProperties NONE = new KafkaProperties(Map.of(), Map.of());

    public KafkaProperties {
        plain = Map.copyOf(plain);
        secret = Map.copyOf(secret);
        if (!Collections.disjoint(plain.keySet(), secret.keySet())) {
            throw new IllegalArgumentException("a property is both plain and secret");
        }
    }

    public SortedSet<String> names() {
        var names = new TreeSet<>(plain.keySet());
        names.addAll(secret.keySet());
        return names;
    }

    /// All of them in clear, sorted by name, to be handed to a client at once. Never log or keep what this returns.
    public SortedMap<String, String> reveal() {
        var all = new TreeMap<>(plain);
        secret.forEach((name, value) -> all.put(name, value.reveal()));
        return all;
    }
}
