package dev.millrace.cli;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
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

    /// To three digits behind the point.
    JsonLine add(String name, double value) {
        name(name);
        out.append(BigDecimal.valueOf(value)
                .setScale(3, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString());
        return this;
    }

    JsonLine add(String name, boolean value) {
        name(name);
        out.append(value);
        return this;
    }

    /// Null for a number that there is none of.
    JsonLine add(String name, @Nullable Long value) {
        name(name);
        out.append(value == null ? "null" : value.toString());
        return this;
    }

    JsonLine add(String name, List<String> values) {
        name(name);
        out.append('[');
        for (var i = 0; i < values.size(); i++) {
            if (i > 0) out.append(',');
            string(values.get(i));
        }
        out.append(']');
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
