package dev.millrace.lab.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One connection to an [HttpFront], at one request: it can be read, answered, and broken.
///
/// Thread ownership: the connection's own.
public final class HttpLine {
    /// What came. `headers` are found whatever their capitals are; `latin1` is the body as it came, packed or
    /// not, a letter a byte.
    public record Request(String method, String target, Map<String, String> headers, String latin1) {
        /// Null where there is none.
        public @Nullable String header(String name) {
            return headers.get(name);
        }

        public byte[] body() {
            return latin1.getBytes(StandardCharsets.ISO_8859_1);
        }

        public String text() {
            return new String(body(), StandardCharsets.UTF_8);
        }

        @Override
        public String toString() {
            return method + " " + target + " " + headers + " " + latin1.length() + " bytes";
        }
    }

    private final Socket socket;
    private final InputStream in;
    private final Consumer<Request> came;
    private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private String method = "";
    private String target = "";

    HttpLine(Socket socket, InputStream in, Consumer<Request> came) {
        this.socket = socket;
        this.in = in;
        this.came = came;
    }

    /// Reads up to the body. False where no request follows.
    boolean begin() throws IOException {
        var first = readLine();
        if (first == null) return false;
        var words = first.split(" ", -1);
        method = words[0];
        target = words[1];
        headers.clear();
        for (var header = readLine(); header != null && !header.isEmpty(); header = readLine()) {
            var colon = header.indexOf(':');
            headers.put(header.substring(0, colon), header.substring(colon + 1).strip());
        }
        return true;
    }

    /// The whole request.
    public Request read() throws IOException {
        var body = new ByteArrayOutputStream();
        if (headers.containsKey("Transfer-Encoding")) readChunks(body);
        else body.write(exactly(Integer.parseInt(headers.getOrDefault("Content-Length", "0"))));
        var own = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
        own.putAll(headers);
        var request = new Request(method, target, own, body.toString(StandardCharsets.ISO_8859_1));
        came.accept(request);
        return request;
    }

    private void readChunks(ByteArrayOutputStream to) throws IOException {
        while (true) {
            var line = readLine();
            if (line == null) throw new IOException("cut in the middle");
            var length = Integer.parseInt(line, 16);
            to.write(exactly(length));
            readLine();
            if (length == 0) return;
        }
    }

    public byte[] exactly(int length) throws IOException {
        var bytes = in.readNBytes(length);
        if (bytes.length < length) throw new IOException("cut in the middle");
        return bytes;
    }

    private @Nullable String readLine() throws IOException {
        var out = new ByteArrayOutputStream();
        for (var b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) return null;
            out.write(b);
        }
        return out.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }

    /// As it is.
    public void say(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
    }

    /// An answer, with lines of headers, each ended by CR and LF.
    public void answer(String status, String lines, String body) throws IOException {
        say("HTTP/1.1 " + status + "\r\n" + lines + "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length
                + "\r\n\r\n" + body);
    }

    public void cut() throws IOException {
        socket.close();
    }

    /// With a reset instead of an end.
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /// Returns when the other side has closed the connection.
    public void untilClosed() {
        try {
            while (in.read() >= 0) {}
        } catch (IOException _) {
            // By a reset.
        }
    }
}
