package dev.millrace.pipeline;

import dev.millrace.config.Redaction;
import dev.millrace.kafka.SourceView;
import dev.millrace.pipeline.AdminServer.Answer;
import dev.millrace.sinkpool.ShardView;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What the admin endpoints of one pipeline answer, computed when they are asked.
///
/// `source` gives null until the sinks have said what they look like. What a server answered may hold a secret that it
/// was shown: texts go through `redaction`.
///
/// Thread ownership: any.
record AdminPages(
        Supplier<@Nullable SourceView> source,
        Supplier<Snapshot> snapshot,
        Pulse pulse,
        EventRing events,
        SetAside setAside,
        Supplier<Answer> metrics,
        Redaction redaction) {
    Map<String, Supplier<Answer>> pages() {
        var all = new HashMap<>(Page.files());
        all.put("/healthz", this::health);
        all.put("/readyz", this::readiness);
        all.put("/status", this::status);
        all.put("/status.txt", this::statusText);
        all.put("/stuck", this::stuck);
        all.put("/stuck.txt", this::stuckText);
        all.put("/metrics", metrics);
        return all;
    }

    private Answer text(int code, String text) {
        return Answer.text(code, redaction.of(text));
    }

    /// Looks at the process and the poll loop only: whoever restarts a process for an outage makes
    /// it worse (OPS-7).
    private Answer health() {
        var from = source.get();
        if (from == null) return Answer.text(200, "alive");
        var turn = from.turnAgeNanos();
        if (turn > from.maxPollIntervalNanos() / 2)
            return Answer.text(503, "the poll loop has not turned for " + turn / 1_000_000 + " ms");
        return Answer.text(200, "alive");
    }

    private Answer readiness() {
        var now = snapshot.get();
        if (now.draining()) return text(503, "draining");
        var from = now.source();
        if (!now.started()) return text(503, "starting: a sink can't be reached yet");
        if (from != null && !from.ready()) return text(503, "no assignment");
        if (now.paused()) return text(503, "paused by hand: POST /resume goes on");
        for (var shard : now.shards()) {
            if (!shard.view().usable()) return text(503, shard.shard() + ": no usable replica");
            if (shard.view().blocked()) return text(503, shard.shard() + ": " + held(shard.view()));
        }
        for (var partition : now.partitions())
            if (partition.drifts()) return text(503, partition.partition() + ": " + partition.blockedBy());
        return text(200, "ready");
    }

    /// Refused, or its dead letters are not taken.
    private static String held(ShardView view) {
        for (var held : view.held()) {
            if (held.blocked() && held.failure() != null) return "a batch is held: " + held.failure();
        }
        return "a batch is held";
    }

    private Answer stuck() {
        var now = snapshot.get();
        return Answer.json(StuckJson.of(now.partitions(), now.shards(), now.stuckNanos(), now.nowNanos(), redaction));
    }

    private Answer stuckText() {
        var now = snapshot.get();
        return text(200, StatusText.troubles(now, Troubles.of(now, pulse)).stripTrailing());
    }

    private Answer status() {
        var now = snapshot.get();
        return Answer.json(StatusJson.of(
                now,
                pulse,
                Troubles.of(now, pulse),
                setAside.byReason(now.partitions()),
                events.newestFirst(),
                redaction));
    }

    private Answer statusText() {
        var now = snapshot.get();
        return text(200, StatusText.of(now, pulse, Troubles.of(now, pulse), events.newestFirst()));
    }
}
