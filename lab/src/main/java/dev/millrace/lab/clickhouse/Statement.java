package dev.millrace.lab.clickhouse;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/// A statement as the engine wants it: an insert apart from its format and from the rows that stand in its text.
///
/// @param sql without `FORMAT` if rows follow
/// @param format of the rows, or of the answer unless the statement names one
/// @param rows whether it takes rows from the body
/// @param inline rows that stood in the text itself, as Latin-1, one character a byte
record Statement(String sql, String format, boolean rows, String inline) {
    static final String DEFAULT_FORMAT = "TabSeparated";

    private static final Pattern INSERT = Pattern.compile("(?is)\\s*INSERT\\s+INTO\\b.*");
    private static final Pattern FORMAT =
            Pattern.compile("(?is)(?<head>.*?)\\bFORMAT\\s+(?<format>\\w+)[ \\t]*(?:;\\s*$|\\r?\\n|\\s|$)(?<rows>.*)");
    private static final Pattern VALUES = Pattern.compile("(?is)(?<head>.*?)\\bVALUES\\b(?<rows>.*)");
    private static final Pattern SELECT = Pattern.compile("(?is).*\\b(SELECT|WITH)\\b.*");
    private static final Pattern LAST_FORMAT = Pattern.compile("(?is).*\\bFORMAT\\s+(?<format>\\w+)\\s*;?\\s*");

    /// Reads the text of a statement.
    ///
    /// @param text as Latin-1, one character a byte, since rows may follow in any format
    /// @param defaultFormat what the client names for statements that name none, or empty
    static Statement of(String text, String defaultFormat) {
        if (!INSERT.matcher(text).matches()) return query(text, defaultFormat);
        var format = FORMAT.matcher(text);
        if (format.matches()) {
            if (SELECT.matcher(format.group("head")).matches()) return query(text, defaultFormat);
            return new Statement(utf8(format.group("head")), format.group("format"), true, format.group("rows"));
        }
        var values = VALUES.matcher(text);
        if (values.matches()) return new Statement(utf8(values.group("head")), "Values", true, values.group("rows"));
        if (SELECT.matcher(text).matches()) return query(text, defaultFormat);
        return new Statement(utf8(text), defaultFormat.isEmpty() ? "Values" : defaultFormat, true, "");
    }

    private static Statement query(String text, String defaultFormat) {
        return new Statement(utf8(text), defaultFormat.isEmpty() ? DEFAULT_FORMAT : defaultFormat, false, "");
    }

    /// The format of its answer.
    String answerFormat() {
        var named = LAST_FORMAT.matcher(sql);
        return !rows && named.matches() ? named.group("format") : format;
    }

    private static String utf8(String latin) {
        return new String(latin.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
