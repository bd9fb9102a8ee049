package dev.millrace.sinkpool;

import java.net.URI;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the changes of one shard in log lines, each once, under stable event names.
///
/// Thread ownership: the shard worker.
final class ShardLog {
    private static final Logger LOG = LoggerFactory.getLogger("dev.millrace.shard");
    private static final double NANOS_PER_SECOND = 1e9;

    private final ShardId shard;
    private final List<URI> endpoints;
    private final NanoClock clock;
    private final PoisonLog poison = new PoisonLog();
    private final @Nullable AdvisoryLog advisory;

    ShardLog(ShardId shard, boolean advisory, List<URI> endpoints, NanoClock clock) {
        this.shard = shard;
        this.endpoints = endpoints;
        this.clock = clock;
        this.advisory = advisory ? new AdvisoryLog(shard, clock) : null;
    }

    void tell(ShardNote note) {
        if (advisory != null && advisory.told(note)) return;
        switch (note) {
            case ShardNote.OutageBegan(var first) ->
                LOG.atWarn()
                        .addKeyValue("event", "outage_began")
                        .addKeyValue("shard", shard)
                        .log("no replica takes writes; batches wait, nothing is lost: {}", first);
            case ShardNote.OutageEnded(var attempts, var lasted) ->
                LOG.atInfo()
                        .addKeyValue("event", "outage_ended")
                        .addKeyValue("shard", shard)
                        .addKeyValue("attempts", attempts)
                        .addKeyValue("seconds", lasted / NANOS_PER_SECOND)
                        .log("a write succeeded again");
            case ShardNote.OverloadBegan(var first) ->
                LOG.atWarn()
                        .addKeyValue("event", "overload_began")
                        .addKeyValue("shard", shard)
                        .log("the sink is overloaded; fewer and larger batches go out, nothing is lost: {}", first);
            case ShardNote.OverloadEnded(var answers, var lasted) ->
                LOG.atInfo()
                        .addKeyValue("event", "overload_ended")
                        .addKeyValue("shard", shard)
                        .addKeyValue("answers", answers)
                        .addKeyValue("seconds", lasted / NANOS_PER_SECOND)
                        .log("batches go out as set again");
            case ShardNote.ReplicaOpened(var replica, var last, var open) ->
                LOG.atWarn()
                        .addKeyValue("event", "replica_opened")
                        .addKeyValue("shard", shard)
                        .addKeyValue("replica", endpoints.get(replica))
                        .addKeyValue("seconds", open / NANOS_PER_SECOND)
                        .log("the replica gets no writes until it is probed: {}", last);
            case ShardNote.ReplicaHalfOpened(var replica) ->
                LOG.atInfo()
                        .addKeyValue("event", "replica_half_open")
                        .addKeyValue("shard", shard)
                        .addKeyValue("replica", endpoints.get(replica))
                        .log("the replica may be probed");
            case ShardNote.ReplicaClosed(var replica) ->
                LOG.atInfo()
                        .addKeyValue("event", "replica_closed")
                        .addKeyValue("shard", shard)
                        .addKeyValue("replica", endpoints.get(replica))
                        .log("the replica takes writes again, ever more of them");
            case ShardNote.Blocked(var batch, var failure) ->
                LOG.atError()
                        .addKeyValue("event", "batch_blocked")
                        .addKeyValue("shard", shard)
                        .addKeyValue("batch", batch)
                        .log("the sink does not take the batch; it is held and tried again: {}", failure);
            case ShardNote.TakenApart(var batch, var failure) ->
                LOG.atInfo()
                        .addKeyValue("event", "batch_taken_apart")
                        .addKeyValue("shard", shard)
                        .addKeyValue("batch", batch)
                        .log("the sink refused it; parts of it are written to find the rows: {}", failure);
            case ShardNote.Drift(var batch, var suspects, var failure) ->
                LOG.atError()
                        .addKeyValue("event", "poison_rate")
                        .addKeyValue("shard", shard)
                        .addKeyValue("batch", batch)
                        .addKeyValue("suspects", suspects)
                        .log(
                                "more rows are refused than poison.max_rate: the schema changed? None is set aside: {}",
                                failure);
            case ShardNote.Poison(var row, var failure, var skipped) -> poison(row, failure, skipped);
            case ShardNote.GaveUp(var batch, var attempts, var failure) ->
                LOG.atError()
                        .addKeyValue("event", "batch_given_up")
                        .addKeyValue("shard", shard)
                        .addKeyValue("batch", batch)
                        .addKeyValue("attempts", attempts)
                        .log("retry.max_attempts is spent; its offsets are not committed: {}", failure);
            case ShardNote.Pinned(var batch, var replica, var failure) ->
                LOG.atInfo()
                        .addKeyValue("event", "batch_pinned")
                        .addKeyValue("shard", shard)
                        .addKeyValue("batch", batch)
                        .addKeyValue("replica", endpoints.get(replica))
                        .log(
                                "the replica may have stored it, and no other would know; it waits for that one: {}",
                                failure);
            case ShardNote.PinOver(var batch, var replica, var waited, var resent) ->
                pinOver(batch, replica, waited, resent);
            case ShardNote.TokenAges(var batch, var age, var window) ->
                LOG.atWarn()
                        .addKeyValue("event", "token_ages")
                        .addKeyValue("shard", shard)
                        .addKeyValue("batch", batch)
                        .addKeyValue("age_seconds", TimeUnit.NANOSECONDS.toSeconds(age))
                        .addKeyValue("window_seconds", TimeUnit.NANOSECONDS.toSeconds(window))
                        .log("more than half of the time is over for which the sink is sure to know its token");
            case ShardNote.TokenExpired(var batch, var age, var window, var reads) ->
                LOG.atWarn()
                        .addKeyValue("event", "token_expired")
                        .addKeyValue("shard", shard)
                        .addKeyValue("batch", batch)
                        .addKeyValue("age_seconds", TimeUnit.NANOSECONDS.toSeconds(age))
                        .addKeyValue("window_seconds", TimeUnit.NANOSECONDS.toSeconds(window))
                        .log(
                                reads
                                        ? "the sink may have forgotten its token: what is stored is read first"
                                        : "the sink may have forgotten its token: sent again, perhaps stored twice");
            case ShardNote.Abandoned(var rows, var inDoubt) ->
                LOG.atWarn()
                        .addKeyValue("event", "abandoned")
                        .addKeyValue("shard", shard)
                        .addKeyValue("rows", rows)
                        .addKeyValue("in_doubt", inDoubt)
                        .log("the deadline passed; these rows are not committed and replay");
            case ShardNote.Sealed(var batch) ->
                LOG.atTrace()
                        .addKeyValue("event", "batch_sealed")
                        .addKeyValue("shard", shard)
                        .addKeyValue("batch", batch.id())
                        .log("{} rows, {}", batch.rows().rows(), batch.reason());
            case ShardNote.Wrote(var batch, var replica, var accepted, var duplicate, var _, var _) ->
                LOG.atTrace()
                        .addKeyValue("event", "batch_written")
                        .addKeyValue("shard", shard)
                        .addKeyValue("batch", batch.id())
                        .log("{} rows, {} duplicate, to {}", accepted, duplicate, endpoints.get(replica));
        }
    }

