package dev.millrace.clickhouse;

import dev.millrace.httpclient.Answer;
import dev.millrace.httpclient.BoundedText;
import dev.millrace.httpclient.HttpExchange;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// One request to one replica and its answer as ClickHouse means it, or why there is none. Every wait ends
/// at the deadline, or when it is cancelled.
///
/// Thread ownership: the calling thread; cancelled from any.
final class Exchange {
    /// What came of it.
    sealed interface Result {
        record Answered(HttpAnswer answer) implements Result {}

        /// No answer. The outcome says whether the request may have been taken all the same.
        record Failed(WriteOutcome outcome) implements Result {}
    }

    /// What is sent, and how it is packed; empty for as it is. Of the answer `kept` bytes are kept at
    /// each end, and `answer` is given all of it as it comes.
    record Request(
            URI address,
            BodyPublisher body,
            String encoding,
            BooleanSupplier begun,
            int kept,
            @Nullable Consumer<ByteBuffer> answer) {
        Request(URI address, BodyPublisher body, String encoding, BooleanSupplier begun) {
            this(address, body, encoding, begun, BoundedText.OF_AN_ERROR, null);
        }

        /// A question: it stores nothing.
        static Request question(URI address, BodyPublisher body) {
            return question(address, body, null);
        }

        static Request question(URI address, BodyPublisher body, @Nullable Consumer<ByteBuffer> answer) {
            return new Request(address, body, "", () -> false, BoundedText.OF_AN_ERROR, answer);
        }

        /// The same, whose answer is long.
        static Request longQuestion(URI address, BodyPublisher body) {
            return new Request(address, body, "", () -> false, LONG_ANSWER, null);
        }
    }

    private static final int LONG_ANSWER = 1 << 20;
    private static final int LONGEST_SUMMARY = 4096;

    /// A number in quotes, since JSON's own are too small for it; without them from a proxy that
    /// writes JSON anew.
    private static final Pattern WRITTEN_ROWS = Pattern.compile("\"written_rows\"\\s*:\\s*\"?(\\d{1,18})\\b");

    private final HttpExchange exchange;

    Exchange(HttpClient client, ClickHouseSettings.Login login, NanoClock clock) {
        exchange = new HttpExchange(client, login.who(), clock);
    }

    /// `begun` is asked, when no answer came, whether the body was on its way; without it nothing was.
    /// `onCancel` is given how to end it.
    Result post(Request what, long deadlineNanos, Consumer<Runnable> onCancel) throws InterruptedException {
        Map<String, String> headers =
                what.encoding().isEmpty() ? Map.of() : Map.of("Content-Encoding", what.encoding());
        var request = new HttpExchange.Request("POST", what.address(), headers, what.body(), what.begun());
        var reading = new HttpExchange.Reading(what.kept(), what.answer());
        return switch (exchange.send(request, reading, deadlineNanos, onCancel)) {
            case HttpExchange.Ended.Answered(var answer) -> new Result.Answered(answer(answer));
            case HttpExchange.Ended.Failed(var outcome) -> new Result.Failed(outcome);
        };
    }

    static HttpAnswer answer(Answer answer) {
        var headers = answer.headers();
        return new HttpAnswer(
                answer.status(),
                exceptionCode(headers),
                answer.text(),
                ofClickHouse(headers),
                answer.whole() && asAsked(headers),
                answer.gapped(),
                answer.retryAfterSeconds(),
                writtenRows(headers));
    }

    /// −1 for one that says no number: whoever sends the header tells of an exception.
    private static int exceptionCode(HttpHeaders headers) {
        var code = 0;
        for (var value : headers.allValues("X-ClickHouse-Exception-Code")) {
            var text = value.strip();
            if (text.matches("\\d{1,9}") && Integer.parseInt(text) > 0) return Integer.parseInt(text);
            if (!text.equals("0")) code = HttpAnswer.UNREADABLE;
        }
        return code;
    }

    /// None was asked for packed: what can't be read may hold an exception.
    private static boolean asAsked(HttpHeaders headers) {
        return headers.allValues("Content-Encoding").stream().allMatch(how -> how.equalsIgnoreCase("identity"));
    }

    private static long writtenRows(HttpHeaders headers) {
        var summary = headers.firstValue("X-ClickHouse-Summary").orElse("");
        var found = WRITTEN_ROWS.matcher(summary.substring(0, Math.min(summary.length(), LONGEST_SUMMARY)));
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    private static boolean ofClickHouse(HttpHeaders headers) {
        for (var name : headers.map().keySet()) if (name.regionMatches(true, 0, "x-clickhouse-", 0, 13)) return true;
        return false;
    }
}
