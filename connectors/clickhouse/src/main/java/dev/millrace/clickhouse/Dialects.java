package dev.millrace.clickhouse;

import dev.millrace.clickhouse.Exchange.Result;
import dev.millrace.httpclient.HttpExchange;
import dev.millrace.sinkpool.Failure;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.WriteOutcome;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which settings each replica's server knows, so that each is told all that it knows and nothing else.
///
/// Invariant: what is frozen with a batch is the list of settings and their values (CH-3). A server that
/// knows more of them is told more, and none is told another value, so that deduplication, the split into
/// blocks and parsing come out the same on each, and after an upgrade or a way back.
///
/// A server is asked before the first insert to it, and again after whatever another server may stand
/// behind: no answer, an unknown setting, a ping, a minute.
///
/// Thread ownership: shared by attempts.
final class Dialects {
    private static final Logger LOG = LoggerFactory.getLogger(Dialects.class);
    private static final long TRUSTED_NANOS = Duration.ofMinutes(1).toNanos();

    private static final WriteOutcome NO_CLICKHOUSE =
            HttpExchange.unavailable("not-clickhouse", "an answer that is not ClickHouse's", false);

    /// What one server said of itself.
    record Spoken(String version, Set<String> known) {
        Spoken {
            known = Set.copyOf(known);
        }
    }

    /// Puts the question to the server that the attempt goes to.
    @FunctionalInterface
    interface Asking {
        Result ask(Exchange.Request question) throws InterruptedException;
    }

    /// Whether an insert can go out, and how.
    sealed interface Way {
        /// `fresh`: the server was asked just now.
        record Open(InsertSettings settings, boolean fresh) implements Way {}

        /// It is not sent at all.
        record Closed(WriteOutcome outcome) implements Way {}
    }

    private record Known(Spoken spoken, InsertSettings base, InsertSettings settings, long askedNanos) {}

    private final NanoClock clock;

    /// What each was said to be when it was last asked: kept for what has changed since.
    private final Map<ClickHouseEndpoint, String> versions = new ConcurrentHashMap<>();

    /// Said, and not used yet.
    private final Map<ClickHouseEndpoint, Spoken> described = new ConcurrentHashMap<>();
    private final Map<ClickHouseEndpoint, Known> known = new ConcurrentHashMap<>();

    Dialects(NanoClock clock) {
        this.clock = clock;
    }

    /// A server said what it is.
    void learned(ClickHouseEndpoint endpoint, Spoken spoken) {
        var before = versions.put(endpoint, spoken.version());
        if (before != null && !before.equals(spoken.version()))
            LOG.atWarn()
                    .addKeyValue("event", "clickhouse_version_changed")
                    .log("{} ran {} and runs {}", endpoint, before, spoken.version());
        described.put(endpoint, spoken);
        known.remove(endpoint);
    }

    /// Another may stand there now.
    void forget(ClickHouseEndpoint endpoint) {
        described.remove(endpoint);
        known.remove(endpoint);
    }

    /// How to insert at this server what `base` says of every insert.
    Way way(ClickHouseEndpoint endpoint, InsertSettings base, Asking asking) throws InterruptedException {
        var now = clock.nanoTime();
        var found = known.get(endpoint);
        if (found != null && now - found.askedNanos() < TRUSTED_NANOS)
            return found.base() == base
                    ? new Way.Open(found.settings(), false)
                    : open(endpoint, found.spoken(), base, found.askedNanos(), false);
        var told = described.remove(endpoint);
        if (told != null) return open(endpoint, told, base, now, false);
        return switch (asking.ask(question(endpoint))) {
            case Result.Failed(var outcome) -> new Way.Closed(outcome);
            case Result.Answered(var answer) -> {
                var verdict = Verdict.of(answer);
                if (!(verdict instanceof WriteOutcome.Written))
                    yield new Way.Closed(HttpExchange.nothingStored(verdict));
                var spoken = spoken(answer.text());
                if (spoken.version().isEmpty()) yield new Way.Closed(NO_CLICKHOUSE);
                learned(endpoint, spoken);
                described.remove(endpoint);
                yield open(endpoint, spoken, base, now, true);
            }
        };
    }

    private Way open(ClickHouseEndpoint endpoint, Spoken spoken, InsertSettings base, long now, boolean fresh) {
        var lacks = lacks(spoken.known());
        if (!lacks.isEmpty())
            return new Way.Closed(new WriteOutcome.Misconfigured(new Failure(
                    "old-server",
                    endpoint + " runs ClickHouse " + spoken.version() + ", which knows no " + lacks
                            + ": use a later one",
                    false)));
        var settings = base.knownBy(spoken.known());
        known.put(endpoint, new Known(spoken, base, settings, now));
        return new Way.Open(settings, fresh);
    }

    /// What a sink needs and this server lacks, in words; empty for nothing.
    static String lacks(Set<String> known) {
        var lacks = new TreeSet<>(InsertSettings.NEEDED);
        lacks.removeAll(known);
        return String.join(", no ", lacks);
    }

    private static Exchange.Request question(ClickHouseEndpoint endpoint) {
        var names =
                InsertSettings.asked().stream().map(ClickHouseWriter::literal).collect(Collectors.joining(", "));
        return Exchange.Request.question(
                endpoint.query("default_format=TSVRaw"),
                BodyPublishers.ofString("SELECT 'version', version() UNION ALL SELECT 'setting', name"
                        + " FROM system.settings WHERE name IN (" + names + ")"));
    }

    private static Spoken spoken(String answer) {
        var version = "";
        var names = new TreeSet<String>();
        for (var line : answer.lines().toList()) {
            if (line.startsWith("version\t")) version = line.substring("version\t".length());
            if (line.startsWith("setting\t")) names.add(line.substring("setting\t".length()));
        }
        return new Spoken(version, names);
    }
}
