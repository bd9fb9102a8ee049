package dev.millrace.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// The inputs of one target that are kept, in one file: each on a line behind `> `, as ASCII, with `\n`, `\t`, `\r`,
/// `\\` and `\x00` for what is none. Other lines are for people.
///
/// Above the line [#FOUND] stand those that somebody wrote: seeds, and faults that were mended. Below it stand those
/// that a fuzzer found, which [#found] replaces.
public final class Corpus {
    static final String FOUND = "# Found by fuzzing: each reached code that none above it did.";

    private static final String MARK = "> ";
    private static final String EMPTY = ">";
    private static final int FIRST_PRINTED = 0x20;
    private static final int LAST_PRINTED = 0x7e;

    private final Path file;
    private final List<String> written;
    private final List<String> found;

    private Corpus(Path file, List<String> written, List<String> found) {
        this.file = file;
        this.written = written;
        this.found = found;
    }

    public static Corpus of(Path file) {
        try {
            var lines = Files.readAllLines(file, StandardCharsets.US_ASCII);
            var border = lines.indexOf(FOUND);
            return border < 0
                    ? new Corpus(file, lines, List.of())
                    : new Corpus(file, lines.subList(0, border), lines.subList(border + 1, lines.size()));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    Path file() {
        return file;
    }

    /// Those that somebody wrote.
    public List<byte[]> written() {
        return inputs(written);
    }

    /// All of them.
    public List<byte[]> all() {
        var all = new ArrayList<>(inputs(written));
        all.addAll(inputs(found));
        return all;
    }

    private static List<byte[]> inputs(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith(MARK) || line.equals(EMPTY))
                .map(line -> line.equals(EMPTY) ? new byte[0] : bytes(line.substring(MARK.length())))
                .toList();
    }

    /// Writes the file anew, with these as what a fuzzer found, the shortest first.
    void found(List<byte[]> inputs) throws IOException {
        var lines = new ArrayList<>(written);
        lines.add(FOUND);
        Set<String> before = new LinkedHashSet<>(written);
        inputs.stream()
                .map(Corpus::line)
                .distinct()
                .filter(line -> !before.contains(line))
                .sorted(Comparator.comparingInt(String::length).thenComparing(line -> line))
                .forEach(lines::add);
        Files.write(file, lines, StandardCharsets.US_ASCII);
    }

    /// An input as it stands in the file.
    static String line(byte[] input) {
        if (input.length == 0) return EMPTY;
        var line = new StringBuilder(MARK);
        for (var i = 0; i < input.length; i++) {
            var b = input[i] & 0xFF;
            // An editor may take blanks away at the end of a line.
            var blankAtEnd = b == ' ' && i == input.length - 1;
            switch (b) {
                case '\\' -> line.append("\\\\");
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                default -> {
                    if (b >= FIRST_PRINTED && b <= LAST_PRINTED && !blankAtEnd) line.append((char) b);
                    else line.append("\\x%02x".formatted(b));
                }
            }
        }
        return line.toString();
    }

    private static byte[] bytes(String text) {
        var bytes = new ByteArrayOutputStream(text.length());
        for (var at = 0; at < text.length(); at++) {
            var c = text.charAt(at);
            if (c != '\\') {
                bytes.write(c);
                continue;
            }
            switch (text.charAt(++at)) {
                case '\\' -> bytes.write('\\');
                case 'n' -> bytes.write('\n');
                case 'r' -> bytes.write('\r');
                case 't' -> bytes.write('\t');
                case 'x' -> {
                    bytes.write(Integer.parseInt(text, at + 1, at + 3, 16));
                    at += 2;
                }
                default -> throw new IllegalArgumentException("no such escape: " + text.substring(at - 1));
            }
        }
        return bytes.toByteArray();
    }
}
