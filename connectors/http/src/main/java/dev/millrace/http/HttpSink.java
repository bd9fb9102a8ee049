package dev.millrace.http;

import dev.millrace.httpclient.Clients;
import dev.millrace.httpclient.Endpoints;
import dev.millrace.sinkpool.Checkup;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.Guarantee.Level;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.Recognition;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkTraits;
import dev.millrace.sinkpool.SinkWriter;
import dev.millrace.sinkpool.TokenLog;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/// A server of the user's as a sink: a shard is a part of the data, an endpoint is where one of its replicas
/// takes rows.
///
/// Nothing has to be known of a server before it is written to. What it remembers of tokens is what the
/// settings say: no level rests on anything that was looked at.
///
/// A receipt does not count rows: an answer says that all of them are stored (`countsRows` is false).
///
/// Thread ownership: shared.
public final class HttpSink implements Sink {
    private static final SinkTraits TRAITS = new SinkTraits(false);

    private final HttpSettings settings;
    private final Map<ShardId, List<HttpEndpoint>> shards;
    private final Supplier<RowEncoder> encoders;
    private final Clients clients;
    private final NanoClock clock;

    private HttpSink(
            HttpSettings settings,
            Map<ShardId, List<HttpEndpoint>> shards,
            Supplier<RowEncoder> encoders,
            NanoClock clock) {
        this.settings = settings;
        this.shards = shards;
        this.encoders = encoders;
        this.clock = clock;
        clients = new Clients("http", settings.tls(), settings.connectTimeout());
    }

    /// Checks the endpoints, and connects nowhere. `encoders` gives what makes a row of a record: lines.
    ///
    /// Throws `IllegalArgumentException` for an endpoint that is not `http(s)://host:port/path`, and for a sink
    /// or shard without any.
    public static HttpSink open(
            HttpSettings settings, Map<ShardId, List<URI>> shards, Supplier<RowEncoder> encoders, NanoClock clock) {
        return new HttpSink(settings, Endpoints.of(shards, HttpEndpoint::new), encoders, clock);
    }

    /// What was found of whether it can be written to.
    public sealed interface Looked {
        /// These shards have no replica that is there, so far.
        record Seen(List<ShardId> silent) implements Looked {
            public Seen {
                silent = List.copyOf(silent);
            }
        }

        /// It can't be written to until a person has mended this.
        record Refused(String reason) implements Looked {}
    }

    /// Looks whether each shard has a replica that is there. Blocks at most to the deadline.
    public Looked look(long deadlineNanos) throws InterruptedException {
        HttpClient own;
        try {
            own = clients.fresh();
        } catch (IllegalArgumentException unfit) {
            return new Looked.Refused(reason(unfit));
        }
        try {
            return new Looked.Seen(new HttpCheckup(settings, shards, clock).silent(own, deadlineNanos));
        } finally {
            own.shutdownNow();
        }
    }

    /// Looks at every endpoint of every shard, and writes nothing. Blocks at most to the deadline.
    public Checkup checkUp(long deadlineNanos, InstantSource wallClock) throws InterruptedException {
        var ceiling = shards.keySet().stream()
                .map(this::ceiling)
                .min((one, other) -> one.level().compareTo(other.level()))
                .orElseThrow();
        HttpClient own;
        try {
            own = clients.fresh();
        } catch (IllegalArgumentException unfit) {
            var where = "sinks." + shards.keySet().iterator().next().sink();
            return new Checkup(ceiling, List.of(Finding.fault(where, reason(unfit), "mend the file, or name another")));
        }
        try {
            return new Checkup(ceiling, new HttpCheckup(settings, shards, clock).look(own, deadlineNanos, wallClock));
        } finally {
            own.shutdownNow();
        }
    }

    private static String reason(IllegalArgumentException unfit) {
        return unfit.getMessage() == null ? "http.tls can't be used" : unfit.getMessage();
    }

    @Override
    public SinkTraits traits() {
        return TRAITS;
    }

    @Override
    public RowEncoder encoder() {
        return encoders.get();
    }

    @Override
    public SinkWriter writer(ShardId shard, URI endpoint) {
        return new HttpWriter(shard, new HttpEndpoint(endpoint), settings, clients, clock);
    }

    @Override
    public Recognition recognition(ShardId shard) {
        var remembers = settings.memory().remembers();
        if (remembers == null) return new Recognition(TokenLog.NONE, 0, false, false);
        var log = knowsEachOther(shard) ? TokenLog.SHARED : TokenLog.UNSHARED;
        return new Recognition(log, remembers.toNanos(), false, false);
    }

    private boolean knowsEachOther(ShardId shard) {
        return settings.memory().shared()
                || shards.getOrDefault(shard, List.of()).size() < 2;
    }

    /// The highest level of delivery that a shard allows as it is set up, and why it is no higher, with what
    /// to do. Blocks for nothing.
    public Guarantee ceiling(ShardId shard) {
        var remembers = settings.memory().remembers();
        if (remembers == null)
            return new Guarantee(
                    Level.L0, "http.remembers is left out: set it to how long the server knows tokens, if it does");
        var known = "as configured (http.remembers): tokens are known for " + text(remembers);
        return knowsEachOther(shard)
                ? new Guarantee(Level.L2, known + " by every replica of a shard")
                : new Guarantee(
                        Level.L1,
                        known + ", by the replica that took them alone: let the replicas share them, or make each"
                                + " a shard of its own");
    }

    private static String text(Duration time) {
        return time.toString().substring(2).toLowerCase(Locale.ROOT);
    }

    /// Ends every attempt under way. Blocks for nothing.
    @Override
    public void close() {
        clients.close();
    }
}
