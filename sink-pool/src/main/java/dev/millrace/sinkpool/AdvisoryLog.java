package dev.millrace.sinkpool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells of an advisory shard what means something else there than of one that is waited for: nothing waits, what is
/// not taken is dropped.
///
/// Thread ownership: the shard worker.
final class AdvisoryLog {
    private static final Logger LOG = LoggerFactory.getLogger("dev.millrace.shard");

    private final ShardId shard;
    private final NanoClock clock;
    private final PoisonLog drops = new PoisonLog();

    AdvisoryLog(ShardId shard, NanoClock clock) {
        this.shard = shard;
        this.clock = clock;
    }

    /// Returns whether the note is told; others mean the same as anywhere.
    boolean told(ShardNote note) {
        switch (note) {
            case ShardNote.OutageBegan(var first) ->
                LOG.atWarn()
                        .addKeyValue("event", "advisory_outage_began")
                        .addKeyValue("shard", shard)
                        .log("no replica takes writes; what has no room meanwhile is dropped: {}", first);
            case ShardNote.OverloadBegan(var first) ->
                LOG.atWarn()
                        .addKeyValue("event", "overload_began")
                        .addKeyValue("shard", shard)
                        .log("the advisory sink is overloaded; fewer and larger batches go out: {}", first);
            case ShardNote.GaveUp(var batch, var _, var failure) -> dropped(batch, failure);
            case ShardNote.Abandoned(var rows, var inDoubt) ->
                LOG.atInfo()
                        .addKeyValue("event", "advisory_stopped")
                        .addKeyValue("shard", shard)
                        .addKeyValue("rows", rows + inDoubt)
                        .log("nothing waits for these rows; the advisory sink does not get them");
            default -> {
                return false;
            }
        }
        return true;
    }

    private void dropped(long batch, Failure failure) {
        drops.now(clock.nanoTime());
        drops.poison("batch " + batch, failure.code(), failure.message());
        for (var line : drops.take())
            LOG.atWarn()
                    .addKeyValue("event", "advisory_dropped")
                    .addKeyValue("shard", shard)
                    .log("not written, and not tried again: {}", line);
    }
}
