package dev.millrace.clickhouse;

import dev.millrace.httpclient.Clients;
import dev.millrace.httpclient.HttpExchange;
import dev.millrace.httpclient.RowsBody;
import dev.millrace.httpclient.UnderWay;
import dev.millrace.sinkpool.BatchRows;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Layouts;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.ShardId;
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
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Writes to one replica: each batch in one request over a kept connection, each ping over a
/// connection of its own.
///
/// Thread ownership: shared by attempts.
final class ClickHouseWriter implements SinkWriter {
    private static final String UNKNOWN_SETTING = "115";
    private static final long LEAST_MARGIN_NANOS = 100_000_000;

    /// What the writers of one sink share. `tableChanged` is told that a table may have changed.
    /// `verifies`: a server of the shard may tell of rows as written that it has lost, so it is read.
    record Shared(
            ClickHouseSettings settings,
            Map<ShardId, List<ClickHouseEndpoint>> shards,
            Clients clients,
            Dialects dialects,
            Preflight preflight,
            Layouts<Form> layouts,
            Runnable tableChanged,
            Predicate<ShardId> verifies,
            NanoClock clock) {}

    private final ShardId shard;
    private final ClickHouseEndpoint endpoint;

    /// Of its shard, itself first.
    private final List<ClickHouseEndpoint> replicas;

    private final Shared shared;
    private final ClickHouseSettings settings;
    private final Clients clients;
    private final Dialects dialects;
    private final Verdicts verdicts;
    private final UnderWay underWay = new UnderWay();

    ClickHouseWriter(ShardId shard, ClickHouseEndpoint endpoint, Shared shared) {
        this.shard = shard;
        this.endpoint = endpoint;
        this.shared = shared;
        var ordered = new ArrayList<ClickHouseEndpoint>(List.of(endpoint));
        for (var replica : shared.shards.getOrDefault(shard, List.of()))
            if (!replica.equals(endpoint)) ordered.add(replica);
        replicas = List.copyOf(ordered);
        settings = shared.settings;
        clients = shared.clients;
        dialects = shared.dialects;
        verdicts = new Verdicts(settings.verdicts());
    }

    @Override
    public WriteOutcome write(WriteCall call) throws InterruptedException {
        if (shared.layouts.latest() == null)
            return new WriteOutcome.Misconfigured(
                    new Failure("not-described", "the table has not been described yet", false));
        var form = shared.layouts.of(call.batch().layout());
        if (call.rows().rows() >= InsertSettings.BLOCK_ROWS)
            return new WriteOutcome.TooLarge(
                    new Failure("block", call.rows().rows() + " rows are more than a block of the server's", false));
        try (var lease = clients.lease()) {
            var unsent = shared.preflight.ask(
                    shard, lease.client(), endpoint, call.batch().segment() != null, call.deadlineNanos());
            if (unsent != null) return unsent;
            var unlike = shared.preflight.unlike(shard, form.columns());
            if (unlike != null) return noticed(new WriteOutcome.Misconfigured(unlike));
            var way = dialects.way(
                    endpoint,
                    form.insert(),
                    question -> ended(lease.client(), question, call.deadlineNanos(), call::onCancel));
            return switch (way) {
                case Dialects.Way.Open(var known, var fresh) -> {
                    var sent = new Sending(lease.client(), known, fresh, call);
                    if (call.expired() && shared.preflight.readable(shard)) yield noticed(sent.readFirst());
                    yield noticed(shared.verifies.test(shard) ? sent.verified() : sent.send(call.rows(), call.token()));
                }
                case Dialects.Way.Closed(var outcome) -> outcome;
            };
        }
    }

    /// One attempt: what it is sent with, and whom it may ask.
    private final class Sending implements Verification.Replicas {
        private final HttpClient over;
        private final InsertSettings how;
        private final boolean fresh;
        private final WriteCall call;

