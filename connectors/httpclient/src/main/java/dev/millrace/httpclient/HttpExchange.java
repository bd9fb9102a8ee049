package dev.millrace.httpclient;

import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/// One request to one server and its answer, or why there is none. Every wait ends at the deadline, or
/// when it is cancelled.
///
/// Thread ownership: the calling thread; cancelled from any.
public final class HttpExchange {
    /// What came of it.
    public sealed interface Ended {
        record Answered(Answer answer) implements Ended {}

        /// No answer. The outcome says whether the request may have been taken all the same.
        record Failed(WriteOutcome outcome) implements Ended {}
    }

    /// What is sent. `begun` is asked, when no answer came, whether the body was on its way; without it
    /// nothing was.
    public record Request(
            String method, URI address, Map<String, String> headers, BodyPublisher body, BooleanSupplier begun) {
        public Request {
            headers = Map.copyOf(headers);
        }

        /// Prints no header: they may be secrets.
        @Override
        public String toString() {
            return method + " " + address;
        }
    }

    /// How the answer's body is read: `kept` bytes are kept at each end, and `each` is given all of it as
    /// it comes.
    public record Reading(int kept, @Nullable Consumer<ByteBuffer> each) {
        public static final Reading SHORT = new Reading(BoundedText.OF_AN_ERROR, null);
    }

    /// The client's own time-out, up to the answer's first line, comes before that of the whole answer.
    private static final Duration GRACE = Duration.ofMillis(20);

    private static final Duration LEAST = Duration.ofMillis(1);
    private static final Duration MOST = Duration.ofHours(1);
    private static final int DEEPEST = 10;

    private final HttpClient client;
    private final Who who;
    private final NanoClock clock;

    public HttpExchange(HttpClient client, Who who, NanoClock clock) {
        this.client = client;
        this.who = who;
        this.clock = clock;
    }

    /// `onCancel` is given how to end it.
    public Ended send(Request what, Reading reading, long deadlineNanos, Consumer<Runnable> onCancel)
            throws InterruptedException {
        var request = HttpRequest.newBuilder(what.address())
                .timeout(left(deadlineNanos))
                .header("User-Agent", "millrace");
        try {
            var credentials = Credentials.of(who);
            if (credentials != null) request.header("Authorization", credentials);
        } catch (RuntimeException failure) {
            // Its text stays untold: it is about a secret.
            return new Ended.Failed(new WriteOutcome.Misconfigured(
                    new Failure("no-password", Credentials.missing(who, failure), false)));
        }
        what.headers().forEach(request::setHeader);
        var sent = client.sendAsync(
                request.method(what.method(), what.body()).build(),
                _ -> new BoundedText(reading.kept(), reading.each()));
        var cancelled = new AtomicBoolean();
        onCancel.accept(() -> {
            cancelled.set(true);
            sent.cancel(true);
        });
        try {
            var response = sent.get(left(deadlineNanos).plus(GRACE).toNanos(), TimeUnit.NANOSECONDS);
            return new Ended.Answered(Answer.of(response.statusCode(), response.headers(), response.body()));
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

    /// What failed before the request was on its way proves that nothing is stored.
    private static Ended failed(Exception failure, boolean begun) {
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

    private static Ended failed(String code, String words, boolean mayHaveStored) {
        return new Ended.Failed(unavailable(code, words, mayHaveStored));
    }

    /// It blames the replica.
    public static WriteOutcome unavailable(String code, String words, boolean mayHaveStored) {
        return new WriteOutcome.Unavailable(new Failure(code, words, mayHaveStored), new Blame.Replica());
    }

    /// It was a question, so whatever came of it stored nothing.
    public static WriteOutcome nothingStored(WriteOutcome outcome) {
        return switch (outcome) {
            case WriteOutcome.Unavailable(var why, var blame) ->
                new WriteOutcome.Unavailable(new Failure(why.code(), why.message(), false), blame);
            case WriteOutcome.Misconfigured(var why) ->
                new WriteOutcome.Misconfigured(new Failure(why.code(), why.message(), false));
            case WriteOutcome.Refused(var why, var _) -> unavailable(why.code(), why.message(), false);
            case WriteOutcome.TooLarge(var why) -> unavailable(why.code(), why.message(), false);
            case WriteOutcome.Written written -> written;
        };
    }
}
