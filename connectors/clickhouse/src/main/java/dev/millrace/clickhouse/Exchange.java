package dev.millrace.clickhouse;

import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/// One request to one replica and its answer, or why there is none. Every wait ends at the deadline, or
/// when it is cancelled.
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

    /// The client's own time-out, up to the answer's first line, comes before that of the whole answer.
    private static final Duration GRACE = Duration.ofMillis(20);

    private static final Duration LEAST = Duration.ofMillis(1);
    private static final Duration MOST = Duration.ofHours(1);
    private static final int DEEPEST = 10;
    private static final int LONG_ANSWER = 1 << 20;
    private static final int LONGEST_SUMMARY = 4096;

    /// A number in quotes, since JSON's own are too small for it; without them from a proxy that
    /// writes JSON anew.
    private static final Pattern WRITTEN_ROWS = Pattern.compile("\"written_rows\"\\s*:\\s*\"?(\\d{1,18})\\b");

    private final HttpClient client;
    private final ClickHouseSettings.Login login;
    private final NanoClock clock;

    Exchange(HttpClient client, ClickHouseSettings.Login login, NanoClock clock) {
        this.client = client;
        this.login = login;
        this.clock = clock;
    }

    /// `begun` is asked, when no answer came, whether the body was on its way; without it nothing was.
    /// `onCancel` is given how to end it.
    Result post(Request what, long deadlineNanos, Consumer<Runnable> onCancel) throws InterruptedException {
        String credentials;
        try {
            credentials = Credentials.of(login.who());
        } catch (RuntimeException failure) {
            // Its text stays untold: it is about a secret.
            return new Result.Failed(new WriteOutcome.Misconfigured(
                    new Failure("no-password", Credentials.missing(login.who(), failure), false)));
        }
        var request = HttpRequest.newBuilder(what.address())
                .timeout(left(deadlineNanos))
                .header("Authorization", credentials)
                .header("User-Agent", "millrace");
        if (!what.encoding().isEmpty()) request.header("Content-Encoding", what.encoding());
        var sent =
                client.sendAsync(request.POST(what.body()).build(), _ -> new BoundedText(what.kept(), what.answer()));
        var cancelled = new AtomicBoolean();
        onCancel.accept(() -> {
            cancelled.set(true);
            sent.cancel(true);
        });
        try {
            var response = sent.get(left(deadlineNanos).plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
            return new Result.Answered(answer(response.statusCode(), response.headers(), response.body()));
        } catch (TimeoutException _) {
            return failed("timeout", "no whole answer in time", what.begun().getAsBoolean());
        } catch (CancellationException | ExecutionException failure) {
            // The line that it closes can be heard before the word itself.
            if (cancelled.get())
                return failed(
                        "cancelled", "cancelled before an answer", what.begun().getAsBoolean());
            return failed(failure, what.begun().getAsBoolean());
        } finally {
            // Nothing is left of it: an answer that dribbles is cut.
            sent.cancel(true);
        }
    }

    private Duration left(long deadlineNanos) {
        if (deadlineNanos == NanoClock.NEVER) return MOST;
        var left = Duration.ofNanos(deadlineNanos - clock.nanoTime());
        return left.compareTo(LEAST) < 0 ? LEAST : left.compareTo(MOST) > 0 ? MOST : left;
    }

    static HttpAnswer answer(int status, HttpHeaders headers, BoundedText.Read body) {
        return new HttpAnswer(
                status,
                exceptionCode(headers),
                body.text(),
                ofClickHouse(headers),
                body.whole() && asAsked(headers),
                body.gapped(),
                number(headers, "Retry-After"),
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

    /// 0 for none, and for what is no number of at most nine digits: a date, say.
    private static long number(HttpHeaders headers, String name) {
        var text = headers.firstValue(name).orElse("").strip();
        return text.matches("\\d{1,9}") ? Long.parseLong(text) : 0;
    }

    /// What failed before the request was on its way proves that nothing is stored.
    private static Result failed(Exception failure, boolean begun) {
        var last = "nothing told";
        @Nullable Throwable at = failure.getCause();
        for (var depth = 0; at != null && depth < DEEPEST; depth++, at = at.getCause()) {
            if (at instanceof HttpConnectTimeoutException) return failed("connect", "no connection in time", false);
            if (at instanceof ConnectException) return failed("connect", "no connection", false);
            if (at instanceof UnknownHostException) return failed("connect", "no such host", false);
            if (at instanceof UnresolvedAddressException) return failed("connect", "no such host", false);
            if (at instanceof SSLHandshakeException tls) return failed("tls", "no TLS: " + tls.getMessage(), false);
            if (at instanceof HttpTimeoutException) return failed("timeout", "no answer in time", begun);
            last = at.getClass().getSimpleName();
        }
        return failed("no-answer", "no answer (" + last + ")", begun);
    }

    private static Result failed(String code, String words, boolean mayHaveStored) {
        return new Result.Failed(Verdict.unavailable(code, words, mayHaveStored));
    }
}
