package dev.millrace.config;

import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;

/// A line and a column in the file, counted from 1 in characters. [#WHOLE_FILE] is no place in particular.
record Place(int line, int column) {
    static final Place WHOLE_FILE = new Place(0, 0);
    static final Place START = new Place(1, 1);

    static Place of(Optional<Mark> mark) {
        return mark.map(m -> new Place(m.getLine() + 1, m.getColumn() + 1)).orElse(START);
    }

    /// Where the first `length` chars of the text end; CR, LF and CRLF each end a line.
    static Place after(CharSequence text, int length) {
        int line = 1;
        int column = 1;
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            boolean returned = c == '\n' && i > 0 && text.charAt(i - 1) == '\r';
            if (returned) continue;
            if (c == '\n' || c == '\r') {
                line++;
                column = 1;
            } else if (!Character.isLowSurrogate(c)) {
                column++;
            }
        }
        return new Place(line, column);
    }

    @Override
    public String toString() {
        return line + ":" + column;
    }
}
