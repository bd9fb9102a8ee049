package dev.millrace.clickhouse;

import dev.millrace.clickhouse.ClickHouseSettings.Format;
import dev.millrace.httpclient.Clients;
import dev.millrace.httpclient.Endpoints;
import dev.millrace.json.IgnoredFields;
import dev.millrace.json.JsonFields;
import dev.millrace.sinkpool.Checkup;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.Finding;
import dev.millrace.sinkpool.Guarantee;
import dev.millrace.sinkpool.LayoutWatch;
import dev.millrace.sinkpool.Layouts;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.Recognition;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.Sink;
import dev.millrace.sinkpool.SinkTraits;
import dev.millrace.sinkpool.SinkWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// ClickHouse as a sink: a shard is a table on its replicas, an endpoint is one replica's HTTP port.
///
/// Life: [#open] connects nowhere; [#describe] is asked until it answers [Description.Described];
/// none is written before.
///
/// A receipt does not count rows: the server counts repeats that it drops as written (`countsRows`
/// is false).
///
/// Thread ownership: shared.
public final class ClickHouseSink implements Sink {
    private static final Logger LOG = LoggerFactory.getLogger(ClickHouseSink.class);
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final String INTERRUPTED = "interrupted";
    private static final SinkTraits TRAITS = new SinkTraits(false);

    private final ClickHouseSettings settings;
    private final Map<ShardId, List<ClickHouseEndpoint>> shards;
    private final Preflight preflight;
    private final Supplier<RowEncoder> encoders;
    private final Clients clients;
    private final Dialects dialects;
    private final NanoClock clock;
    private final ClickHouseWriter.Shared writers;
    private final IgnoredFields ignored = new IgnoredFields();
    private final Layouts<Form> layouts = new Layouts<>((known, found) -> alike(known.columns(), found.columns()));

    /// Guarded by this object.
    private @Nullable LayoutWatch watching;

    private boolean closed;

    private ClickHouseSink(
            ClickHouseSettings settings,
            Map<ShardId, List<ClickHouseEndpoint>> shards,
            Supplier<RowEncoder> encoders,
            NanoClock clock) {
        this.settings = settings;
        this.shards = shards;
        this.encoders = encoders;
        this.clock = clock;
        clients = settings.clients();
        dialects = new Dialects(clock);
        preflight = new Preflight(settings, shards, clients::fresh, dialects, clock);
        writers = new ClickHouseWriter.Shared(
                settings, shards, clients, dialects, preflight, layouts, this::lookSoon, preflight::verifies, clock);
    }

    /// Checks the endpoints, and connects nowhere. `encoders` gives what makes a row of a record:
    /// its value as it is, on one line.
    ///
    /// Throws `IllegalArgumentException` for an endpoint that is not `http(s)://host:port`, and for
    /// a sink without shards.
    public static ClickHouseSink open(
            ClickHouseSettings settings,
            Map<ShardId, List<URI>> shards,
            Supplier<RowEncoder> encoders,
            NanoClock clock) {
        return new ClickHouseSink(settings, Endpoints.of(shards, ClickHouseEndpoint::of), encoders, clock);
    }

    /// Asks every shard for its table, what it knows of settings and how long it remembers tokens.
    /// May be asked again at any time, and asks itself from the first answer on; where rows are
    /// typed, a table with other columns is another layout.
    ///
    /// Blocks until all have answered, at most to the deadline.
    ///
    /// A layout decides what is said of every insert of its rows: a batch that is sent again goes
    /// under the same settings (CH-3). Which of them a server knows is asked of each for itself.
    public Description describe(long deadlineNanos) {
        try {
            clients.lease().close();
        } catch (IllegalArgumentException refused) {
            return new Description.Refused(
                    refused.getMessage() == null ? "clickhouse.tls can't be used" : refused.getMessage());
        }
        Description asked;
        try {
            asked = preflight.ask(deadlineNanos);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return new Description.NotReachable(new Failure(INTERRUPTED, "asking for the table was ended", false));
        }
        if (!(asked instanceof Description.Described described)) return asked;
        var first = layouts.latest() == null;
        var form = new Form(
                new InsertSettings(settings, Set.copyOf(described.knownSettings()), described.layout()),
                described.layout());
        if (layouts.found(form) || first) told(described);
        preflight.tell(described.hazards());
        preflight.tellLevels();
        if (first) keepLooking();
        return asked;
    }

