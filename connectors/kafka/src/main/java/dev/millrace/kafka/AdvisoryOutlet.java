package dev.millrace.kafka;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.sinkpool.AdmissionBudget;
import dev.millrace.sinkpool.ChunkBuilder;
import dev.millrace.sinkpool.EncodedChunk;
import dev.millrace.sinkpool.RecordView;
import dev.millrace.sinkpool.RowEncoder;
import dev.millrace.sinkpool.SlabSource;
import dev.millrace.sinkpool.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One advisory sink as one source thread feeds it: its encoder, and the chunks that go to its shards at
/// the end of the turn.
///
/// What its shards do not take at once is dropped and counted: nothing here waits (ADV-2).
///
/// Thread ownership: the source thread.
final class AdvisoryOutlet {
    private final AdvisoryFeed feed;
    private final AdvisoryAccount account;
    private final List<Target> targets = new ArrayList<>();
    private final List<SlabSource> slabs = new ArrayList<>();
    private final List<List<EncodedChunk>> accepted = new ArrayList<>();
    private @Nullable RowEncoder encoder;
    private boolean any;

    AdvisoryOutlet(AdvisoryFeed feed) {
        this.feed = feed;
        this.account = feed.account();
        for (var shard = 0; shard < feed.sink().shards(); shard++)
            for (var lane = 0; lane < feed.sink().lanes(); lane++) {
                targets.add(new Target(0, shard, lane));
                slabs.add(new SlabSource(feed.sink().slabs().slabBytes()));
                accepted.add(new ArrayList<>());
            }
    }

    boolean takes(String topic) {
        return feed.sink().topics().test(topic);
    }

    AdvisoryAccount account() {
        return account;
    }

    int targets() {
        return targets.size();
    }

    int target(RecordView record) {
        var router = feed.sink().router();
        return router.shard(record) * feed.sink().lanes() + router.lane(record);
    }

    AdmissionBudget budget() {
        return feed.intake().budget();
    }

    /// Null until its sink can say what it takes.
    @Nullable
    RowEncoder encoder() {
        var mine = encoder;
        if (mine == null && feed.ready().getAsBoolean())
            encoder = mine = feed.sink().encoder().get();
        return mine;
    }

    /// Its sink's encoders are of another layout from now on. Returns whether it is the one of this name.
    /// What is being built is handed over before, by its followers.
    boolean renew(String sink) {
        if (!feed.sink().name().equals(sink)) return false;
        encoder = null;
        return true;
    }

    ChunkBuilder builder(SourcePartition partition, long epoch, int target, Consumer<EncodedChunk> ready) {
        return new ChunkBuilder(
                partition, epoch, targets.get(target), slabs.get(target), budget(), account.tally(), ready);
    }

    /// Every acknowledged sink has these rows.
    void accept(List<EncodedChunk> chunks) {
        for (var chunk : chunks) accepted.get(index(chunk.target())).add(chunk);
        any |= !chunks.isEmpty();
    }

    private int index(Target target) {
        return target.shard() * feed.sink().lanes() + target.lane();
    }

    /// Offers what was accepted.
    void handOn() {
        if (!any) return;
        any = false;
        for (var i = 0; i < accepted.size(); i++) {
            if (accepted.get(i).isEmpty()) continue;
            offer(targets.get(i), accepted.set(i, new ArrayList<>()));
        }
    }

    // All of it may be more than the shard's share, where a part of it is not.
    private void offer(Target target, List<EncodedChunk> chunks) {
        if (feed.intake().offer(target, chunks)) return;
        for (var chunk : chunks)
            if (!feed.intake().offer(target, List.of(chunk))) drop(chunk, AdvisoryAccount.Drop.NO_ROOM);
    }

    void drop(EncodedChunk chunk, AdvisoryAccount.Drop why) {
        account.drop(why, chunk.rows());
        chunk.close();
    }
}
