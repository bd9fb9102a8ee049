package dev.millrace.config;

import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/// Writes a text so that reading the line gives the same text again: quoted where YAML or interpolation would take it
/// for something else.
final class YamlScalar {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./](?:[A-Za-z0-9_./@%+:-]*[A-Za-z0-9_./@%+-])?");

    private YamlScalar() {}

    static String of(String text) {
        boolean plain = PLAIN.matcher(text).matches() && !text.equalsIgnoreCase("null");
        return plain ? text : quoted(text.contains("${") || text.contains("$$") ? text.replace("$", "$$") : text);
    }

    private static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (isShown(c)) quoted.appendCodePoint(c);
                    else quoted.append((c > 0xFFFF ? "\\U%08x" : "\\u%04x").formatted(c));
                }
            }
        });
        return quoted.append('"').toString();
    }

    /// Direction and line characters are not: a value may not dress a line up as another.
    private static boolean isShown(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            default -> StreamReader.isPrintable(c);
        };
    }
}
