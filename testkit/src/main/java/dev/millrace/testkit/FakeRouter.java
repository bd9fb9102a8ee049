package dev.millrace.testkit;

import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.Router;

/// Deals rows to shards by where they come from.
///
/// Thread ownership: immutable.
final class FakeRouter implements Router {
    private final FakeLog log;
    private final int route;

    /// Another `route` deals them otherwise.
    FakeRouter(FakeLog log, int route) {
        this.log = log;
        this.route = route;
    }

    @Override
    public int shard(RecordView record) {
        if (!(record instanceof FakeRecords records)) throw new IllegalArgumentException("not of the fake log");
        return log.shardOf(records.holder().index, records.offset(), route);
    }

    @Override
    public int lane(RecordView record) {
        return 0;
    }
}
