package dev.millrace.lab.clickhouse;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The head of one HTTP request.
///
/// @param parameters of the URL, decoded, in their order
/// @param headers by their names in lower case; of several with one name the last
record RequestHead(
        String method, String path, Map<String, String> parameters, Map<String, String> headers, boolean http10) {
    /// As much as the server takes of a URL, and some for the headers.
    private static final int MOST_BYTES = (1 << 20) + (64 << 10);

    /// Reads one, or returns null if the client has closed the connection instead of beginning one.
    static @Nullable RequestHead read(InputStream in) throws IOException {
        String first = line(in, MOST_BYTES);
        if (first == null) return null;
        String[] words = first.split(" ", 3);
        if (words.length != 3) throw new IOException("not an HTTP request: " + first);
        var headers = new LinkedHashMap<String, String>();
        int left = MOST_BYTES - first.length();
        while (true) {
            String header = line(in, left);
            if (header == null) throw new EOFException("the head of the request broke off");
            if (header.isEmpty()) break;
            left -= header.length();
            int colon = header.indexOf(':');
            if (colon < 1) throw new IOException("not an HTTP header: " + header);
            headers.put(
                    header.substring(0, colon).toLowerCase(Locale.ROOT),
                    header.substring(colon + 1).strip());
        }
        int mark = words[1].indexOf('?');
        String path = mark < 0 ? words[1] : words[1].substring(0, mark);
        var parameters = mark < 0 ? Map.<String, String>of() : parameters(words[1].substring(mark + 1));
        return new RequestHead(words[0], path, parameters, headers, words[2].equals("HTTP/1.0"));
    }

    static @Nullable String line(InputStream in, int most) throws IOException {
        var bytes = new ByteArrayOutputStream(128);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                if (bytes.size() == 0) return null;
                throw new EOFException("the head of the request broke off");
            }
            if (bytes.size() >= most) throw new IOException("a head of more than " + MOST_BYTES + " bytes");
            bytes.write(next);
        }
        String line = bytes.toString(StandardCharsets.ISO_8859_1);
        return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    }

    private static Map<String, String> parameters(String text) {
        var parameters = new LinkedHashMap<String, String>();
        for (String pair : text.split("&", -1)) {
            if (pair.isEmpty()) continue;
            int equals = pair.indexOf('=');
            String name = equals < 0 ? pair : pair.substring(0, equals);
            parameters.put(decoded(name), equals < 0 ? "" : decoded(pair.substring(equals + 1)));
        }
        return parameters;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    String parameter(String name) {
        return parameters.getOrDefault(name, "");
    }

    String header(String name) {
        return headers.getOrDefault(name, "");
    }

    /// Whether the client wants to ask more on this connection.
    boolean keepAlive() {
        String wish = header("connection").toLowerCase(Locale.ROOT);
        return http10 ? wish.equals("keep-alive") : !wish.equals("close");
    }
}
