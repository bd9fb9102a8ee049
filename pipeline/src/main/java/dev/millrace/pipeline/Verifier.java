package dev.millrace.pipeline;

import dev.millrace.clickhouse.PlacesAsked;
import dev.millrace.clickhouse.StoredPlaces;
import dev.millrace.config.BlackholeConfig;
import dev.millrace.config.ClickHouseConfig;
import dev.millrace.config.HttpConfig;
import dev.millrace.config.PipelineConfig;
import dev.millrace.config.PostgresConfig;
import dev.millrace.config.SinkConfig;
import dev.millrace.kafka.KafkaSourceSettings;
import dev.millrace.kafka.LogStretch;
import dev.millrace.kafka.SourceLog;
import dev.millrace.kafka.StartRefused;
import dev.millrace.kafka.StretchesAsked;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.Router;
import dev.millrace.sinkpool.ShardId;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Holds what a pipeline's sinks have against what its topics had, offset by offset (EO-12): which
/// records have no row, which have several, which rows have no record. Reads only; the pipeline may
/// run meanwhile.
///
/// It goes through each partition in windows, so what it holds is bounded whatever is asked about:
/// 64 MiB of counts, and what one poll gives.
///
/// Thread ownership: the thread that asks.
public final class Verifier {
    /// Hears of the audit as it goes on.
    public interface Listener {
        /// What a reader of the figures has to know.
        void caution(String what);

        /// So far every offset below `offset` of the stretch was looked at.
        void progress(String sink, LogStretch stretch, long offset);

        void partition(VerifiedPartition found);
    }

    private static final int MOST_OFFSETS = 1_000_000;

    /// Of counts, 4 bytes each.
    private static final int MOST_COUNTS = 16 << 20;

    /// Arrays beside those of the shards, while one shard is counted.
    private static final int SPARE = 2;

    private final PipelineConfig config;
    private final KafkaSourceSettings source;
    private final Duration patience;
    private final NanoClock clock = NanoClock.SYSTEM;

    /// A sink's question is given `patience` to be answered.
    public Verifier(PipelineConfig config, Duration patience) {
        this.config = config;
        this.source = Wiring.source(config);
        this.patience = patience;
    }

    /// Goes through what was asked about, in these sinks; in all that are not advisory where there
    /// are none.
    ///
    /// Returns whether nothing is missing, doubled or extra. Throws a line for a person, with an
    /// exit code: 2 for what has to be mended first, 5 where not all could be read; what was told
    /// by then holds.
    public boolean verify(StretchesAsked asked, Set<String> sinks, Listener listener)
            throws StartFailure, InterruptedException {
        var meant = meant(sinks, asked.topics());
        var places = new LinkedHashMap<SinkConfig, StoredPlaces>();
        try (var log = new SourceLog(source, clock)) {
            for (var sink : meant) places.put(sink, open(sink, listener));
            var told = new ArrayList<String>();
            var stretches = log.stretches(asked, told);
            told.forEach(listener::caution);
            try (var absences = new Absences(config, source, stretches, clock, patience)) {
                return verify(places, log, stretches, absences, listener);
            }
        } catch (StartRefused refused) {
            throw Offsets.failure(refused);
        } finally {
            places.values().forEach(StoredPlaces::close);
        }
    }

    private List<SinkConfig> meant(Set<String> names, Set<String> topics) throws StartFailure {
        for (var topic : topics)
            if (!config.kafka().topics().includes(topic))
                throw wrong("topic " + topic + " is none of source.kafka.topics");
        for (var name : names)
            if (config.sinks().stream().noneMatch(sink -> sink.name().equals(name)))
                throw wrong("no sink " + name + " in the file: it has "
                        + String.join(
                                ", ",
                                config.sinks().stream().map(SinkConfig::name).toList()));
        var meant = config.sinks().stream()
                .filter(sink -> names.isEmpty() ? !sink.advisory() : names.contains(sink.name()))
                .filter(sink -> topics.isEmpty() || topics.stream().anyMatch(sink.topics()::includes))
                .toList();
        if (meant.isEmpty()) throw wrong("none of these sinks takes " + String.join(", ", topics));
        return meant;
    }

    private static StartFailure wrong(String line) {
        return new StartFailure(ExitCode.BAD_CONFIGURATION, line);
    }

