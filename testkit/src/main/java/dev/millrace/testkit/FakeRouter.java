package dev.millrace.testkit;

import dev.millrace.kafka.KeyLanes;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.Router;
import org.jspecify.annotations.Nullable;

/// Deals rows to shards by where they come from, and to lanes by their key, as a source does.
///
/// Thread ownership: immutable.
final class FakeRouter implements Router {
    private final FakeLog log;
    private final int route;
    private final @Nullable KeyLanes lanes;

    /// Another `route` deals them otherwise.
    FakeRouter(FakeLog log, int route, int lanes) {
        this.log = log;
        this.route = route;
        this.lanes = lanes == 1 ? null : new KeyLanes(this, lanes);
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
        return lanes == null ? 0 : lanes.lane(record);
    }
}