    private void poison(RowRef row, Failure failure, boolean skipped) {
        poison.now(clock.nanoTime());
        poison.poison(row.toString(), failure.code(), skipped ? "skipped" : "set aside");
        for (var line : poison.take())
            LOG.atWarn()
                    .addKeyValue("event", skipped ? "row_skipped" : "row_poison")
                    .addKeyValue("shard", shard)
                    .log("{}", line);
    }

    static void hookFailed(Throwable cause) {
        LOG.atWarn()
                .addKeyValue("event", "writer_hook_failed")
                .log(
                        "a writer threw {} when it was cancelled or closed",
                        cause.getClass().getName());
    }

    private void pinOver(long batch, int replica, long waitedNanos, boolean resent) {
        LOG.atWarn()
                .addKeyValue("event", resent ? "batch_resent" : "batch_pin_over")
                .addKeyValue("shard", shard)
                .addKeyValue("batch", batch)
                .addKeyValue("replica", endpoints.get(replica))
                .addKeyValue("seconds", waitedNanos / NANOS_PER_SECOND)
                .log(
                        resent
                                ? "its replica did not come back in ambiguous.pin_for; it goes to any now, and its rows"
                                        + " count as possible duplicates"
                                : "its replica did not come back in ambiguous.pin_for; it waits on, and its offsets with"
                                        + " it: bring the replica back, or set ambiguous.then to resend");
    }

    static void closeOverran(long writers) {
        LOG.atWarn()
                .addKeyValue("event", "writer_close_overran")
                .addKeyValue("writers", writers)
                .log("these writers did not close in time; the process ends without them");
    }

    void died(Throwable cause) {
        LOG.atError()
                .addKeyValue("event", "worker_died")
                .addKeyValue("shard", shard)
                .setCause(cause)
                .log(
                        advisory == null
                                ? "the shard's worker ended by a fault; what it held is not committed and replays"
                                : "the worker of this advisory shard ended by a fault; what it is to see is dropped");
    }
}
