package dev.millrace.testkit;

import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.Router;

/// Deals rows to shards by where they come from, and to lanes by their key.
///
/// Thread ownership: immutable.
final class FakeRouter implements Router {
    private final FakeLog log;
    private final int route;
    private final int lanes;

    /// Another `route` deals them otherwise.
    FakeRouter(FakeLog log, int route, int lanes) {
        this.log = log;
        this.route = route;
        this.lanes = lanes;
    }

    @Override
    public int shard(RecordView record) {
        return log.shardOf(of(record).holder().index, record.offset(), route);
    }

    private static FakeRecords of(RecordView record) {
        if (record instanceof FakeRecords records) return records;
        throw new IllegalArgumentException("not of the fake log");
    }

    @Override
    public int lane(RecordView record) {
        return lanes == 1 ? 0 : log.keyOf(of(record).holder().index, record.offset()) % lanes;
    }
}
