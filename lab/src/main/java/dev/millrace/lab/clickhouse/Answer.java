package dev.millrace.lab.clickhouse;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/// One answer of a front, before it is cut, delayed or lost. Made by the engine, or by a test for a [Fault].
///
/// It goes out chunked, unless its headers give a length of their own.
///
/// @param headers besides those that every answer has
/// @param body ready to be read, never changed
public record Answer(int status, Map<String, String> headers, ByteBuffer body) {
    static final String EXCEPTION_CODE = "X-ClickHouse-Exception-Code";
    static final String EXCEPTION_TAG = "X-ClickHouse-Exception-Tag";

    private static final String TAG = "dngjzjnxkvlwkeua";
    private static final String MARK = "__exception__";

    public Answer {
        if (status < 200 || status > 599) throw new IllegalArgumentException(status + " is not a final HTTP status");
        headers = new LinkedHashMap<>(headers);
        body = body.asReadOnlyBuffer();
    }

    public static Answer of(int status, String body) {
        return new Answer(status, Map.of(), bytes(body));
    }

    /// As the server answers an exception: its code in a header, its text as the body, the status that the
    /// server gives to this code.
    ///
    /// @param name as the server names the code, such as `TOO_MANY_PARTS`
    public static Answer exception(int code, String name, String message) {
        return exception(code, text(code, name, message));
    }

    static Answer exception(int code, String text) {
        return new Answer(HttpStatuses.of(code), Map.of(EXCEPTION_CODE, String.valueOf(code)), bytes(text + "\n"));
    }

    /// Status 200 and the code of an exception in the header: what a server answers whose exception came after
    /// the status was sent, or whose client was too slow.
    public static Answer okWithExceptionHeader(int code, String name, String message) {
        return new Answer(200, Map.of(EXCEPTION_CODE, String.valueOf(code)), bytes(text(code, name, message) + "\n"));
    }

    /// Status 200, no such header, and the exception as the last line of the body, as servers before 25.11 have
    /// it.
    public static Answer okWithExceptionInBody(int code, String name, String message) {
        return of(200, text(code, name, message) + "\n");
    }

    /// Status 200, no code in the headers, and the exception in the body between marks with the tag that a
    /// header announced, as servers since 25.11 have it.
    public static Answer okWithTaggedException(int code, String name, String message) {
        String text = text(code, name, message);
        int length = text.getBytes(StandardCharsets.UTF_8).length;
        String body = String.join("\r\n", "", MARK, TAG, text, length + " " + TAG, MARK, "");
        return new Answer(200, Map.of(EXCEPTION_TAG, TAG), bytes(body));
    }

    public static Answer redirect(String location) {
        return new Answer(307, Map.of("Location", location), bytes(""));
    }

    private static String text(int code, String name, String message) {
        return "Code: " + code + ". DB::Exception: " + message + ". (" + name + ") (version " + ClickHouseFront.VERSION
                + " (official build))";
    }

    private static ByteBuffer bytes(String text) {
        return StandardCharsets.UTF_8.encode(text);
    }
}
