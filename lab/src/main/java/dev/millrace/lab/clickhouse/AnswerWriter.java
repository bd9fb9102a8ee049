package dev.millrace.lab.clickhouse;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/// Writes answers as HTTP.
final class AnswerWriter {
    private AnswerWriter() {}

    /// All bytes of an answer.
    ///
    /// @param keepAlive whether the connection goes on after it
    static byte[] bytes(Answer answer, boolean http10, boolean keepAlive) throws IOException {
        var out = new ByteArrayOutputStream(512 + answer.body().remaining());
        var headers = new LinkedHashMap<>(answer.headers());
        boolean framed = headers.keySet().stream().anyMatch(AnswerWriter::framing);
        boolean chunked = !http10 && !framed;
        headers.put("Connection", keepAlive && (chunked || framed) ? "Keep-Alive" : "Close");
        if (chunked) headers.put("Transfer-Encoding", "chunked");
        head(answer.status(), headers, out);
        if (chunked && answer.body().hasRemaining())
            ascii(Integer.toHexString(answer.body().remaining()) + "\r\n", out);
        Channels.newChannel(out).write(answer.body().duplicate());
        if (chunked) ascii(answer.body().hasRemaining() ? "\r\n0\r\n\r\n" : "0\r\n\r\n", out);
        return out.toByteArray();
    }

    private static boolean framing(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.equals("content-length") || lower.equals("transfer-encoding");
    }

    /// The head of an answer whose body comes in chunks.
    static byte[] chunkedHead() throws IOException {
        var out = new ByteArrayOutputStream();
        head(200, Map.of("Connection", "Keep-Alive", "Transfer-Encoding", "chunked"), out);
        return out.toByteArray();
    }

    static byte[] chunk(int length) throws IOException {
        var out = new ByteArrayOutputStream(length + 16);
        ascii(Integer.toHexString(length) + "\r\n", out);
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) '\n');
        out.write(bytes);
        ascii("\r\n", out);
        return out.toByteArray();
    }

    private static void head(int status, Map<String, String> headers, OutputStream out) throws IOException {
        ascii("HTTP/1.1 " + status + " " + HttpStatuses.reason(status) + "\r\n", out);
        for (var header : headers.entrySet()) ascii(header.getKey() + ": " + header.getValue() + "\r\n", out);
        ascii("\r\n", out);
    }

    private static void ascii(String text, OutputStream out) throws IOException {
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
