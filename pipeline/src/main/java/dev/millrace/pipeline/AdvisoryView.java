package dev.millrace.pipeline;

import dev.millrace.kafka.AdvisoryAccount;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.ShardStatus;
import java.util.List;
import java.util.function.ToLongFunction;

/// One advisory sink at one moment. `reached`: it has said what it looks like.
///
/// At rest the outcomes of its rows add up to `seen`; those in between are `inFlight`.
///
/// @param budget what it may hold, beside that of the acknowledged sinks
record AdvisoryView(
        String sink, boolean reached, AdvisoryAccount account, AdmissionBudget budget, List<ShardStatus> shards) {
    AdvisoryView {
        shards = List.copyOf(shards);
    }

    long seen() {
        return account.seen();
    }

    long inFlight() {
        return account.inFlight();
    }

    long rows(AdvisoryOutcome outcome) {
        return switch (outcome) {
            case WRITTEN -> account.written();
            case FAILED -> sum(shard -> shard.counts().rowsDropped());
            case NO_ROOM -> account.dropped(AdvisoryAccount.Drop.NO_ROOM);
            case NOT_ACCEPTED -> account.dropped(AdvisoryAccount.Drop.NOT_ACCEPTED);
            case NOT_DONE -> account.dropped(AdvisoryAccount.Drop.NOT_DONE);
            case NOT_ENCODED -> account.dropped(AdvisoryAccount.Drop.NOT_ENCODED);
            case UNREACHED -> account.dropped(AdvisoryAccount.Drop.UNREACHED);
            case STOPPED -> sum(AdvisoryView::stopped);
        };
    }

    // All that a shard gives up for another reason than a write that did not succeed.
    private static long stopped(ShardStatus shard) {
        var counts = shard.counts();
        return counts.rowsAbandoned() + counts.rowsInDoubt() - counts.rowsDropped();
    }

    private long sum(ToLongFunction<ShardStatus> of) {
        return shards.stream().mapToLong(of).sum();
    }
}
