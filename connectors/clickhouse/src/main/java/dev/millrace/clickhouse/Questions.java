package dev.millrace.clickhouse;

import dev.millrace.httpclient.HttpExchange;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Asks one server in SQL, as the user who writes. Every answer comes by the deadline, which is
/// the same for all.
///
/// Thread ownership: the thread that asks.
final class Questions {
    /// What a question came to.
    sealed interface Reply {
        /// Lines of fields.
        record Lines(List<List<String>> lines) implements Reply {}

        /// None. The outcome is what the same answer to an insert would be.
        record None(WriteOutcome outcome) implements Reply {}
    }

    private static final Map<Character, String> ESCAPED =
            Map.of('t', "\t", 'n', "\n", 'r', "\r", '0', "\0", 'b', "\b", 'f', "\f");

    private final Exchange exchange;
    private final ClickHouseEndpoint endpoint;
    private final long deadlineNanos;

    Questions(
            HttpClient client,
            ClickHouseEndpoint endpoint,
            ClickHouseSettings.Login login,
            NanoClock clock,
            long deadlineNanos) {
        this.exchange = new Exchange(client, login, clock);
        this.endpoint = endpoint;
        this.deadlineNanos = deadlineNanos;
    }

    Reply ask(String sql) throws InterruptedException {
        var address = endpoint.query("default_format=TabSeparated");
        var question = Exchange.Request.question(address, BodyPublishers.ofString(sql));
        return switch (exchange.post(question, deadlineNanos, _ -> {})) {
            case Exchange.Result.Failed(var outcome) -> new Reply.None(outcome);
            case Exchange.Result.Answered(var answer) -> {
                var verdict = Verdict.of(answer);
                yield verdict instanceof WriteOutcome.Written
                        ? new Reply.Lines(lines(answer.text()))
                        : new Reply.None(verdict);
            }
        };
    }

    /// A longer answer, as it is told. `of` is what is asked about.
    String text(String of, String sql) throws InterruptedException, NotTold {
        var address = endpoint.query("default_format=TabSeparated");
        var question = Exchange.Request.longQuestion(address, BodyPublishers.ofString(sql));
        return switch (exchange.post(question, deadlineNanos, _ -> {})) {
            case Exchange.Result.Failed(var outcome) -> throw new NotTold(of, outcome);
            case Exchange.Result.Answered(var answer) -> {
                var verdict = Verdict.of(answer);
                if (!(verdict instanceof WriteOutcome.Written)) throw new NotTold(of, verdict);
                yield answer.text();
            }
        };
    }

    /// The answer's lines, of so many fields each. `of` is what is asked about.
    List<List<String>> lines(String of, int fields, String sql) throws InterruptedException, NotTold {
        return switch (ask(sql)) {
            case Reply.Lines(var lines) -> {
                if (lines.stream().anyMatch(line -> line.size() != fields))
                    throw new NotTold(of, HttpExchange.unavailable("answer", "an answer of another form", false));
                yield lines;
            }
            case Reply.None(var outcome) -> throw new NotTold(of, outcome);
        };
    }

    static List<List<String>> lines(String answer) {
        var lines = new ArrayList<List<String>>();
        for (var line : answer.split("\n", -1)) {
            if (line.isEmpty()) continue;
            var fields = new ArrayList<String>();
            for (var field : line.split("\t", -1)) fields.add(unescaped(field));
            lines.add(List.copyOf(fields));
        }
        return lines;
    }

    private static String unescaped(String field) {
        if (field.indexOf('\\') < 0 || field.equals("\\N")) return field;
        var out = new StringBuilder(field.length());
        for (var at = 0; at < field.length(); at++) {
            var c = field.charAt(at);
            if (c != '\\' || at + 1 == field.length()) {
                out.append(c);
                continue;
            }
            var next = field.charAt(++at);
            out.append(ESCAPED.getOrDefault(next, String.valueOf(next)));
        }
        return out.toString();
    }
}
