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

    /// The names of those that are secrets. The values of others may be words of any text.
    private static final Pattern SECRET_OPTION =
            Pattern.compile("(?i).*(pass|password|passwd|passphrase|pwd|secret|token|key|credentials?|assertion)");

    /// `storeKey` and `tokenauth` are answered so, and no secret is.
    private static final Set<String> ANSWERS = Set.of("true", "false");

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
            if (!SECRET_OPTION.matcher(option.group(1)).matches()) return;
            for (var group = 2; group <= option.groupCount(); group++) {
                var value = option.group(group);
                if (value != null && !ANSWERS.contains(value)) found.add(value);
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
