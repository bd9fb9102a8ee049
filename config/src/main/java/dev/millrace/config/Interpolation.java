package dev.millrace.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Fills `${VAR}`, `${VAR:-default}`, `${VAR:?message}`, `${file:/path}` and `$$` into one value, after parsing.
///
/// What is filled in is text and stays text: it is not looked at again, and cannot change the document's
/// structure. A `$` before anything but `{` or `$` stands for itself. As in a shell, `:-` and `:?` take an
/// empty variable for one that is not set.
final class Interpolation {
    static final int MAX_FILE_BYTES = 64 << 10;

    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private final Function<String, @Nullable String> env;

    Interpolation(Function<String, @Nullable String> env) {
        this.env = env;
    }

    /// The value with everything filled in, or what is wrong with it.
    Parsed<Text> fill(String source, boolean secret) {
        var value = new StringBuilder();
        var brought = new ArrayList<Brought>();
        int at = 0;
        while (at < source.length()) {
            int dollar = source.indexOf('$', at);
            if (dollar < 0 || dollar == source.length() - 1) break;
            value.append(source, at, dollar);
            char next = source.charAt(dollar + 1);
            at = dollar + 2;
            if (next == '$') {
                value.append('$');
            } else if (next != '{') {
                value.append('$').append(next);
            } else {
                int end = source.indexOf('}', at);
                if (end < 0) return Parsed.bad("a ${ that is not closed; close it with }, or write $$ for a $");
                var inner = source.substring(at, end);
                if (inner.contains("${")) return Parsed.bad("${ inside ${ is not supported; use one variable");
                switch (one(inner, secret, brought)) {
                    case Parsed.Good<String>(var text) -> value.append(text);
                    case Parsed.Bad<String>(var message) -> {
                        return Parsed.bad(message);
                    }
                }
                at = end + 1;
            }
        }
        value.append(source, at, source.length());
        return Parsed.good(new Text(value.toString(), source, brought, secret));
    }

    /// The text for one `${…}`, and into `brought` where it comes from.
    private Parsed<String> one(String inner, boolean secret, List<Brought> brought) {
        if (inner.startsWith("file:")) {
            var file = inner.substring("file:".length());
            brought.add(new Brought.SecretFile(file));
            return file(file);
        }
        int colon = inner.indexOf(':');
        var name = colon < 0 ? inner : inner.substring(0, colon);
        var rest = colon < 0 ? "" : inner.substring(colon);
        if (!VARIABLE.matcher(name).matches() || !(rest.isEmpty() || rest.startsWith(":-") || rest.startsWith(":?"))) {
            return Parsed.bad(
                    "what stands in ${…} is not understood; write ${VAR}, ${VAR:-default}, ${VAR:?message} or "
                            + "${file:/path}, or $$ for a $");
        }
        var found = env.apply(name);
        if (found != null && (rest.isEmpty() || !found.isEmpty())) {
            brought.add(new Brought.Variable(name));
            return Parsed.good(found);
        }
        if (rest.startsWith(":-")) {
            brought.add(new Brought.Unset(name));
            return Parsed.good(rest.substring(2));
        }
        if (rest.isEmpty()) {
            return Parsed.bad(
                    "environment variable " + name + " is not set; set it, or write ${" + name + ":-default}");
        }
        var message = secret || rest.length() == 2 ? "" : ": " + Text.printable(rest.substring(2), 200);
        return Parsed.bad("environment variable " + name + " is not set or empty; set it" + message);
    }

    private static Parsed<String> file(String name) {
        var shown = Text.printable(name, 300);
        try {
            var path = Path.of(name);
            if (!path.isAbsolute())
                return Parsed.bad("file \"" + shown + "\" is not an absolute path; begin it with /");
            if (!Files.exists(path))
                return Parsed.bad("file " + shown + " does not exist or is hidden; create it, or correct the path");
            // A pipe or a device could keep the start waiting for ever.
            if (!Files.isRegularFile(path)) return Parsed.bad("file " + shown + " is not a regular file; name one");
            byte[] bytes;
            try (var in = Files.newInputStream(path)) {
                bytes = in.readNBytes(MAX_FILE_BYTES + 1);
            }
            if (bytes.length > MAX_FILE_BYTES) {
                return Parsed.bad("file " + shown + " is larger than 64 KiB; name the file of one value");
            }
            var text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return Parsed.good(withoutLastLineEnd(text));
        } catch (InvalidPathException e) {
            return Parsed.bad("file \"" + shown + "\" is not a path; write ${file:/path}");
        } catch (CharacterCodingException e) {
            return Parsed.bad("file " + shown + " is not UTF-8; save it as UTF-8");
        } catch (IOException e) {
            return Parsed.bad(
                    "file " + shown + " cannot be read (" + e.getClass().getSimpleName() + "); check its permissions");
        }
    }

    /// Whether others than the owner and the group may read it: by its own rights, and those of the folders above it.
    static boolean openToAll(String name) {
        try {
            var file = Path.of(name).toRealPath();
            if (!Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) return false;
            for (var folder = file.getParent(); folder != null; folder = folder.getParent()) {
                if (!Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_EXECUTE)) return false;
            }
            return true;
        } catch (IOException | UnsupportedOperationException | InvalidPathException _) {
            return false;
        }
    }

    private static String withoutLastLineEnd(String text) {
        if (text.endsWith("\r\n")) return text.substring(0, text.length() - 2);
        return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    }
}
