package dev.millrace.http;

import dev.millrace.httpclient.Handshake;
import dev.millrace.httpclient.HttpExchange;
import dev.millrace.httpclient.HttpExchange.Ended;
import dev.millrace.httpclient.HttpExchange.Reading;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.WriteOutcome;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Asks a replica whether it is there, without a row: with `http.ping_path` by a GET of that path, else by a
/// connection and nothing else, since no request is sure to store nothing at a server that is not known.
///
/// Thread ownership: none; each question is of the calling thread.
record Reach(HttpSettings settings, Head head, NanoClock clock) {

    /// `Written(0, 0)` if it is. Nothing of it is stored.
    WriteOutcome ask(HttpEndpoint endpoint, HttpClient over, long deadlineNanos, Consumer<Runnable> onCancel)
            throws InterruptedException {
        var path = settings.pingPath();
        return path == null
                ? connected(endpoint, over, deadlineNanos, onCancel)
                : answered(endpoint, path, over, deadlineNanos, onCancel);
    }

    private WriteOutcome answered(
            HttpEndpoint endpoint, String path, HttpClient over, long deadlineNanos, Consumer<Runnable> onCancel)
            throws InterruptedException {
        return switch (head.users()) {
            case Head.Made.Lacking(var outcome) -> outcome;
            case Head.Made.Ready(var headers) -> {
                var request = new HttpExchange.Request(
                        "GET", endpoint.at(path), headers, BodyPublishers.noBody(), () -> false);
                yield switch (new HttpExchange(over, settings.who(), clock)
                        .send(request, Reading.SHORT, deadlineNanos, onCancel)) {
                    case Ended.Answered(var answer) -> HttpExchange.nothingStored(Verdict.of(answer, 0));
                    case Ended.Failed(var outcome) -> outcome;
                };
            }
        };
    }

    private WriteOutcome connected(
            HttpEndpoint endpoint, HttpClient over, long deadlineNanos, Consumer<Runnable> onCancel) {
        try {
            Handshake.with(endpoint.address(), over.sslContext(), true, millis(deadlineNanos), onCancel);
            return new WriteOutcome.Written(0, 0);
        } catch (IOException failure) {
            return HttpExchange.unavailable(
                    "connect", "no connection (" + failure.getClass().getSimpleName() + ")", false);
        }
    }

    private int millis(long deadlineNanos) {
        var most = (int) Math.min(settings.connectTimeout().toMillis(), Integer.MAX_VALUE);
        if (deadlineNanos == NanoClock.NEVER) return Math.max(1, most);
        return Math.clamp(TimeUnit.NANOSECONDS.toMillis(deadlineNanos - clock.nanoTime()), 1, Math.max(1, most));
    }
}
