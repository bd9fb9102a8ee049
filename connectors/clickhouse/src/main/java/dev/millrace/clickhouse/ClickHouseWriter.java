package dev.millrace.clickhouse;

import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.Token;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Writes to one replica: each batch in one request over a kept connection, each ping over a connection of its own.
///
/// Thread ownership: shared by attempts.
final class ClickHouseWriter implements SinkWriter {
    private final ClickHouseEndpoint endpoint;
    private final ClickHouseSettings settings;
    private final Supplier<HttpClient> client;
    private final Supplier<HttpClient> fresh;
    private final List<ClickHouseEndpoint> replicas;
    private final Supplier<@Nullable How> described;
    private final NanoClock clock;
    private final Set<Runnable> underWay = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /// How it writes, as far as the servers decide that. `verifies`: a server may tell of rows as written that it has
    /// lost, so it is read.
    record How(InsertSettings insert, boolean verifies) {}

    /// `replicas` are those of its shard, in any order, itself among them. `client` is everybody's; `fresh` makes one
    /// that has no connection yet.
    ClickHouseWriter(
            ClickHouseEndpoint endpoint,
            List<ClickHouseEndpoint> replicas,
            ClickHouseSettings settings,
            Supplier<HttpClient> client,
            Supplier<HttpClient> fresh,
            Supplier<@Nullable How> described,
            NanoClock clock) {
        this.endpoint = endpoint;
        var ordered = new ArrayList<ClickHouseEndpoint>(List.of(endpoint));
        for (var replica : replicas) if (!replica.equals(endpoint)) ordered.add(replica);
        this.replicas = List.copyOf(ordered);
        this.settings = settings;
        this.client = client;
        this.fresh = fresh;
        this.described = described;
        this.clock = clock;
    }

    @Override
    public WriteOutcome write(WriteCall call) throws InterruptedException {
        var how = described.get();
        if (how == null)
            return new WriteOutcome.Misconfigured(
                    new Failure("not-described", "the table has not been described yet", false));
        if (call.rows().rows() >= InsertSettings.BLOCK_ROWS)
            return new WriteOutcome.TooLarge(
                    new Failure("block", call.rows().rows() + " rows are more than a block of the server's", false));
        var sent = send(call, how.insert, call.rows(), call.token());
        if (!how.verifies || !call.mayBeStored() || !(sent instanceof WriteOutcome.Written)) return sent;
        var shard = new Shard(call, how.insert);
        return new Verification(settings, shard, call.rows(), call.batch().token(), call.token()).outcome();
    }

    private WriteOutcome send(WriteCall call, InsertSettings how, BatchRows rows, Token token)
            throws InterruptedException {
        try (var body = new RowsBody(rows, settings.compression())) {
            var request = new Exchange.Request(
                    endpoint.query(how.query(token)), body, settings.compression().encoding, body::begun, null);
            var answered = ended(client.get(), request, call.deadlineNanos(), call::onCancel);
            return switch (answered) {
                case Exchange.Result.Answered(var answer) -> Verdict.of(answer, rows.rows());
                case Exchange.Result.Failed(var outcome) -> outcome;
            };
        }
    }

    /// The shard's replicas, asked within one attempt.
    private final class Shard implements Verification.Replicas {
        private final WriteCall call;
        private final InsertSettings how;

        Shard(WriteCall call, InsertSettings how) {
            this.call = call;
            this.how = how;
        }

        @Override
        public List<ClickHouseEndpoint> all() {
            return replicas;
        }

        @Override
        public Exchange.Result ask(ClickHouseEndpoint replica, String question, @Nullable Consumer<ByteBuffer> lines)
                throws InterruptedException {
            var request = Exchange.Request.question(
                    replica.query(Verification.parameters()), BodyPublishers.ofString(question), lines);
            return ended(client.get(), request, call.deadlineNanos(), call::onCancel);
        }

        @Override
        public WriteOutcome send(BatchRows rows, Token token) throws InterruptedException {
            return ClickHouseWriter.this.send(call, how, rows, token);
        }
    }

    @Override
    public WriteOutcome ping(PingCall call) throws InterruptedException {
        var own = fresh.get();
        try {
            var address = endpoint.query("query=" + URLEncoder.encode(readOnly(), StandardCharsets.UTF_8));
            var request = Exchange.Request.question(address, BodyPublishers.noBody());
            return switch (ended(own, request, call.deadlineNanos(), call::onCancel)) {
                case Exchange.Result.Answered(var answer) -> pinged(answer);
                case Exchange.Result.Failed(var outcome) -> outcome;
            };
        } finally {
            // Closing it would wait for its threads.
            own.shutdownNow();
        }
    }

    private Exchange.Result ended(
            HttpClient over, Exchange.Request request, long deadlineNanos, Consumer<Runnable> onCancel)
            throws InterruptedException {
        var mine = new ArrayList<Runnable>(1);
        try {
            return new Exchange(over, settings.login(), clock).post(request, deadlineNanos, end -> {
                mine.add(end);
                underWay.add(end);
                onCancel.accept(end);
                // Looked at after it is known: a close in between ends it, or is seen here.
                if (closed) end.run();
            });
        } finally {
            mine.forEach(underWay::remove);
        }
    }

    /// A table that is not replicated is in no such list, so it is never read-only.
    private String readOnly() {
        return "SELECT count() FROM system.replicas WHERE is_readonly AND database = " + literal(settings.database())
                + " AND table = " + literal(settings.table());
    }

    static String literal(String text) {
        return '\'' + text.replace("\\", "\\\\").replace("'", "\\'") + '\'';
    }

    private static WriteOutcome pinged(HttpAnswer answer) {
        return switch (Verdict.of(answer, 0)) {
            case WriteOutcome.Written written when answer.text().strip().equals("0") -> written;
            case WriteOutcome.Written _ ->
                Verdict.unavailable("read-only", "the table is read-only on this replica", false);
            case WriteOutcome.Unavailable unavailable -> unavailable;
            case WriteOutcome.Misconfigured misconfigured -> misconfigured;
            // No rows were sent that it could mean.
            case WriteOutcome.Refused(var failure, var _) ->
                Verdict.unavailable(failure.code(), failure.message(), false);
            case WriteOutcome.TooLarge(var failure) -> Verdict.unavailable(failure.code(), failure.message(), false);
        };
    }

    /// Ends every attempt under way.
    @Override
    public void close() {
        closed = true;
        underWay.forEach(Runnable::run);
    }
}