    /// Throws where a sink can't be read back.
    private StoredPlaces open(SinkConfig sink, Listener listener) throws StartFailure, InterruptedException {
        var where = "sinks." + sink.name() + ": ";
        var others = config.sinks().size() == 1 ? "" : "; --sink names the sinks to be looked at";
        var clickhouse = switch (sink.kind()) {
            case ClickHouseConfig found -> found;
            case PostgresConfig _ ->
                throw wrong(where + "a PostgreSQL sink stores no coordinates of its rows, so they can't be read back"
                        + " by offset" + others);
            case HttpConfig _ -> throw wrong(where + "rows that went out over HTTP can't be read back" + others);
            case BlackholeConfig() -> throw wrong(where + "blackhole keeps nothing" + others);
        };
        StoredPlaces places;
        try {
            places = StoredPlaces.open(Wiring.clickhouse(sink, clickhouse), shards(sink), clock);
        } catch (IllegalArgumentException refused) {
            throw wrong(where + refused.getMessage());
        }
        var readable = false;
        try {
            switch (places.look(patience)) {
                case StoredPlaces.Countable(var cautions) -> {
                    cautions.forEach(caution -> listener.caution(where + caution));
                    readable = true;
                }
                case StoredPlaces.Unfit(var reason) -> throw wrong(where + reason);
                case StoredPlaces.Unreached(var reason) -> throw new StartFailure(ExitCode.FATAL, where + reason);
            }
            return places;
        } finally {
            if (!readable) places.close();
        }
    }

    private static Map<ShardId, List<URI>> shards(SinkConfig sink) {
        var shards = new LinkedHashMap<ShardId, List<URI>>();
        for (var shard : sink.shards()) shards.put(new ShardId(sink.name(), shard.name()), Wiring.endpoints(shard));
        return shards;
    }

    private boolean verify(
            Map<SinkConfig, StoredPlaces> places,
            SourceLog log,
            List<LogStretch> stretches,
            Absences absences,
            Listener listener)
            throws StartRefused, StartFailure, InterruptedException {
        var clean = true;
        for (var entry : places.entrySet()) {
            var sink = entry.getKey();
            for (var stretch : stretches) {
                if (!sink.topics().includes(stretch.topic())) continue;
                var found = new Pass(sink, entry.getValue(), stretch, log, absences, listener).run();
                listener.partition(found);
                clean &= found.clean();
            }
        }
        return clean;
    }

    /// One partition against one sink.
    private final class Pass implements SourceLog.Reader {
        private final SinkConfig sink;
        private final StoredPlaces places;
        private final LogStretch stretch;
        private final SourceLog log;
        private final Absences absences;
        private final Listener listener;
        private final Router router;
        private final List<ShardAudit> audits;
        private AuditWindow window;
        private long records;
        private long unknown;
        private long compactedRows;
        private long notCommitted;

        /// What stopped it while a log was shown.
        private @Nullable Exception failure;

        Pass(
                SinkConfig sink,
                StoredPlaces places,
                LogStretch stretch,
                SourceLog log,
                Absences absences,
                Listener listener) {
            this.sink = sink;
            this.places = places;
            this.stretch = stretch;
            this.log = log;
            this.absences = absences;
            this.listener = listener;
            router = Wiring.router(config.route(), sink.shards().size());
            audits = sink.shards().stream()
                    .map(shard -> new ShardAudit(shard.name()))
                    .toList();
            window = new AuditWindow(stretch.from(), 0, audits, false);
        }

        VerifiedPartition run() throws StartRefused, StartFailure, InterruptedException {
            log.begin(stretch);
            var most = Math.min(MOST_OFFSETS, MOST_COUNTS / (sink.shards().size() + SPARE));
            for (var from = stretch.from(); from < stretch.to(); ) {
                var to = Math.min(stretch.to(), from + most);
                look(from, to);
                listener.progress(sink.name(), stretch, to);
                from = to;
            }
            return new VerifiedPartition(
                    sink.name(),
                    stretch,
                    records,
                    unknown,
                    compactedRows,
                    notCommitted,
                    audits.stream().map(ShardAudit::told).toList());
        }

        private void look(long from, long to) throws StartRefused, StartFailure, InterruptedException {
            window = new AuditWindow(from, (int) (to - from), audits, stretch.compacted());
            var asked = new PlacesAsked(stretch.topic(), stretch.partition(), from, to);
            for (var i = 0; i < audits.size(); i++) {
                var shard = new ShardId(sink.name(), sink.shards().get(i).name());
                var why = places.count(shard, asked, window.stored(i), patience);
                if (why != null)
                    throw new StartFailure(ExitCode.FATAL, "sinks." + sink.name() + ": " + stretch + ": " + why);
            }
            log.readTo(to, this);
            rethrow();
            window.end();
            records += window.records();
            unknown += window.unknown();
            compactedRows += window.compactedRows();
        }

        @Override
        public void record(RecordView record) {
            if (failure != null) return;
            var shard = router.shard(record);
            if (window.isStored(record.offset(), shard)) {
                window.found(record.offset(), shard);
                return;
            }
            try {
                var why = absences.of(sink, record);
                window.absent(shard, record.offset(), why);
                if (why == AuditWindow.Absence.MISSING && record.offset() >= stretch.committed()) notCommitted++;
            } catch (StartRefused | StartFailure stopped) {
                failure = stopped;
            }
        }

        @Override
        public void gone(long from, long to) {
            window.gone(from, to);
        }

        private void rethrow() throws StartRefused, StartFailure {
            switch (failure) {
                case null -> {}
                case StartRefused refused -> throw refused;
                case StartFailure failed -> throw failed;
                default -> throw new IllegalStateException("nothing else is kept", failure);
            }
        }
    }
}
