package dev.millrace.cli;

import org.jspecify.annotations.Nullable;

/// One JSON object on one line.
final class JsonLine {
    private final StringBuilder out = new StringBuilder("{");

    JsonLine add(String name, @Nullable String value) {
        name(name);
        if (value == null) out.append("null");
        else string(value);
        return this;
    }

    JsonLine add(String name, long value) {
        name(name);
        out.append(value);
        return this;
    }

    JsonLine add(String name, boolean value) {
        name(name);
        out.append(value);
        return this;
    }

    private void name(String name) {
        if (out.length() > 1) out.append(',');
        string(name);
        out.append(':');
    }

    private void string(String text) {
        out.append('"');
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') out.append('\\').append((char) c);
            else if (c < 0x20 || c >= 0x7f) out.append("\\u%04x".formatted(c));
            else out.append((char) c);
        });
        out.append('"');
    }

    @Override
    public String toString() {
        return out + "}";
    }
}
