package dev.millrace.config;

/// Indented lines, each with a comment behind it in one column.
///
/// Thread ownership: the thread that writes it.
final class Outline {
    private static final int COMMENT_COLUMN = 56;

    private final StringBuilder text = new StringBuilder();

    void line(int depth, String content) {
        text.repeat("  ", depth).append(content).append('\n');
    }

    /// A line that is too long for the column has its comment right behind it.
    void line(int depth, String content, String comment) {
        int padding = Math.max(2, COMMENT_COLUMN - 2 * depth - content.length());
        line(depth, content + " ".repeat(padding) + "# " + comment);
    }

    String text() {
        return text.toString();
    }
}
