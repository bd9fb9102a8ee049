package dev.millrace.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A text with a form of its own, such as a name or an address. `reader` answers null for what has another form;
/// `form` is what a pattern can say of it, null for nothing.
record WordType<T>(String what, String rule, @Nullable Pattern form, Function<String, @Nullable T> reader)
        implements ScalarType<T> {
    static final int LONGEST = 4096;

    private static final Pattern ABSOLUTE = Pattern.compile("/.*");
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}");

    WordType(String what, String rule, Function<String, @Nullable T> reader) {
        this(what, rule, null, reader);
    }

    private static WordType<String> of(String what, String rule, @Nullable Pattern form, Predicate<String> holds) {
        return new WordType<>(what, rule, form, text -> holds.test(text) ? text : null);
    }

    static WordType<String> name() {
        return of("a name", Names.NAME_RULE, Names.NAME, Names::isName);
    }

    static WordType<String> topic() {
        return of("a topic's name", Names.TOPIC_RULE, Names.TOPIC, Names::isTopic);
    }

    static WordType<String> identifier(String what) {
        return of(what, Names.IDENTIFIER_RULE, Names.IDENTIFIER, Names::isIdentifier);
    }

    /// Any text of one line.
    static WordType<String> line(String what) {
        return of(what, "1 to 255 characters on one line", null, text -> text.length() <= 255 && isLine(text));
    }

    /// What a machine is called, without a port.
    static WordType<String> host() {
        return of(
                "a host's name",
                "a host's name, such as millrace.example.net",
                HOST,
                text -> HOST.matcher(text).matches());
    }

    static WordType<Path> absolutePath(String what) {
        return absolutePath(what, "/etc/ssl/ca.pem");
    }

    static WordType<Path> absolutePath(String what, String example) {
        return new WordType<>(what, "an absolute path, such as " + example, ABSOLUTE, text -> {
            var path = path(text);
            return path != null && path.isAbsolute() ? path : null;
        });
    }

    /// A comma-separated list of brokers.
    static WordType<List<HostPort>> brokers() {
        return new WordType<>(
                "host:port", "host:port, several with commas, such as kafka-a:9092,kafka-b:9092", text -> {
                    var all = new ArrayList<HostPort>();
                    for (var one : text.split(",", -1)) {
                        var broker = HostPort.parse(one.strip());
                        if (broker == null || broker.port() == 0) return null;
                        all.add(broker);
                    }
                    return all;
                });
    }

    /// Null for what no path can be.
    static @Nullable Path path(String text) {
        try {
            return isLine(text) ? Path.of(text) : null;
        } catch (InvalidPathException _) {
            return null;
        }
    }

    private static boolean isLine(String text) {
        return !text.isBlank() && text.chars().noneMatch(c -> c < ' ' || c == 127 || c == 0x85 || c == 0x2028);
    }

    @Override
    public Parsed<T> parse(Text text) {
        var value = text.value().length() <= LONGEST ? reader.apply(text.value()) : null;
        return value == null ? Parsed.bad(text + " is not " + what + "; write " + rule) : Parsed.good(value);
    }

    @Override
    public String expected() {
        return rule;
    }
}
