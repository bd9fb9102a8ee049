package dev.millrace.http;

import dev.millrace.httpclient.Secret;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// The headers of one batch's request.
///
/// Thread ownership: none; immutable.
record Head(HttpSettings settings, ShardId shard) {
    static final String ROWS = "Millrace-Rows";
    static final String PIPELINE = "Millrace-Pipeline";
    static final String SHARD = "Millrace-Shard";

    /// What a header can carry on one line, without what some servers read as they like.
    private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e]*");

    /// What came of it: a secret may be missing.
    sealed interface Made {
        record Ready(Map<String, String> headers) implements Made {}

        record Lacking(WriteOutcome outcome) implements Made {}
    }

    Made of(WriteCall call) {
        return switch (users()) {
            case Made.Lacking lacking -> lacking;
            case Made.Ready(var users) -> new Made.Ready(with(users, call));
        };
    }

    /// Those of the user alone.
    Made users() {
        var request = settings.request();
        var headers = new LinkedHashMap<String, String>();
        for (var header : request.headers().entrySet()) {
            try {
                headers.put(header.getKey(), fit(header.getValue()));
            } catch (RuntimeException failure) {
                // Its text stays untold: it may be about a secret.
                return new Made.Lacking(new WriteOutcome.Misconfigured(new Failure(
                        "no-header",
                        "no value for header " + header.getKey() + ": "
                                + failure.getClass().getSimpleName(),
                        false)));
            }
        }
        return new Made.Ready(headers);
    }

    private Map<String, String> with(Map<String, String> users, WriteCall call) {
        var request = settings.request();
        var headers = new LinkedHashMap<>(users);
        headers.put("Content-Type", request.contentType());
        var encoding = request.compression().encoding();
        if (!encoding.isEmpty()) headers.put("Content-Encoding", encoding);
        headers.put(request.tokenHeader(), call.token().text());
        headers.put(ROWS, Integer.toString(call.rows().rows()));
        headers.put(PIPELINE, settings.pipeline());
        headers.put(SHARD, shard.toString());
        return headers;
    }

    private static String fit(Secret secret) {
        var value = secret.reveal();
        if (!VALUE.matcher(value).matches()) throw new IllegalArgumentException("not one line of ASCII");
        return value;
    }
}
