package dev.millrace.config;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Client settings by name, each checked against [KafkaClientKeys]. Secret is what is so by its name, or came from a
/// file.
record KafkaPropertiesType() implements ValueType<KafkaProperties> {
    private static final int LONGEST = 64 << 10;

    @Override
    public @Nullable KafkaProperties read(ConfigNode node, String path, boolean secret, Reading reading) {
        if (node instanceof ConfigNode.Scalar scalar && scalar.isNothing()) return KafkaProperties.NONE;
        if (!(node instanceof ConfigNode.Mapping mapping)) {
            reading.wrongKind(node, path, expected());
            return null;
        }
        Map<String, String> plain = new HashMap<>();
        Map<String, Secret> secrets = new HashMap<>();
        for (var entry : mapping.entries()) {
            if (reading.problems().full()) break;
            var entryPath = Walk.join(path, entry.key());
            var refusal = KafkaClientKeys.refusal(entry.key());
            if (refusal != null) {
                reading.problems().error(entry.place(), entryPath, refusal);
                continue;
            }
            boolean isSecret = KafkaClientKeys.isSecret(entry.key());
            var text = reading.text(entry.value(), entryPath, isSecret, "a text");
            if (text == null || !check(entry, text, entryPath, reading.problems())) continue;
            if (isSecret || text.fromFile()) secrets.put(entry.key(), Secret.of(text.value()));
            else plain.put(entry.key(), text.value());
        }
        return plain.size() + secrets.size() == mapping.entries().size() ? new KafkaProperties(plain, secrets) : null;
    }

    private static boolean check(ConfigNode.Entry entry, Text text, String path, Problems problems) {
        var place = entry.value().place();
        var refused = KafkaClientKeys.refusedValue(entry.key(), text.value());
        if (refused == null && text.value().length() > LONGEST) refused = "is longer than 65536 characters; shorten it";
        if (refused != null) {
            problems.error(place, path, refused);
            return false;
        }
        if (text.secret() && text.literal()) {
            problems.warn(place, path, "stands in the file in clear; use ${file:/run/secrets/…} or ${VAR}");
        }
        if (entry.key().equals("ssl.endpoint.identification.algorithm")
                && text.value().isBlank()) {
            problems.warn(place, path, "switches the check of the brokers' host names off; leave it out to check them");
        }
        return true;
    }

    @Override
    public String expected() {
        return "kafka-clients consumer settings by name, such as { client.rack: eu-1 }";
    }
}
