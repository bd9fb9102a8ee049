package dev.millrace.clickhouse;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A column's type as the server spells it, taken apart: a name, and what stands in its brackets.
record TypeTree(String name, List<Part> parts) {
    TypeTree {
        parts = List.copyOf(parts);
    }

    /// One thing between brackets: a type, a word in quotes, a number, or a name with one of these behind
    /// it. What is not there is null; of a name, the label is it.
    record Part(
            @Nullable String label,
            @Nullable TypeTree type,
            @Nullable String number) {}

    /// Null for what is spelled in no way that is known here.
    static @Nullable TypeTree of(String text) {
        var reader = new Reader(text);
        var type = reader.type();
        return type != null && reader.ended() ? type : null;
    }

    /// The type of its part at `index`; null where it has none, or where that is no type.
    @Nullable
    TypeTree type(int index) {
        return index >= 0 && index < parts.size() ? parts.get(index).type() : null;
    }

    /// The number of its part at `index`, `otherwise` where there is none.
    int number(int index, int otherwise) {
        var number = index < parts.size() ? parts.get(index).number() : null;
        return number == null ? otherwise : Integer.parseInt(number);
    }

    /// The word in quotes of its part at `index`; null where there is none.
    @Nullable
    String word(int index) {
        return index < parts.size() ? parts.get(index).label() : null;
    }

    /// What the letter behind a backslash stands for, as the server escapes.
    static char escaped(char c) {
        return switch (c) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case '0' -> '\0';
            default -> c;
        };
    }

    private static final class Reader {
        /// JSON is not nested deeper either.
        private static final int DEEPEST = 64;

        private final String text;
        private int at;
        private int depth;

        Reader(String text) {
            this.text = text;
        }

        boolean ended() {
            return at == text.length();
        }

        @Nullable
        TypeTree type() {
            var name = name();
            return name.isEmpty() ? null : type(name);
        }

        private @Nullable TypeTree type(String name) {
            var parts = new ArrayList<Part>();
            if (!eat('(')) return new TypeTree(name, parts);
            if (++depth > DEEPEST) return null;
            do {
                var part = part();
                if (part == null) return null;
                parts.add(part);
            } while (eat(','));
            depth--;
            return eat(')') ? new TypeTree(name, parts) : null;
        }

        private @Nullable Part part() {
            blanks();
            if (ahead('\'')) return labelled(quoted('\''));
            if (ahead('`')) {
                var label = quoted('`');
                var type = type();
                return label == null || type == null ? null : new Part(label, type, null);
            }
            if (number(0)) {
                var number = number();
                return number.isEmpty() ? null : new Part(null, null, number);
            }
            var name = name();
            if (name.isEmpty()) return null;
            blanks();
            if (ahead('=')) return labelled(name);
            if (ahead('(') || ahead(',') || ahead(')')) {
                var type = type(name);
                return type == null ? null : new Part(null, type, null);
            }
            var type = type();
            return type == null ? null : new Part(name, type, null);
        }

        /// A word, and the number behind its equals sign.
        private @Nullable Part labelled(@Nullable String label) {
            if (label == null) return null;
            if (!eat('=')) return new Part(label, null, null);
            blanks();
            var number = number();
            return number.isEmpty() ? null : new Part(label, null, number);
        }

        private String name() {
            blanks();
            var from = at;
            while (at < text.length()
                    && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_' || text.charAt(at) == '.'))
                at++;
            return text.substring(from, at);
        }

        private boolean number(int ahead) {
            var c = at + ahead < text.length() ? text.charAt(at + ahead) : ' ';
            return (c >= '0' && c <= '9') || (c == '-' && ahead == 0 && number(1));
        }

        private String number() {
            var from = at;
            if (ahead('-')) at++;
            var first = at;
            while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') at++;
            return at == first || at - from > 9 ? "" : text.substring(from, at);
        }

        /// Between quotes, with backslashes as escapes; null where it does not end.
        private @Nullable String quoted(char quote) {
            var word = new StringBuilder();
            for (at++; at < text.length(); at++) {
                var c = text.charAt(at);
                if (c == quote) {
                    at++;
                    return word.toString();
                }
                if (c != '\\') word.append(c);
                else if (++at < text.length()) word.append(escaped(text.charAt(at)));
            }
            return null;
        }

        private boolean ahead(char c) {
            return at < text.length() && text.charAt(at) == c;
        }

        private boolean eat(char c) {
            blanks();
            if (!ahead(c)) return false;
            at++;
            return true;
        }

        private void blanks() {
            while (ahead(' ') || ahead('\n')) at++;
        }
    }
}
