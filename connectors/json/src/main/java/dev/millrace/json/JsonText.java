package dev.millrace.json;

/// The bytes of a JSON document whose grammar and encoding have been checked: where one thing ends
/// and the next begins.
public final class JsonText {
    private JsonText() {}

    /// One past the value that begins at `at`.
    public static int end(byte[] source, int at) {
        return switch (source[at]) {
            case '"' -> JsonString.end(source, at);
            case '{', '[' -> endOfNest(source, at);
            case 't', 'n' -> at + "true".length();
            case 'f' -> at + "false".length();
            default -> JsonNumber.end(source, at);
        };
    }

    private static int endOfNest(byte[] source, int at) {
        var depth = 0;
        var next = at;
        do {
            switch (source[next]) {
                case '"' -> next = JsonString.end(source, next) - 1;
                case '{', '[' -> depth++;
                case '}', ']' -> depth--;
                default -> {}
            }
            next++;
        } while (depth > 0);
        return next;
    }

    /// The first byte from `at` on that is no white space.
    public static int afterBlank(byte[] source, int at) {
        var next = at;
        while (blank(source[next])) next++;
        return next;
    }

    /// What follows an element or a member that ends at `at`: the next one, or what closes all.
    public static int next(byte[] source, int at) {
        var next = afterBlank(source, at);
        return source[next] == ',' ? afterBlank(source, next + 1) : next;
    }

    /// The value of the member whose name begins at `at`.
    public static int value(byte[] source, int at) {
        var colon = afterBlank(source, JsonString.end(source, at));
        return afterBlank(source, colon + 1);
    }

    static boolean blank(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }
}
