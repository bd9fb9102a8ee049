package dev.millrace.postgres;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads COPY's text format and array literals as the server does, by its documentation.
final class FuzzedCopy {
    private FuzzedCopy() {}

    /// The values of one row, null for null. Throws for what the server does not take.
    static List<@Nullable String> row(byte[] line) {
        var text = utf8(line);
        if (!text.endsWith("\n")) throw new AssertionError("a row without an end: " + text);
        var body = text.substring(0, text.length() - 1);
        if (body.indexOf('\n') >= 0 || body.indexOf('\r') >= 0) throw new AssertionError("two lines: " + text);
        if (body.equals("\\.")) throw new AssertionError("the end of the data");
        var values = new ArrayList<@Nullable String>();
        for (var field : body.split("\t", -1)) values.add(field.equals("\\N") ? null : plain(field));
        return values;
    }

    private static String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException bad) {
            throw new AssertionError("a row that is not UTF-8", bad);
        }
    }

    private static String plain(String field) {
        var plain = new StringBuilder();
        for (var at = 0; at < field.length(); at++) {
            var c = field.charAt(at);
            if (c == 0) throw new AssertionError("a NUL in " + field);
            if (c != '\\') {
                plain.append(c);
                continue;
            }
            if (++at == field.length()) throw new AssertionError("a backslash at the end of " + field);
            switch (field.charAt(at)) {
                case 'b' -> plain.append('\b');
                case 'f' -> plain.append('\f');
                case 'n' -> plain.append('\n');
                case 'r' -> plain.append('\r');
                case 't' -> plain.append('\t');
                case 'v' -> plain.append('\u000b');
                // A byte by its number: nothing of ours is spelled so.
                case 'x', '0', '1', '2', '3', '4', '5', '6', '7' -> throw new AssertionError("a number in " + field);
                default -> plain.append(field.charAt(at));
            }
        }
        return plain.toString();
    }

    /// The elements of an array of one dimension, null for null.
    static List<@Nullable String> elements(String literal) {
        if (!literal.startsWith("{") || !literal.endsWith("}")) throw new AssertionError("no array: " + literal);
        var elements = new ArrayList<@Nullable String>();
        var at = 1;
        if (literal.length() == 2) return elements;
        while (true) {
            var element = new StringBuilder();
            var quoted = literal.charAt(at) == '"';
            if (quoted) {
                for (at++; literal.charAt(at) != '"'; at++) {
                    if (literal.charAt(at) == '\\') at++;
                    element.append(literal.charAt(at));
                }
                at++;
            } else {
                for (; literal.charAt(at) != ',' && literal.charAt(at) != '}'; at++) {
                    if ("{\"\\ \n\r\t".indexOf(literal.charAt(at)) >= 0)
                        throw new AssertionError("an element that needs quotes in " + literal);
                    element.append(literal.charAt(at));
                }
                if (element.isEmpty()) throw new AssertionError("an empty element in " + literal);
            }
            elements.add(!quoted && element.toString().equalsIgnoreCase("NULL") ? null : element.toString());
            if (at == literal.length() - 1) return elements;
            if (literal.charAt(at++) != ',') throw new AssertionError("no comma in " + literal);
        }
    }
}