    private void told(Description.Described described) {
        LOG.atInfo()
                .addKeyValue("event", "clickhouse_table_described")
                .log(
                        "table={}.{} version={} unseen={}",
                        settings.database(),
                        settings.table(),
                        described.version(),
                        described.unseen());
        preflight.tell(new Verdicts(settings.verdicts()).hazards());
    }

    // How long tokens are known changes with everybody's writes; what is typed goes by the columns, too.
    private synchronized void keepLooking() {
        if (closed || watching != null) return;
        watching = LayoutWatch.over(shards.keySet().iterator().next().sink(), this::unusable);
    }

    /// Why the table can't be written to or looked at, or null.
    @Nullable
    String unusable() {
        return switch (describe(clock.nanoTime() + LOOK.toNanos())) {
            case Description.Described _ -> null;
            case Description.Refused(var reason) -> reason;
            case Description.NotReachable(var failure) ->
                failure.code().equals(INTERRUPTED)
                        ? null
                        : settings.database() + "." + settings.table() + " can't be looked at: " + failure.message();
        };
    }

    private static boolean alike(@Nullable TableLayout known, @Nullable TableLayout found) {
        return known == null ? found == null : known.alike(found);
    }

    private synchronized void lookSoon() {
        if (watching != null) watching.soon();
    }

    @Override
    public void onNewLayout(Runnable told) {
        layouts.onNew(told);
    }

    /// Looks at every endpoint of every shard, not only at the first that answers, and keeps
    /// nothing of it. Reads only.
    ///
    /// Blocks until all have answered, at most to the deadline.
    public Checkup checkUp(long deadlineNanos, InstantSource wallClock) throws InterruptedException {
        HttpClient own;
        try {
            own = clients.fresh();
        } catch (IllegalArgumentException refused) {
            var where = "sinks." + shards.keySet().iterator().next().sink();
            var why = refused.getMessage() == null ? "clickhouse.tls can't be used" : refused.getMessage();
            return new Checkup(
                    new Guarantee(Guarantee.Level.L0, "no server was asked"),
                    List.of(Finding.fault(where, why, "mend the file, or name another")));
        }
        try {
            return new SinkCheckup(settings, shards, clock, wallClock).look(own, deadlineNanos);
        } finally {
            own.shutdownNow();
        }
    }

    @Override
    public SinkTraits traits() {
        return TRAITS;
    }

    /// Throws `IllegalStateException` for typed rows before the table is described.
    @Override
    public RowEncoder encoder() {
        var coordinates = settings.rows().coordinates();
        if (settings.rows().format() == Format.JSON_EACH_ROW)
            return coordinates.isEmpty() ? encoders.get() : new CoordinateEncoder(coordinates, encoders.get());
        var layout = layouts.latest();
        var columns = layout == null ? null : layout.description().columns();
        if (layout == null || columns == null)
            throw new IllegalStateException(
                    "table " + settings.database() + "." + settings.table() + " is not described yet");
        var unknown = switch (settings.rows().unknownFields()) {
            case REFUSE -> JsonFields.Unknown.REFUSE;
            case IGNORE -> JsonFields.Unknown.IGNORE;
        };
        return columns.encoder(layout.number(), unknown, ignored, layouts.gone(ClickHouseSink::names));
    }

    private static List<String> names(Form form) {
        var columns = form.columns();
        return columns == null ? List.of() : columns.names();
    }

    /// How often `unknown_fields: ignore` left out each field of typed rows, by name: at most 100
    /// names, and the rest under one more.
    public Map<String, Long> ignoredFields() {
        return ignored.counts();
    }

    @Override
    public SinkWriter writer(ShardId shard, URI endpoint) {
        return new ClickHouseWriter(shard, ClickHouseEndpoint.of(endpoint), writers);
    }

    @Override
    public Recognition recognition(ShardId shard) {
        return preflight.recognition(shard);
    }

    /// The highest level of delivery that a shard allows as it is set up now, and why it is no
    /// higher, with what to do. Blocks for nothing.
    public Guarantee ceiling(ShardId shard) {
        return preflight.ceiling(shard);
    }

    /// Whether a shard has told how long it remembers tokens, or that it does not tell. Blocks for
    /// nothing.
    public boolean lookedAt(ShardId shard) {
        return preflight.lookedAt(shard);
    }

    /// Ends every attempt under way. Blocks for nothing.
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (watching != null) watching.close();
        }
        clients.close();
    }
}
