package dev.millrace.config;

import java.util.Comparator;

/// One thing that is wrong in a file, or a warning about it: where, under which key, and what to do.
///
/// `line` and `column` count from 1; 0 stands for the whole file. `path` is the dotted key, empty where there is none.
/// Invariant: no secret is in it.
public record Problem(String file, int line, int column, String path, String message) {

    /// By place, then by key.
    static final Comparator<Problem> BY_PLACE = Comparator.comparingInt(Problem::line)
            .thenComparingInt(Problem::column)
            .thenComparing(Problem::path)
            .thenComparing(Problem::message);

    /// One line: `pipeline.yaml:12:7 sinks.warehouse.batch.max_rowz: unknown key; did you mean max_rows?`
    public String text() {
        var place = line == 0 ? file : file + ":" + line + ":" + column;
        return path.isEmpty() ? place + ": " + message : place + " " + path + ": " + message;
    }

    @Override
    public String toString() {
        return text();
    }
}
