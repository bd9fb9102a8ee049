package dev.millrace.pipeline;

import dev.millrace.pipeline.AdminServer.Act;
import dev.millrace.pipeline.AdminServer.Answer;
import dev.millrace.sinkpool.ShardStatus;
import java.net.URI;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a person may do to a running pipeline: pause it, let it go on, drain it, and keep replicas from being written
/// to. Each act is told once, as an event.
///
/// Doing a thing that is done already is no error. Nothing of it outlives the process.
///
/// Thread ownership: any.
record AdminActs(Pause pause, Shards shards, BooleanSupplier stopping, Runnable drain, EventRing events) {
    private static final Logger LOG = LoggerFactory.getLogger("dev.millrace.admin");
    private static final Answer DRAINING = Answer.text(409, "it is draining");

    Map<String, Act> acts() {
        return Map.of(
                "/pause",
                named -> without(named, this::pauses),
                "/resume",
                named -> without(named, this::resumes),
                "/drain",
                named -> without(named, this::drains),
                "/quarantine",
                named -> quarantine(named, true),
                "/release",
                named -> quarantine(named, false));
    }

    private static Answer without(Map<String, String> named, Supplier<Answer> act) {
        return named.isEmpty() ? act.get() : Answer.text(400, "this takes no parameter");
    }

    private Answer pauses() {
        if (stopping.getAsBoolean()) return DRAINING;
        if (pause.begin()) tell(Done.PAUSED, "", "by hand: nothing more is read, what was taken is finished");
        return Answer.text(200, "paused: nothing more is read, what was taken is finished; POST /resume goes on");
    }

    private Answer resumes() {
        if (stopping.getAsBoolean()) return DRAINING;
        if (pause.end()) tell(Done.RESUMED, "", "by hand");
        return Answer.text(200, "resumed");
    }

    private Answer drains() {
        drain.run();
        return Answer.text(
                202, "draining: the process ends within drain.timeout and a second, and reports what is left");
    }

    private Answer quarantine(Map<String, String> named, boolean on) {
        if (!named.keySet().equals(Set.of("shard", "replica")))
            return Answer.text(400, "name shard=SINK/SHARD and replica=ENDPOINT, as /status does");
        for (var shard : shards.status()) {
            if (!shard.shard().toString().equals(named.get("shard"))) continue;
            for (var i = 0; i < shard.endpoints().size(); i++) {
                var endpoint = shard.endpoints().get(i);
                if (isCalled(endpoint, String.valueOf(named.get("replica")))) return quarantine(shard, i, on);
            }
        }
        return Answer.text(404, "no such shard, or no such replica of it; /status names them");
    }

    private static boolean isCalled(URI endpoint, String name) {
        return endpoint.toString().equals(name) || EndpointName.of(endpoint).equals(name);
    }

    private Answer quarantine(ShardStatus shard, int replica, boolean on) {
        shards.quarantine(shard.shard(), replica, on);
        tell(
                on ? Done.QUARANTINED : Done.RELEASED,
                shard.shard() + " " + EndpointName.of(shard.endpoints().get(replica)),
                "by hand");
        return Answer.text(
                200,
                on
                        ? "in quarantine: it gets no new write until POST /release, or a restart"
                        : "released: its breaker alone says whether it is written to");
    }

    private void tell(Done done, String where, String text) {
        events.tell(done.event(), where, text, Instant.now());
        LOG.atWarn().addKeyValue("event", done.event()).log("{}: {}", where.isEmpty() ? "pipeline" : where, text);
    }

    /// What somebody did.
    private enum Done {
        PAUSED,
        RESUMED,
        QUARANTINED,
        RELEASED;

        private String event() {
            return switch (this) {
                case PAUSED -> "paused_by_hand";
                case RESUMED -> "resumed_by_hand";
                case QUARANTINED -> "replica_quarantined";
                case RELEASED -> "replica_released";
            };
        }
    }
}
