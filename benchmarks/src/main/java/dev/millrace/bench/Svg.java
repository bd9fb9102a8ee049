package dev.millrace.bench;

import java.util.Locale;

/// A picture as text, of rectangles, lines and words, that needs nothing from anywhere else. It paints its own
/// ground, dark where the reader's screen is.
///
/// A style is one of [#GROUND], [#MUTED], [#PLAIN], [#BAR], [#REFERENCE], [#SPREAD] and [#GRID].
///
/// Thread ownership: the thread that draws it.
final class Svg {
    static final String GROUND = "ground";
    static final String PLAIN = "plain";
    static final String MUTED = "muted";
    static final String BAR = "bar";
    static final String REFERENCE = "reference";
    static final String SPREAD = "spread";
    static final String GRID = "grid";

    private static final String STYLE = """
            <style>
            text { font-family: system-ui, sans-serif; font-size: 13px; }
            .ground { fill: #ffffff; }
            .plain { fill: #1f2328; }
            .muted { fill: #59636e; }
            .bar { fill: #2f6fd0; }
            .reference { fill: #8c959f; }
            .spread { stroke: #1f2328; stroke-width: 1.5; }
            .grid { stroke: #d1d9e0; stroke-width: 1; }
            @media (prefers-color-scheme: dark) {
            .ground { fill: #0d1117; }
            .plain { fill: #f0f6fc; }
            .muted { fill: #9198a1; }
            .bar { fill: #4c8eed; }
            .reference { fill: #656c76; }
            .spread { stroke: #f0f6fc; }
            .grid { stroke: #3d444d; }
            }
            </style>
            """;

    private final StringBuilder out = new StringBuilder();

    /// `title` is what a reader hears first, `description` what the picture shows.
    Svg(int width, int height, String title, String description) {
        out.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1$d\" height=\"%2$d\" viewBox=\"0 0 %1$d %2$d\""
                        + " role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">%3$s</title>\n"
                        + "<desc id=\"desc\">%4$s</desc>\n",
                width,
                height,
                escaped(title),
                escaped(description)));
        out.append(STYLE);
        rectangle(GROUND, 0, 0, width, height);
    }

    void rectangle(String style, double x, double y, double width, double height) {
        out.append(String.format(
                Locale.ROOT,
                "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                style,
                x,
                y,
                width,
                height));
    }

    void line(String style, double x1, double y1, double x2, double y2) {
        out.append(String.format(
                Locale.ROOT,
                "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                style,
                x1,
                y1,
                x2,
                y2));
    }

    /// `anchor` is `start`, `middle` or `end`: which part of the words is at `x`.
    void words(String style, String anchor, double x, double y, String words) {
        out.append(String.format(
                Locale.ROOT,
                "<text class=\"%s\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                style,
                anchor,
                x,
                y,
                escaped(words)));
    }

    /// The whole picture so far.
    String text() {
        return out + "</svg>\n";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
