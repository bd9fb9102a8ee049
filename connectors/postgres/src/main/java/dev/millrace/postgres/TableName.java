package dev.millrace.postgres;

import java.util.ArrayList;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A table as the settings name it; without a schema it is looked for on the search path.
record TableName(@Nullable Identifier schema, Identifier table) {
    private static final Pattern PART =
            Pattern.compile("\\G(?:([A-Za-z_][A-Za-z0-9_$]*)|\"((?:[^\"\\x00]|\"\")+)\")(\\.|$)");

    /// Throws `IllegalArgumentException` for anything but `name` and `schema.name`.
    static TableName parse(String text) {
        var parts = new ArrayList<Identifier>();
        var matcher = PART.matcher(text);
        var end = 0;
        while (end < text.length() && parts.size() < 2 && matcher.find()) {
            var plain = matcher.group(1);
            parts.add(new Identifier(plain != null ? plain : matcher.group(2).replace("\"\"", "\"")));
            end = matcher.end();
        }
        if (parts.isEmpty() || end != text.length() || text.endsWith("."))
            throw new IllegalArgumentException("table " + text
                    + " is neither a name nor schema.name (other characters than letters, digits, _ and $"
                    + " stand in double quotes)");
        return parts.size() == 1
                ? new TableName(null, parts.getFirst())
                : new TableName(parts.getFirst(), parts.getLast());
    }

    String quoted() {
        return schema == null ? table.quoted() : schema.quoted() + '.' + table.quoted();
    }

    @Override
    public String toString() {
        return schema == null ? table.name() : schema.name() + '.' + table.name();
    }
}
