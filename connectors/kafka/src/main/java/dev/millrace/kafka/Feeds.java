package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.Intake;
import dev.millrace.sinkpool.NanoClock;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.Router;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.Target;
import java.util.ArrayList;
import java.util.List;

/// The sinks of a pipeline as one source thread feeds them: an encoder for each sink, an outlet
/// for each target.
///
/// Thread ownership: the source thread.
final class Feeds {
    /// One sink. Its outlets begin at `firstOutlet`.
    record Feed(SinkFeed sink, int index, RowEncoder encoder, int firstOutlet, Router router, int lanes) {
        Feed(SinkFeed sink, int index, RowEncoder encoder, int firstOutlet) {
            this(sink, index, encoder, firstOutlet, sink.router(), sink.lanes());
        }

        /// Which outlet the record goes to.
        int outlet(RecordView record) {
            var first = firstOutlet + router.shard(record) * lanes;
            return lanes == 1 ? first : first + router.lane(record);
        }
    }

    private final List<Feed> feeds = new ArrayList<>();
    private final Outlet[] outlets;

    Feeds(List<SinkFeed> sinks, Intake intake) {
        var all = new ArrayList<Outlet>();
        for (var sink : sinks) {
            var index = feeds.size();
            feeds.add(new Feed(sink, index, sink.encoder().get(), all.size()));
            for (var shard = 0; shard < sink.shards(); shard++)
                for (var lane = 0; lane < sink.lanes(); lane++)
                    all.add(new Outlet(new Target(index, shard, lane), sink, intake));
        }
        outlets = all.toArray(Outlet[]::new);
    }

    /// A sink's encoders are of another layout from now on. Returns whether it is one of these.
    boolean renew(String sink) {
        for (var i = 0; i < feeds.size(); i++) {
            var feed = feeds.get(i);
            if (!feed.sink().name().equals(sink)) continue;
            feeds.set(
                    i, new Feed(feed.sink(), feed.index(), feed.sink().encoder().get(), feed.firstOutlet()));
            return true;
        }
        return false;
    }

    boolean takes(String sink, String topic) {
        for (var feed : of(topic)) if (feed.sink().name().equals(sink)) return true;
        return false;
    }

    /// The sinks that take a topic, in the order of the configuration.
    List<Feed> of(String topic) {
        return feeds.stream().filter(feed -> feed.sink().topics().test(topic)).toList();
    }

    int outlets() {
        return outlets.length;
    }

    Outlet outlet(int index) {
        return outlets[index];
    }

    /// Offers everything there is.
    void offerAll() {
        for (var outlet : outlets) outlet.offer();
    }

    /// Offers what was refused before, and what is `chunk.linger` old.
    void offerDue(long nowNanos) {
        for (var outlet : outlets) {
            if (outlet.blocked() || (!outlet.isEmpty() && nowNanos - outlet.oldestNanos() >= outlet.lingerNanos))
                outlet.offer();
        }
    }

    /// When something would next be offered because of its age.
    long wakeAtNanos() {
        var wake = NanoClock.NEVER;
        for (var outlet : outlets) {
            if (outlet.refused() || outlet.isEmpty()) continue;
            wake = NanoClock.earlier(wake, outlet.oldestNanos() + outlet.lingerNanos);
        }
        return wake;
    }

    boolean anyBlocked() {
        for (var outlet : outlets) if (outlet.blocked()) return true;
        return false;
    }

    boolean isEmpty() {
        for (var outlet : outlets) if (!outlet.isEmpty()) return false;
        return true;
    }

    void drop(SourcePartition partition, long epoch) {
        for (var outlet : outlets) outlet.drop(partition, epoch);
    }

    void discard() {
        for (var outlet : outlets) outlet.discard();
    }
}
