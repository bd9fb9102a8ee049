package dev.millrace.lab.clickhouse;

import java.util.function.UnaryOperator;

/// The place of one request in the log. Each change also notes how much of its body has been read.
///
/// Changes are made before what they tell leaves the front: who has an answer finds it in the log.
///
/// Thread ownership: the connection's.
final class LogEntry {
    private final RequestLog log;
    private final long number;
    private final WireBody body;
    private final CountedStream rows;

    LogEntry(RequestLog log, Asked asked, WireBody body, CountedStream rows) {
        this.log = log;
        this.number = log.begin(asked);
        this.body = body;
        this.rows = rows;
    }

    void change(UnaryOperator<LoggedRequest> step) {
        log.change(number, before -> step.apply(before.with(body.bytes(), rows.bytes())));
    }

    void end(LoggedRequest.End end) {
        change(before -> before.with(end));
    }

    void answered(Answer answer) {
        int code = Integer.parseInt(answer.headers().getOrDefault(Answer.EXCEPTION_CODE, "0"));
        change(before -> before.answered(answer.status(), code).with(LoggedRequest.End.ANSWERED));
    }
}
