package dev.millrace.sinkpool;

/// Why an attempt did not succeed, bounded and redacted at the sink's edge.
///
/// `code` is a stable word of ours or the server's number; `message` is at most 1 KiB and holds no payload and no
/// secret. `mayHaveStored`
/// is true unless the sink said, or the socket proves, that nothing was stored.
public record Failure(String code, String message, boolean mayHaveStored) {
    private static final int MESSAGE_LIMIT = 1024;

    /// Cuts the message at 1 KiB, and replaces control characters, so that a server's text can forge no log line.
    public Failure {
        if (message.length() > MESSAGE_LIMIT) message = message.substring(0, MESSAGE_LIMIT - 1) + "…";
        message = printable(message);
        code = printable(code);
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

    /// Controls, and the marks that turn the direction of text, do not print.
    private static boolean prints(char c) {
        return !Character.isISOControl(c) && (c < '\u202a' || c > '\u202e') && (c < '\u2066' || c > '\u2069');
    }

    @Override
    public String toString() {
        return code + ": " + message;
    }
}