        Sending(HttpClient over, InsertSettings how, boolean fresh, WriteCall call) {
            this.over = over;
            this.how = how;
            this.fresh = fresh;
            this.call = call;
        }

        /// A token that may be forgotten keeps nothing from being stored twice: what stands is
        /// read first.
        WriteOutcome readFirst() throws InterruptedException {
            return new Verification(settings, this, call.rows(), call.batch().token(), call.token()).missing();
        }

        WriteOutcome verified() throws InterruptedException {
            var sent = send(call.rows(), call.token());
            if (!call.mayBeStored() || !(sent instanceof WriteOutcome.Written)) return sent;
            return new Verification(settings, this, call.rows(), call.batch().token(), call.token()).outcome();
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
            return ended(over, request, endOfQuestion(call.deadlineNanos(), shared.clock.nanoTime()), call::onCancel);
        }

        @Override
        public WriteOutcome send(BatchRows rows, Token token) throws InterruptedException {
            try (var body = new RowsBody(how.prefix(), rows, settings.compression())) {
                var request = new Exchange.Request(
                        endpoint.query(how.query(token)),
                        body,
                        settings.compression().encoding(),
                        body::begun);
                return switch (ended(over, request, call.deadlineNanos(), call::onCancel)) {
                    case Exchange.Result.Answered(var answer) -> {
                        var outcome = Verdict.of(answer, rows.rows(), verdicts);
                        yield fresh ? outcome : unlessAnotherServer(outcome);
                    }
                    case Exchange.Result.Failed(var outcome) -> {
                        // What comes up again may be another server.
                        dialects.forget(endpoint);
                        yield outcome;
                    }
                };
            }
        }
    }

    /// A question about what is stored ends before its attempt does: what another replica does not
    /// answer is told then, and nobody takes the time-out for one of the replica that is written to.
    static long endOfQuestion(long deadlineNanos, long nowNanos) {
        if (deadlineNanos == NanoClock.NEVER) return deadlineNanos;
        return deadlineNanos - Math.max((deadlineNanos - nowNanos) / 10, LEAST_MARGIN_NANOS);
    }

    /// What holds rows up may be a table that changed.
    private WriteOutcome noticed(WriteOutcome outcome) {
        if (outcome instanceof WriteOutcome.Misconfigured) shared.tableChanged.run();
        return outcome;
    }

    /// A server that does not know what it knew when it was asked is another one: it is asked
    /// before the next attempt.
    private WriteOutcome unlessAnotherServer(WriteOutcome outcome) {
        if (!(outcome instanceof WriteOutcome.Misconfigured(var failure))
                || !failure.code().equals(UNKNOWN_SETTING)) return outcome;
        dialects.forget(endpoint);
        return new WriteOutcome.Unavailable(failure, new WriteOutcome.Blame.Nobody());
    }

    @Override
    public WriteOutcome ping(PingCall call) throws InterruptedException {
        // Whoever was away may come back as another.
        dialects.forget(endpoint);
        var own = clients.fresh();
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
        try (var known = underWay.with(onCancel)) {
            return new Exchange(over, settings.login(), shared.clock).post(request, deadlineNanos, known);
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
        return switch (Verdict.of(answer)) {
            case WriteOutcome.Written written when answer.text().strip().equals("0") -> written;
            case WriteOutcome.Written _ ->
                HttpExchange.unavailable("read-only", "the table is read-only on this replica", false);
            case WriteOutcome.Unavailable unavailable -> unavailable;
            case WriteOutcome.Misconfigured misconfigured -> misconfigured;
            // No rows were sent that it could mean.
            case WriteOutcome.Refused(var failure, var _) ->
                HttpExchange.unavailable(failure.code(), failure.message(), false);
            case WriteOutcome.TooLarge(var failure) ->
                HttpExchange.unavailable(failure.code(), failure.message(), false);
        };
    }

    /// Ends every attempt under way.
    @Override
    public void close() {
        underWay.close();
    }
}
