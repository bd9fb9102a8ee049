package dev.millrace.lab.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What stands behind the replicas of one shard: it keeps rows, and knows each token that it took rows under,
/// so that a repeat adds none. As a receiver of the sink's has to.
///
/// Thread ownership: any thread.
public final class RowStore implements HttpFront.Turn {
    private final Map<String, Integer> tokens = new HashMap<>();
    private final List<String> rows = new ArrayList<>();
    private final String poison;
    private int repeats;
    private int refusals;

    /// A row that holds this is refused, and so is whatever it comes with; none for an empty text.
    public RowStore(String poison) {
        this.poison = poison;
    }

    /// Takes what was sent, and answers.
    @Override
    public void take(HttpLine line) throws IOException {
        answer(line, keep(line.read()));
    }

    /// Takes what was sent, and breaks the line instead of an answer.
    public HttpFront.Turn losingTheAnswer() {
        return line -> {
            keep(line.read());
            line.reset();
        };
    }

    /// What is said of it.
    public void answer(HttpLine line, boolean kept) throws IOException {
        if (kept) line.answer("200 OK", "", "");
        else line.answer("422 Unprocessable Content", "Millrace-Reason: a row is not liked\r\n", "");
    }

    /// Whether the rows are stored now, if not before.
    public synchronized boolean keep(HttpLine.Request request) {
        var lines = request.text().lines().toList();
        var count = Integer.parseInt(String.valueOf(request.header("Millrace-Rows")));
        if (count != lines.size()) throw new AssertionError(count + " rows were said, and " + lines.size() + " came");
        var token = String.valueOf(request.header("Idempotency-Key"));
        var before = tokens.get(token);
        if (before != null) {
            if (before != lines.hashCode()) throw new AssertionError("other rows under the token " + token);
            repeats++;
            return true;
        }
        if (!poison.isEmpty() && lines.stream().anyMatch(row -> row.contains(poison))) {
            refusals++;
            return false;
        }
        tokens.put(token, lines.hashCode());
        rows.addAll(lines);
        return true;
    }

    public synchronized List<String> rows() {
        return List.copyOf(rows);
    }

    /// Requests that added nothing, since their token was known.
    public synchronized int repeats() {
        return repeats;
    }

    public synchronized int refusals() {
        return refusals;
    }
}
