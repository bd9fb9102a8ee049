package dev.millrace.http;

import dev.millrace.httpclient.Clients;
import dev.millrace.httpclient.HttpExchange;
import dev.millrace.httpclient.HttpExchange.Ended;
import dev.millrace.httpclient.HttpExchange.Reading;
import dev.millrace.httpclient.RowsBody;
import dev.millrace.httpclient.UnderWay;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.PingCall;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.WriteCall;
import dev.millrace.sinkpool.WriteOutcome;

/// Writes to one replica: each batch in one request over a kept connection, each ping over a connection of
/// its own.
///
/// Thread ownership: shared by attempts.
final class HttpWriter implements SinkWriter {
    private static final byte[] NOTHING_BEFORE = {};

    private final HttpEndpoint endpoint;
    private final HttpSettings settings;
    private final Head head;
    private final Clients clients;
    private final Reach reach;
    private final NanoClock clock;
    private final UnderWay underWay = new UnderWay();

    HttpWriter(ShardId shard, HttpEndpoint endpoint, HttpSettings settings, Clients clients, NanoClock clock) {
        this.endpoint = endpoint;
        this.settings = settings;
        this.head = new Head(settings, shard);
        this.clients = clients;
        this.reach = new Reach(settings, head, clock);
        this.clock = clock;
    }

    @Override
    public WriteOutcome write(WriteCall call) throws InterruptedException {
        return switch (head.of(call)) {
            case Head.Made.Lacking(var outcome) -> outcome;
            case Head.Made.Ready(var headers) -> {
                try (var lease = clients.lease();
                        var body = new RowsBody(
                                NOTHING_BEFORE, call.rows(), settings.request().compression());
                        var known = underWay.with(call::onCancel)) {
                    var request = new HttpExchange.Request(
                            settings.request().method().name(), endpoint.address(), headers, body, body::begun);
                    var exchange = new HttpExchange(lease.client(), settings.who(), clock);
                    yield switch (exchange.send(request, Reading.SHORT, call.deadlineNanos(), known)) {
                        case Ended.Answered(var answer) ->
                            Verdict.of(answer, call.rows().rows());
                        case Ended.Failed(var outcome) -> outcome;
                    };
                }
            }
        };
    }

    @Override
    public WriteOutcome ping(PingCall call) throws InterruptedException {
        var own = clients.fresh();
        try (var known = underWay.with(call::onCancel)) {
            return reach.ask(endpoint, own, call.deadlineNanos(), known);
        } finally {
            // Closing it would wait for its threads.
            own.shutdownNow();
        }
    }

    /// Ends every attempt under way.
    @Override
    public void close() {
        underWay.close();
    }
}
