package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Codes.Says;
import dev.millrace.clickhouse.Codes.Stored;
import dev.millrace.httpclient.HttpExchange;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.WriteOutcome;
import dev.millrace.sinkpool.WriteOutcome.Blame;
import java.util.regex.Pattern;

/// What an answer to an insert says, without saying anything of the rows.
///
/// The exception's code decides, from the header or else from the body; the HTTP status only where there
/// is no code (CH-4).
final class Verdict {
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int NO_METHOD = 405;
    private static final int TOO_LARGE = 413;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;
    private static final int REDIRECTS = 300;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /// An exception in the body of an answer that had begun well: `Code: 27. DB::Exception: …`.
    private static final Pattern IN_BODY = Pattern.compile("Code: (\\d{1,6})[.,] ?(?:e\\.displayText\\(\\) = )?DB::");

    /// What one without a code there begins with: of the server's own, of its libraries, or the mark before any.
    private static final Pattern EXCEPTION = Pattern.compile("(DB|Poco|std)::[\\w:]*[eE]xception|__exception__");

    /// A constraint names its row before it quotes it, a parser after: rows count from 1.
    private static final Pattern VIOLATED_AT = Pattern.compile("is violated at row (\\d{1,9})\\b");

    private static final Pattern PARSED_AT = Pattern.compile("\\(at row (\\d{1,9})\\)");

    private Verdict() {}

    /// What became of a question, which stores nothing.
    static WriteOutcome of(HttpAnswer answer) {
        return of(answer, 0, Verdicts.BUILT_IN);
    }

    /// What became of `rows` that were sent.
    static WriteOutcome of(HttpAnswer answer, int rows, Verdicts verdicts) {
        var code = answer.code() > 0 ? answer.code() : codeInBody(answer.text());
        if (code != 0 && answer.whole()) return byCode(verdicts.of(code, answer.text()), code, answer, rows);
        // What a cut answer lacks may be that a view threw.
        if (code != 0) return doubtful(Integer.toString(code), "an error whose text can not be read to its end");
        if (answer.code() == HttpAnswer.UNREADABLE)
            return doubtful("exception", "an exception whose code is no number, after HTTP " + answer.status());
        if (!answer.whole())
            return doubtful("answer-cut", "no answer that can be read to its end, after HTTP " + answer.status());
        if (answer.status() == OK) return byBody(answer, rows);
        return byStatus(answer);
    }

    private static int codeInBody(String text) {
        var found = IN_BODY.matcher(text);
        return found.find() ? Integer.parseInt(found.group(1)) : 0;
    }

    private static WriteOutcome byBody(HttpAnswer answer, int rows) {
        if (EXCEPTION.matcher(answer.text()).find())
            return doubtful("exception", "an exception without a code behind HTTP 200");
        // An insert is answered with nothing: in what was not kept of so much an exception may stand.
        if (answer.gapped() && rows > 0)
            return doubtful("answer-cut", "HTTP 200, and more behind it than is looked through");
        if (!answer.ofClickHouse())
            return HttpExchange.unavailable("not-clickhouse", "HTTP 200 from what is not ClickHouse", true);
        if (answer.writtenRows() > 0 && answer.writtenRows() < rows) return shortCount(answer, rows);
        return new WriteOutcome.Written(rows, 0);
    }

    /// The count that goes with a success. A server counts the rows of views too, and repeats that it
    /// drops, so more than were sent says nothing; 0 is what servers of old say of any insert. Fewer is
    /// no success.
    private static WriteOutcome shortCount(HttpAnswer answer, int rows) {
        return doubtful("short-count", "HTTP 200, and " + answer.writtenRows() + " of " + rows + " rows counted");
    }

    private static WriteOutcome byCode(Codes.Rule rule, int code, HttpAnswer answer, int rows) {
        var failure = new Failure(Integer.toString(code), words(rule, code, answer), rule.stored() == Stored.PERHAPS);
        return switch (rule.says()) {
            case REPLICA -> new WriteOutcome.Unavailable(failure, new Blame.Replica());
            case OVERLOAD -> new WriteOutcome.Unavailable(failure, overload(answer));
            case NOBODY -> new WriteOutcome.Unavailable(failure, new Blame.Nobody());
            case ROWS -> new WriteOutcome.Refused(failure, row(answer.text(), rows));
            case SIZE -> new WriteOutcome.TooLarge(failure);
            case SETTINGS, LOGIN -> new WriteOutcome.Misconfigured(failure);
        };
    }

    private static String words(Codes.Rule rule, int code, HttpAnswer answer) {
        if (rule.name().isEmpty()) return rule.words() + " (code " + code + ", HTTP " + answer.status() + ")";
        if (rule.says() == Says.SETTINGS && rule.tells())
            return rule.words() + " (" + rule.name() + "): " + firstLine(answer.text());
        return rule.words() + " (" + rule.name() + ")";
    }

    private static String firstLine(String text) {
        var end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }

    /// The row that the server named, from 0; −1 for none. One that a row's own text names is a hint that
    /// misleads, which costs requests and nothing else.
    private static int row(String text, int rows) {
        var violated = VIOLATED_AT.matcher(text);
        if (violated.find()) return row(Long.parseLong(violated.group(1)), rows);
        var parsed = PARSED_AT.matcher(text);
        var last = 0L;
        while (parsed.find()) last = Long.parseLong(parsed.group(1));
        return row(last, rows);
    }

    private static int row(long fromOne, int rows) {
        return fromOne >= 1 && fromOne <= rows ? (int) fromOne - 1 : -1;
    }

    /// Who answers without a code is a proxy, or not ClickHouse at all. What it says of the request
    /// itself it says before anybody took the rows.
    private static WriteOutcome byStatus(HttpAnswer answer) {
        var status = answer.status();
        if (status >= REDIRECTS && status < BAD_REQUEST)
            return HttpExchange.unavailable("redirect", "HTTP " + status + ": redirects are not followed", false);
        return switch (status) {
            case UNAUTHORIZED, FORBIDDEN ->
                new WriteOutcome.Misconfigured(new Failure("http-" + status, "user or password not accepted", false));
            case NOT_FOUND, NO_METHOD ->
                HttpExchange.unavailable("not-clickhouse", "HTTP " + status + ": not ClickHouse", false);
            case TOO_LARGE ->
                new WriteOutcome.TooLarge(
                        new Failure("http-413", "more bytes than what stands before it takes", false));
            case TOO_MANY_REQUESTS -> overloaded(answer, false);
            case UNAVAILABLE -> overloaded(answer, true);
            default ->
                HttpExchange.unavailable("http-" + status, "HTTP " + status + " without an exception's code", true);
        };
    }

    private static WriteOutcome overloaded(HttpAnswer answer, boolean mayHaveStored) {
        var failure = new Failure("http-" + answer.status(), "HTTP " + answer.status(), mayHaveStored);
        return new WriteOutcome.Unavailable(failure, overload(answer));
    }

    private static Blame overload(HttpAnswer answer) {
        return new Blame.Overload(answer.retryAfterSeconds() * NANOS_PER_SECOND);
    }

    static WriteOutcome doubtful(String code, String words) {
        return HttpExchange.unavailable(code, words, true);
    }
}
