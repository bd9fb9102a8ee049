package dev.millrace.clickhouse;

import dev.millrace.clickhouse.OneServer.Found;
import dev.millrace.sinkpool.NanoClock;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Tells whether the replicated tables behind a shard's endpoints are replicas of one another:
/// they have one path in Keeper, and so one memory of tokens.
///
/// Thread ownership: none; each question is of the calling thread.
record OnePath(ClickHouseSettings settings, HttpClient client, NanoClock clock) {
    /// So that one that is silent does not hold up a start, nor a write.
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final String NAME = "path\t";

    /// Asks each of them.
    Found of(List<ClickHouseEndpoint> endpoints, long deadlineNanos) throws InterruptedException {
        @Nullable String first = null;
        var silent = false;
        for (var endpoint : endpoints) {
            var patience = clock.nanoTime() + PATIENCE.toNanos();
            var until = deadlineNanos == NanoClock.NEVER || patience - deadlineNanos < 0 ? patience : deadlineNanos;
            var text = new Visit(settings, client, clock)
                    .hear(endpoint, question(), until)
                    .text();
            if (text == null || !text.startsWith(NAME)) {
                silent = true;
                continue;
            }
            if (first != null && !first.equals(text)) return Found.OTHER;
            first = text;
        }
        return silent ? Found.SILENT : Found.SAME;
    }

    private String question() {
        return "SELECT 'path', zookeeper_path FROM system.replicas WHERE database = "
                + ClickHouseWriter.literal(settings.database()) + " AND table = "
                + ClickHouseWriter.literal(settings.table());
    }
}
