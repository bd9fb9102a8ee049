package dev.millrace.intake;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a request is told: a status, headers, and one JSON object.
///
/// Thread ownership: the request's thread.
final class Answer {
    private static final int LONGEST = 500;

    private final int status;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private final List<String> fields = new ArrayList<>();

    Answer(int status) {
        this.status = status;
    }

    /// One that names what is wrong, and what to do.
    static Answer error(int status, String text) {
        return new Answer(status).text("error", text);
    }

    Answer header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    Answer number(String name, long value) {
        fields.add(quoted(name) + ":" + value);
        return this;
    }

    Answer text(String name, String value) {
        fields.add(quoted(name) + ":" + quoted(value));
        return this;
    }

    /// Rows that a sink refused.
    Answer rows(String name, List<Outcome.Rejected> rows) {
        var all = new ArrayList<String>();
        for (var row : rows)
            all.add("{\"line\":" + row.line() + ",\"sink\":" + quoted(row.sink()) + ",\"reason\":"
                    + quoted(row.reason()) + "}");
        fields.add(quoted(name) + ":[" + String.join(",", all) + "]");
        return this;
    }

    int status() {
        return status;
    }

    Map<String, String> headers() {
        return headers;
    }

    String body() {
        return "{" + String.join(",", fields) + "}\n";
    }

    private static String quoted(String text) {
        var out = new StringBuilder("\"");
        text.codePoints().limit(LONGEST).forEach(letter -> {
            if (letter == '"' || letter == '\\') out.append('\\').appendCodePoint(letter);
            else if (letter < ' ' || letter == 127 || Character.getType(letter) == Character.SURROGATE) out.append('?');
            else out.appendCodePoint(letter);
        });
        return out.append('"').toString();
    }
}
