package dev.millrace.clickhouse;

import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Writes to one replica: each batch in one request over a kept connection, each ping over a connection of its own.
///
/// Thread ownership: shared by attempts.
final class ClickHouseWriter implements SinkWriter {
    private final ClickHouseEndpoint endpoint;
    private final ClickHouseSettings settings;
    private final Supplier<HttpClient> clients;
    private final HttpClient client;
    private final Supplier<@Nullable InsertSettings> insert;
    private final NanoClock clock;

    ClickHouseWriter(
            ClickHouseEndpoint endpoint,
            ClickHouseSettings settings,
            Supplier<HttpClient> clients,
            Supplier<@Nullable InsertSettings> insert,
            NanoClock clock) {
        this.endpoint = endpoint;
        this.settings = settings;
        this.clients = clients;
        this.client = clients.get();
        this.insert = insert;
        this.clock = clock;
    }

    @Override
    public WriteOutcome write(WriteCall call) throws InterruptedException {
        var how = insert.get();
        if (how == null)
            return new WriteOutcome.Misconfigured(
                    new Failure("not-described", "the table has not been described yet", false));
        var rows = call.rows();
        var exchange = new Exchange(client, settings.login(), clock);
        var address = endpoint.query(how.query(call.token()));
        return switch (exchange.post(address, new RowsPublisher(rows), call.deadlineNanos(), call::onCancel)) {
            case Exchange.Result.Answered(var answer) -> Verdict.of(answer, rows.rows());
            case Exchange.Result.Failed(var outcome) -> outcome;
        };
    }

    /// A table that is not replicated is in no such list, so it is never read-only.
    private String readOnly() {
        return "SELECT count() FROM system.replicas WHERE is_readonly AND database = " + literal(settings.database())
                + " AND table = " + literal(settings.table());
    }

    static String literal(String text) {
        return '\'' + text.replace("\\", "\\\\").replace("'", "\\'") + '\'';
    }

    @Override
    public WriteOutcome ping(PingCall call) throws InterruptedException {
        try (var fresh = clients.get()) {
            var exchange = new Exchange(fresh, settings.login(), clock);
            var address = endpoint.query("query=" + URLEncoder.encode(readOnly(), StandardCharsets.UTF_8));
            var result = exchange.post(address, BodyPublishers.noBody(), call.deadlineNanos(), call::onCancel);
            fresh.shutdownNow();
            return switch (result) {
                case Exchange.Result.Answered(var answer) -> pinged(answer);
                case Exchange.Result.Failed(var outcome) -> outcome;
            };
        }
    }

    private static WriteOutcome pinged(HttpAnswer answer) {
        var outcome = Verdict.of(answer, 0);
        if (!(outcome instanceof WriteOutcome.Written)) return outcome;
        return answer.text().strip().equals("0")
                ? outcome
                : Verdict.unavailable("read-only", "the table is read-only on this replica", false);
    }

    /// Ends every attempt under way.
    @Override
    public void close() {
        client.shutdownNow();
    }
}
