package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Description.Interrupted;
import dev.millrace.clickhouse.Visit.Server;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Tells what a server makes of an insert that was interrupted: by its version, by the table, and by
/// whether the sink may and can read what is stored (CH-9).
///
/// Thread ownership: the thread that describes the sink.
record InterruptedInserts(ClickHouseSettings settings, HttpClient client, NanoClock clock) {
    /// What is to be said of a table that is not replicated, and of which nobody can read what is stored.
    static final String KILLED = " is not replicated: a server that is killed while it inserts may remember a token and"
            + " lack its rows, which are lost then";

    /// So that one that is silent does not hold up a start, nor a write.
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /// Why it can't be verified by reading, with what helps; empty where it can. `known` is false where
    /// the server did not tell.
    private record Hindrance(String words, boolean known) {}

    /// What is to be said of it goes to `hazards`. Null where it can be told only by questions that the
    /// server did not answer.
    @Nullable
    Interrupted at(ClickHouseEndpoint endpoint, Server server, Set<String> hazards, long deadlineNanos)
            throws InterruptedException {
        return Preflight.replicated(server.engine())
                ? replicated(endpoint, server, hazards, deadlineNanos)
                : alone(endpoint, server, hazards, deadlineNanos);
    }

    /// A table that is not replicated writes a token down before it has the rows: of a server that was killed in
    /// between, of whatever version, only reading tells.
    private @Nullable Interrupted alone(
            ClickHouseEndpoint endpoint, Server server, Set<String> hazards, long deadlineNanos)
            throws InterruptedException {
        if (server.window() == 0 || !server.engine().endsWith("MergeTree")) return Interrupted.STORED;
        var hindrance = hindrance(endpoint, server, deadlineNanos);
        if (!hindrance.known) return null;
        if (hindrance.words.isEmpty()) return Interrupted.VERIFIED;
        hazards.add("the table at " + endpoint + KILLED + "; use ReplicatedMergeTree, or " + hindrance.words);
        return Interrupted.STORED;
    }

    private @Nullable Interrupted replicated(
            ClickHouseEndpoint endpoint, Server server, Set<String> hazards, long deadlineNanos)
            throws InterruptedException {
        var bugs = LossBugs.of(server.version());
        if (bugs.isEmpty()) return Interrupted.STORED;
        var hindrance = hindrance(endpoint, server, deadlineNanos);
        var verified = hindrance.words.isEmpty();
        var read = "; until then batches of which an attempt ended unknown are read before they count as written";
        for (var bug : bugs)
            hazards.add(endpoint + " runs ClickHouse " + server.version() + ": " + bug.what() + "; " + bug.remedy()
                    + (verified
                            ? read
                            : hindrance.known
                                    ? "; until then rows may be lost, and no level of delivery is kept (L0): "
                                            + hindrance.words
                                    : read + ", though it did not answer whether they can be: " + hindrance.words));
        if (!hindrance.known) return null;
        return verified ? Interrupted.VERIFIED : Interrupted.MAY_BE_LOST;
    }

    private Hindrance hindrance(ClickHouseEndpoint endpoint, Server server, long deadlineNanos)
            throws InterruptedException {
        if (!settings.rows().coordinates().tellRecords())
            return new Hindrance(
                    "store each row's topic, partition and offset (clickhouse.coordinates), so that the sink can read"
                            + " what is there",
                    true);
        if (!MemoryLook.tells(settings, server.engine()))
            return new Hindrance(
                    "the sink can't tell lost rows from those that " + server.engine() + " merges away", true);
        var patience = clock.nanoTime() + PATIENCE.toNanos();
        var until = patience - deadlineNanos < 0 ? patience : deadlineNanos;
        for (var question : Verification.questions(settings)) {
            var request = Exchange.Request.question(
                    endpoint.query(Verification.parameters()), BodyPublishers.ofString(question));
            var result = new Exchange(client, settings.login(), clock).post(request, until, _ -> {});
            var hindrance = hindrance(result);
            if (hindrance != null) return hindrance;
        }
        return new Hindrance("", true);
    }

    private static @Nullable Hindrance hindrance(Exchange.Result result) {
        var outcome = switch (result) {
            case Exchange.Result.Failed(var failed) -> failed;
            case Exchange.Result.Answered(var answer) -> Verdict.of(answer);
        };
        return switch (outcome) {
            case WriteOutcome.Written _ -> null;
            case WriteOutcome.Unavailable(var failure, var _) -> new Hindrance(failure.message(), false);
            case WriteOutcome.Refused(var failure, var _) -> mayNot(failure);
            case WriteOutcome.TooLarge(var failure) -> mayNot(failure);
            case WriteOutcome.Misconfigured(var failure) -> mayNot(failure);
        };
    }

    private static Hindrance mayNot(Failure failure) {
        return new Hindrance(
                "let clickhouse.user read the table, system.processes and system.replicas (" + failure.message() + ")",
                true);
    }
}
