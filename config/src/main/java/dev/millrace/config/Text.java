package dev.millrace.config;

import java.util.List;

/// A scalar after interpolation, and how a message may quote it.
///
/// Invariant: `toString` shows only what stands in the file itself, never what a variable or a file brought in,
/// and `***` for a secret. `brought` names what was brought in.
record Text(String value, String source, List<Brought> brought, boolean secret) {
    Text {
        brought = List.copyOf(brought);
    }

    static Text literal(String value) {
        return new Text(value, value, List.of(), false);
    }

    /// Whether nothing was brought in.
    boolean literal() {
        return brought.isEmpty();
    }

    /// Whether a `${file:}` was brought in.
    boolean fromFile() {
        return brought.stream().anyMatch(Brought.SecretFile.class::isInstance);
    }

    /// Quoted for a message.
    @Override
    public String toString() {
        if (secret) return "***";
        return '"' + printable(source, 80) + '"';
    }

    /// At most so many characters, with control and direction characters escaped, so that a file can't write lines of
    /// its own into a log.
    static String printable(String text, int most) {
        var shown = new StringBuilder();
        for (int i = 0; i < text.length() && shown.length() < most; ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            var type = Character.getType(c);
            if (type == Character.CONTROL
                    || type == Character.FORMAT
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR
                    || type == Character.SURROGATE) {
                shown.append("\\u%04x".formatted(c));
            } else {
                shown.appendCodePoint(c);
            }
            if (shown.length() >= most && i < text.length()) shown.append('…');
        }
        return shown.toString();
    }
}
