package dev.millrace.clickhouse;

import dev.millrace.sinkpool.NanoClock;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Tells whether all endpoints of a shard lead to one table of one server, as two addresses of it do, so
/// that what it remembers of tokens is known over each of them.
///
/// One is the same as another if identity and name of the server, identity of the table and the place of
/// its data are. A table's identity alone proves nothing: `ON CLUSTER` gives the tables of all its
/// servers the same.
///
/// Thread ownership: none; each question is of the calling thread.
record OneServer(ClickHouseSettings settings, NanoClock clock) {
    /// What was found. Closed: switches over it have no default.
    enum Found {
        SAME,
        OTHER,
        /// Those that answered are the same, and not all did.
        SILENT
    }

    /// So that one that is silent does not hold up a start, nor a write.
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /// Asks each of them.
    Found behind(List<ClickHouseEndpoint> endpoints, HttpClient client, long deadlineNanos)
            throws InterruptedException {
        @Nullable List<List<String>> first = null;
        var silent = false;
        for (var endpoint : endpoints) {
            var patience = clock.nanoTime() + PATIENCE.toNanos();
            var until = patience - deadlineNanos < 0 ? patience : deadlineNanos;
            var questions = new Questions(client, endpoint, settings.login(), clock, until);
            switch (questions.ask(question())) {
                case Questions.Reply.None _ -> silent = true;
                case Questions.Reply.Lines(var told) -> {
                    if (told.size() != 1 || (first != null && !first.equals(told))) return Found.OTHER;
                    first = told;
                }
            }
        }
        return silent ? Found.SILENT : Found.SAME;
    }

    private String question() {
        return "SELECT toString(serverUUID()), hostName(), toString(uuid), toString(data_paths) FROM system.tables"
                + " WHERE database = " + ClickHouseWriter.literal(settings.database()) + " AND name = "
                + ClickHouseWriter.literal(settings.table());
    }
}
