package dev.millrace.postgres;

import java.nio.charset.StandardCharsets;

/// A name in the database, as the catalog has it.
///
/// Invariant: 1 to 63 bytes without NUL, so that quoting it is safe and the server does not cut it.
record Identifier(String name) {
    private static final int MOST_BYTES = 63;

    Identifier {
        if (name.isEmpty() || name.indexOf('\0') >= 0)
            throw new IllegalArgumentException("a name in the database is empty or holds a NUL");
        if (name.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES)
            throw new IllegalArgumentException("the name " + name + " is longer than " + MOST_BYTES + " bytes");
    }

    /// As SQL text, always in quotes.
    String quoted() {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
