package dev.millrace.clickhouse;

import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkTraits;
import dev.millrace.sinkpool.SinkWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// ClickHouse as a sink: a shard is a table on its replicas, an endpoint is one replica's HTTP port.
///
/// Life: [#open] connects nowhere; [#describe] is asked until it answers [Description.Described]; none is written
/// before.
///
/// A receipt does not count rows: the server counts repeats that it drops as written (`countsRows` is false).
///
/// Thread ownership: shared.
public final class ClickHouseSink implements Sink {
    private static final Logger LOG = LoggerFactory.getLogger(ClickHouseSink.class);
    private static final SinkTraits TRAITS = new SinkTraits(false);

    private final ClickHouseSettings settings;
    private final Preflight preflight;
    private final Supplier<RowEncoder> encoders;
    private final Supplier<HttpClient> clients;
    private final NanoClock clock;
    private final Map<ShardId, List<ClickHouseEndpoint>> shards;
    private volatile ClickHouseWriter.@Nullable How how;

    /// Guarded by this object. Made with the first description, since it has a thread.
    private @Nullable HttpClient client;

    private boolean closed;

    private ClickHouseSink(
            ClickHouseSettings settings,
            Map<ShardId, List<ClickHouseEndpoint>> shards,
            Supplier<RowEncoder> encoders,
            NanoClock clock) {
        this.settings = settings;
        this.shards = Map.copyOf(shards);
        this.encoders = encoders;
        this.clock = clock;
        clients = new Clients(settings);
        preflight = new Preflight(settings, shards, clients, clock);
    }

    /// Checks the endpoints, and connects nowhere. `encoders` gives what makes a row of a record: its value
    /// as it is, on one line.
    ///
    /// Throws `IllegalArgumentException` for an endpoint that is not `http(s)://host:port`, and for
    /// a sink without shards.
    public static ClickHouseSink open(
            ClickHouseSettings settings,
            Map<ShardId, List<URI>> shards,
            Supplier<RowEncoder> encoders,
            NanoClock clock) {
        if (shards.isEmpty()) throw new IllegalArgumentException("a sink has a shard");
        var endpoints = new LinkedHashMap<ShardId, List<ClickHouseEndpoint>>();
        shards.forEach((shard, addresses) -> {
            if (addresses.isEmpty()) throw new IllegalArgumentException(shard + ": a shard has an endpoint");
            endpoints.put(shard, addresses.stream().map(ClickHouseEndpoint::of).toList());
        });
        return new ClickHouseSink(settings, endpoints, encoders, clock);
    }

    /// Asks every shard for its table and what it knows of settings. May be asked again at any time.
    ///
    /// Blocks until all have answered, at most to the deadline.
    ///
    /// The first answer decides for the life of the sink: a batch that is sent again goes under the
    /// same settings (CH-3).
    public Description describe(long deadlineNanos) {
        try {
            client();
        } catch (IllegalArgumentException refused) {
            return new Description.Refused(
                    refused.getMessage() == null ? "clickhouse.tls can't be used" : refused.getMessage());
        }
        Description asked;
        try {
            asked = preflight.ask(deadlineNanos);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new Description.NotReachable(new Failure("interrupted", "asking for the table was ended", false));
        }
        if (!(asked instanceof Description.Described described) || how != null) return asked;
        how = new ClickHouseWriter.How(
                new InsertSettings(settings, Set.copyOf(described.knownSettings())),
                described.interrupted() == Description.Interrupted.VERIFIED);
        LOG.atInfo()
                .addKeyValue("event", "clickhouse_table_described")
                .log(
                        "table={}.{} version={} unseen={}",
                        settings.database(),
                        settings.table(),
                        described.version(),
                        described.unseen());
        for (var hazard : described.hazards())
            LOG.atWarn().addKeyValue("event", "clickhouse_hazard").log(hazard);
        return asked;
    }

    private synchronized HttpClient client() {
        if (closed) throw new IllegalStateException("the sink is closed");
        var made = client;
        if (made == null) client = made = clients.get();
        return made;
    }

    @Override
    public SinkTraits traits() {
        return TRAITS;
    }

    @Override
    public RowEncoder encoder() {
        var coordinates = settings.rows().coordinates();
        return coordinates.isEmpty() ? encoders.get() : new CoordinateEncoder(coordinates, encoders.get());
    }

    @Override
    public SinkWriter writer(ShardId shard, URI endpoint) {
        var replicas = shards.getOrDefault(shard, List.of());
        return new ClickHouseWriter(
                ClickHouseEndpoint.of(endpoint), replicas, settings, this::client, clients, () -> how, clock);
    }

    /// Ends every attempt under way. Blocks for nothing.
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (client != null) client.shutdownNow();
        }
    }
}
