package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Description.Interrupted;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.Set;

/// Tells what a server makes of an insert that was interrupted: by its version, by the table, and by
/// whether the sink may and can read what is stored (CH-9).
///
/// Thread ownership: the thread that describes the sink.
record InterruptedInserts(ClickHouseSettings settings, HttpClient client, NanoClock clock) {
    /// Those that keep each row until somebody deletes it: what others merge away can't be missed.
    private static final Set<String> KEEPS_ROWS = Set.of("ReplicatedMergeTree", "SharedMergeTree");

    /// What is to be said of it goes to `hazards`.
    Interrupted at(ClickHouseEndpoint endpoint, String version, String engine, Set<String> hazards, long deadlineNanos)
            throws InterruptedException {
        var bugs = LossBugs.of(version);
        if (bugs.isEmpty() || !Preflight.replicated(engine)) return Interrupted.STORED;
        var hindrance = hindrance(endpoint, engine, deadlineNanos);
        var verified = hindrance.isEmpty();
        for (var bug : bugs)
            hazards.add(endpoint + " runs ClickHouse " + version + ": " + bug.what() + "; " + bug.remedy()
                    + (verified
                            ? "; until then batches of which an attempt ended unknown are read before they count as"
                                    + " written"
                            : "; until then rows may be lost, and no level of delivery is kept (L0): " + hindrance));
        return verified ? Interrupted.VERIFIED : Interrupted.MAY_BE_LOST;
    }

    /// Why it can't be verified by reading, with what helps; empty where it can.
    private String hindrance(ClickHouseEndpoint endpoint, String engine, long deadlineNanos)
            throws InterruptedException {
        if (!settings.rows().coordinates().tellRecords())
            return "store each row's topic, partition and offset (clickhouse.coordinates), so that the sink can read"
                    + " what is there";
        if (!KEEPS_ROWS.contains(engine))
            return "the sink can't tell lost rows from those that " + engine + " merges away";
        for (var question : Verification.questions(settings)) {
            var request = Exchange.Request.question(
                    endpoint.query(Verification.parameters()), BodyPublishers.ofString(question));
            var result = new Exchange(client, settings.login(), clock).post(request, deadlineNanos, _ -> {});
            var said = said(result);
            if (!said.isEmpty())
                return "let clickhouse.user read the table, system.processes and system.replicas (" + said + ")";
        }
        return "";
    }

    private static String said(Exchange.Result result) {
        var outcome = switch (result) {
            case Exchange.Result.Failed(var failed) -> failed;
            case Exchange.Result.Answered(var answer) -> Verdict.of(answer);
        };
        return switch (outcome) {
            case WriteOutcome.Written _ -> "";
            case WriteOutcome.Unavailable(var failure, var _) -> failure.message();
            case WriteOutcome.Refused(var failure, var _) -> failure.message();
            case WriteOutcome.TooLarge(var failure) -> failure.message();
            case WriteOutcome.Misconfigured(var failure) -> failure.message();
        };
    }
}
