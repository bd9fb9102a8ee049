package dev.millrace.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/// The file's text: at most 1 MiB of UTF-8 without control characters. A byte order mark is taken off; line ends may be
/// LF or CRLF.
final class SourceText {
    static final int MAX_BYTES = 1 << 20;

    private SourceText() {}

    /// Reads no more than one byte above the bound. Null when a problem was told.
    static @Nullable String read(Path file, Problems problems) {
        try {
            if (Files.isDirectory(file)) {
                problems.error(Place.WHOLE_FILE, "", "is a directory; name a file");
                return null;
            }
            byte[] bytes;
            try (var in = Files.newInputStream(file)) {
                bytes = in.readNBytes(MAX_BYTES + 1);
            }
            return decode(bytes, problems);
        } catch (NoSuchFileException e) {
            problems.error(Place.WHOLE_FILE, "", "no such file; check the path");
        } catch (AccessDeniedException e) {
            problems.error(Place.WHOLE_FILE, "", "may not be read by this user; check its permissions");
        } catch (IOException e) {
            problems.error(
                    Place.WHOLE_FILE, "", "cannot be read (" + e.getClass().getSimpleName() + "); check the path");
        }
        return null;
    }

    static @Nullable String decode(byte[] bytes, Problems problems) {
        if (bytes.length > MAX_BYTES) {
            problems.error(
                    Place.WHOLE_FILE, "", "is larger than 1 MiB; a pipeline's file is a few KiB, check the path");
            return null;
        }
        if (bytes.length >= 2 && ((bytes[0] == -1 && bytes[1] == -2) || (bytes[0] == -2 && bytes[1] == -1))) {
            problems.error(Place.START, "", "is UTF-16, not UTF-8; save it as UTF-8");
            return null;
        }
        var decoder = StandardCharsets.UTF_8.newDecoder();
        var in = ByteBuffer.wrap(bytes);
        var out = CharBuffer.allocate(bytes.length);
        if (decoder.decode(in, out, true).isError()) {
            var read = out.flip();
            var at = in.position();
            problems.error(
                    Place.after(read, read.length()),
                    "",
                    "is not UTF-8 at byte %d (0x%02X); save the file as UTF-8".formatted(at, bytes[at] & 0xFF));
            return null;
        }
        return check(out.flip().toString(), problems);
    }

    /// Takes the byte order mark off and refuses control characters, which YAML does not know.
    static @Nullable String check(String text, Problems problems) {
        if (text.length() > MAX_BYTES) {
            problems.error(
                    Place.WHOLE_FILE, "", "is larger than 1 MiB; a pipeline's file is a few KiB, check the path");
            return null;
        }
        var body = text.startsWith("\uFEFF") ? text.substring(1) : text;
        for (int i = 0; i < body.length(); ) {
            int c = body.codePointAt(i);
            if (!StreamReader.isPrintable(c) || c == 0xFEFF) {
                problems.error(
                        Place.after(body, i),
                        "",
                        "holds the character U+%04X, which YAML refuses; remove it".formatted(c));
                return null;
            }
            i += Character.charCount(c);
        }
        return body;
    }
}
