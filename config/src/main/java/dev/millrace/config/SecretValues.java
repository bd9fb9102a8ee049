package dev.millrace.config;

import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// All texts of a file that must never be shown, so that whoever prints can look for them.
///
/// They are found by their type, wherever they stand, so a setting that is added is not forgotten here.
public final class SecretValues {
    /// An option of a login module: its name, and its value in quotes or without.
    private static final Pattern OPTION =
            Pattern.compile("(\\w+)\\s*=\\s*(?:\"((?:[^\"\\\\]|\\\\.)+)\"|'((?:[^'\\\\]|\\\\.)+)'|([^\\s;\"']+))");

    /// Options that are no secrets, and may be words of any text.
    private static final Set<String> NAMES =
            Set.of("username", "user", "principal", "serviceName", "keyTab", "useKeyTab", "storeKey", "scope");

    private final Set<String> found = new LinkedHashSet<>();

    private SecretValues() {}

    /// In clear; never log or keep what this returns but to take it out of other texts.
    public static Set<String> of(PipelineConfig config) {
        var values = new SecretValues();
        values.look(config);
        return values.found;
    }

    private void look(@Nullable Object value) {
        switch (value) {
            case null -> {}
            case Secret secret -> add(secret.reveal());
            case Collection<?> all -> all.forEach(this::look);
            case HttpConfig http -> {
                http.headers().forEach((name, text) -> {
                    if (HeadersType.isSecret(name, text)) look(text);
                });
                look(http.password());
                look(http.bearerToken());
                look(http.tls());
            }
            case MetricsConfig metrics ->
                metrics.headers().forEach((name, text) -> {
                    if (HeadersType.isSecret(name, text)) look(text);
                });
            case Map<?, ?> map -> map.values().forEach(this::look);
            case Record record -> {
                for (var component : record.getClass().getRecordComponents()) look(part(record, component));
            }
            default -> {}
        }
    }

    /// Of a login module's line its options as well: a client may tell one of these alone.
    private void add(String text) {
        found.add(text);
        OPTION.matcher(text).results().forEach(option -> {
            if (NAMES.contains(option.group(1))) return;
            for (var group = 2; group <= option.groupCount(); group++) {
                var value = option.group(group);
                if (value != null) found.add(value);
            }
        });
    }

    private static @Nullable Object part(Record record, RecordComponent component) {
        try {
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(component + " cannot be read", impossible);
        }
    }
}
