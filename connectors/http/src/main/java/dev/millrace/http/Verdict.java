package dev.millrace.http;

import dev.millrace.httpclient.Answer;
import dev.millrace.httpclient.HttpExchange;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// What an answer to a batch says, by the table of answers. Its body says nothing, and has to end all the
/// same: whose answer is cut may have failed on the way.
final class Verdict {
    /// Of the rows sent, from 0, the one that the server names.
    static final String ROW = "Millrace-Row";

    /// In the server's words, why. It goes into logs and dead letters.
    static final String REASON = "Millrace-Reason";

    private static final int LONGEST_REASON = 200;
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

    private Verdict() {}

    /// What became of `rows` that were sent.
    static WriteOutcome of(Answer answer, int rows) {
        var rule = Answers.of(
                answer.status(), answer.headers().firstValue("Retry-After").isPresent());
        if (rule.says() == Rule.Says.WRITTEN && !answer.whole())
            return HttpExchange.unavailable(
                    "answer-cut", "HTTP " + answer.status() + ", and no answer that can be read to its end", true);
        var failure = new Failure("http-" + answer.status(), words(rule, answer), rule.stored());
        return switch (rule.says()) {
            case WRITTEN -> new WriteOutcome.Written(rows, 0);
            case ROWS -> new WriteOutcome.Refused(failure, row(answer.header(ROW), rows));
            case SIZE -> new WriteOutcome.TooLarge(failure);
            case SETTINGS, LOGIN -> new WriteOutcome.Misconfigured(failure);
            case OVERLOAD ->
                new WriteOutcome.Unavailable(
                        failure, new Blame.Overload(TimeUnit.SECONDS.toNanos(answer.retryAfterSeconds())));
            case NOBODY -> new WriteOutcome.Unavailable(failure, new Blame.Nobody());
            case REPLICA -> new WriteOutcome.Unavailable(failure, new Blame.Replica());
        };
    }

    private static String words(Rule rule, Answer answer) {
        var words = "HTTP " + answer.status() + ": " + rule.words();
        var elsewhere = answer.header("Location");
        if (answer.status() / 100 == 3 && !elsewhere.isEmpty()) words += "; it points to " + host(elsewhere);
        var reason = answer.header(REASON);
        return reason.isEmpty() ? words : words + " (" + shortened(reason) + ")";
    }

    private static String shortened(String reason) {
        return reason.length() <= LONGEST_REASON ? reason : reason.substring(0, LONGEST_REASON) + "…";
    }

    /// Nothing but where: what is behind it may be a secret.
    private static String host(String location) {
        try {
            var address = new URI(location);
            if (address.getHost() == null) return "another path of this server";
            var port = address.getPort() < 0 ? "" : ":" + address.getPort();
            return address.getScheme() == null
                    ? address.getHost() + port
                    : address.getScheme() + "://" + address.getHost() + port;
        } catch (URISyntaxException _) {
            return "what is no address";
        }
    }

    /// A hint, which is tried before it is believed; −1 for none.
    private static int row(String text, int rows) {
        if (!NUMBER.matcher(text).matches()) return -1;
        var row = Integer.parseInt(text);
        return row < rows ? row : -1;
    }
}
