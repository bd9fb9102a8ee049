package dev.millrace.config;

import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Headers of a request by name. None of those that say how the request itself is made, or what is in it.
/// A value may be a secret, so none is ever shown, and what a `${file:}` brings in is read again.
record HeadersType() implements ValueType<SortedMap<String, Secret>> {
    static final String NAME_RULE = "1 to 128 letters, digits and - , not one that the sink or HTTP itself owns";
    static final int LONGEST = 8192;
    static final int MOST = 50;

    static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,127}");
    private static final Pattern SECRET =
            Pattern.compile(".*(auth|cookie|session|signature).*|.*(token|secret|password|key)");

    /// In small letters.
    private static final Set<String> OWNED = Set.of(
            "connection",
            "content-encoding",
            "content-length",
            "content-type",
            "date",
            "expect",
            "host",
            "keep-alive",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "user-agent");

    /// Whether the user may name it.
    static boolean isFree(String name) {
        var lower = name.toLowerCase(Locale.ROOT);
        return NAME.matcher(name).matches() && !OWNED.contains(lower) && !lower.startsWith("millrace-");
    }

    /// Whether a token may stand in it: not where a login is looked for.
    static boolean isForTokens(String name) {
        return isFree(name) && !name.equalsIgnoreCase("Authorization") && !name.equalsIgnoreCase("Cookie");
    }

    static boolean isSecret(String name) {
        return SECRET.matcher(name.toLowerCase(Locale.ROOT)).matches();
    }

    /// By its name, or since a `${file:}` brought it: who keeps a value apart from the file has a reason.
    static boolean isSecret(String name, Secret value) {
        return isSecret(name) || value.fromFile();
    }

    /// The first of these headers that is a secret, as a person is told of it; null where none is.
    static @Nullable String firstSecret(SortedMap<String, Secret> headers) {
        return headers.entrySet().stream()
                .filter(header -> isSecret(header.getKey(), header.getValue()))
                .findFirst()
                .map(header -> "header " + header.getKey())
                .orElse(null);
    }

    @Override
    public @Nullable SortedMap<String, Secret> read(ConfigNode node, String path, boolean secret, Reading reading) {
        if (node instanceof ConfigNode.Scalar scalar && scalar.isNothing()) return Collections.emptySortedMap();
        if (!(node instanceof ConfigNode.Mapping mapping)) {
            reading.wrongKind(node, path, expected());
            return null;
        }
        if (mapping.entries().size() > MOST) {
            reading.problems().error(node.place(), path, "has more than " + MOST + " headers; leave some out");
            return null;
        }
        var all = new TreeMap<String, Secret>(String.CASE_INSENSITIVE_ORDER);
        for (var entry : mapping.entries()) {
            if (reading.problems().full()) break;
            header(entry, path, reading, all);
        }
        return all.size() == mapping.entries().size() ? all : null;
    }

    private static void header(ConfigNode.Entry entry, String path, Reading reading, SortedMap<String, Secret> all) {
        var entryPath = Walk.join(path, entry.key());
        if (!isFree(entry.key())) {
            reading.problems().error(entry.place(), entryPath, "is no header that may be added; write " + NAME_RULE);
            return;
        }
        if (all.containsKey(entry.key())) {
            reading.problems().error(entry.place(), entryPath, "stands twice, but for its capitals; keep one");
            return;
        }
        var text = reading.text(entry.value(), entryPath, isSecret(entry.key()), "a text");
        if (text == null) return;
        var place = entry.value().place();
        if (text.value().length() > LONGEST || text.value().chars().anyMatch(c -> c < ' ' || c > '~')) {
            reading.problems()
                    .error(
                            place,
                            entryPath,
                            "is not one line of at most " + LONGEST + " ASCII characters; write it so");
            return;
        }
        if (isSecret(entry.key()) && text.literal())
            reading.problems()
                    .warn(place, entryPath, "stands in the file in clear; use ${file:/run/secrets/…} or ${VAR}");
        all.put(entry.key(), SecretType.secret(text, reading));
    }

    @Override
    public String expected() {
        return "headers by name, such as { X-Source: kafka }";
    }
}
