package dev.millrace.sinkpool;

/// Why an attempt did not succeed, bounded and redacted at the sink's edge.
///
/// `code` is a stable word of ours or the server's number; `message` is at most 1 KiB and holds no payload and
/// no secret. `mayHaveStored` is true unless the sink said, or the socket proves, that nothing was stored.
public record Failure(String code, String message, boolean mayHaveStored) {
    private static final int MESSAGE_LIMIT = 1024;
    private static final int CODE_LIMIT = 64;
    private static final int ELLIPSIS_BYTES = 3;

    /// Cuts the message at 1 KiB of UTF-8 and the code at 64 bytes, and replaces control characters, so that a server's
    /// text can forge no log line.
    public Failure {
        message = printable(cut(message, MESSAGE_LIMIT));
        code = printable(cut(code, CODE_LIMIT));
    }

    /// The text, or as many of its whole letters as fit with an ellipsis.
    private static String cut(String text, int limit) {
        if (text.length() * 3L <= limit) return text;
        var bytes = 0;
        var fits = 0;
        for (var at = 0; at < text.length(); ) {
            var letter = text.codePointAt(at);
            bytes += letter < 0x80 ? 1 : letter < 0x800 ? 2 : letter < 0x10000 ? 3 : 4;
            if (bytes > limit) return text.substring(0, fits) + "…";
            at += Character.charCount(letter);
            if (bytes <= limit - ELLIPSIS_BYTES) fits = at;
        }
        return text;
    }

    private static String printable(String text) {
        for (var i = 0; i < text.length(); i++) {
            if (!prints(text.charAt(i))) return replaced(text);
        }
        return text;
    }

    private static String replaced(String text) {
        var out = new StringBuilder(text.length());
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            out.append(prints(c) ? c : c == '\n' || c == '\t' ? ' ' : '?');
        }
        return out.toString();
    }

    /// Controls, line breaks of any kind, and the marks that turn the direction of text, do not print.
    private static boolean prints(char c) {
        return !Character.isISOControl(c)
                && (c < '\u2028' || c > '\u202e')
                && (c < '\u2066' || c > '\u2069')
                && c != '\u200e'
                && c != '\u200f'
                && c != '\u061c';
    }

    @Override
    public String toString() {
        return code + ": " + message;
    }
}
