package dev.millrace.sinkpool;

import dev.millrace.checkpoint.SourcePartition;
import dev.millrace.checkpoint.TopicId;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/// Makes chunks of items: one open at a time for each share, tenant, shard, lane and layout; so that lanes keep their
/// order, what comes in another layout hands over what is open of its lane.
///
/// A chunk is done when it is full, when it is old enough, and at a mark. An item counts what its producer said until
/// its chunk is done, and what its row takes from then on.
///
/// Thread ownership: the front's thread.
final class ItemChunks<T> {
    /// Each open chunk of a shard has a slab, which no budget counts, and which is kept when the chunk is handed
    /// over half empty: as many slabs are kept as chunks are open, so each is filled before it is given up.
    private static final int MOST_OPEN = 64;

    private static final int LEAST_OPEN = SlabSource.SPARES;

    /// Who gets what is done.
    interface Done {
        /// What its items counted comes with it.
        void chunk(Way way, EncodedChunk chunk, long counted);
    }

    private record Key(Way way, String tenant, int shard, int lane, int layout) {
        private boolean is(Way itsWay, String itsTenant, int itsShard, int itsLane, int itsLayout) {
            return way == itsWay
                    && shard == itsShard
                    && lane == itsLane
                    && layout == itsLayout
                    && tenant.equals(itsTenant);
        }

        private boolean isOfLaneOf(Key other) {
            return way == other.way && lane == other.lane && tenant.equals(other.tenant);
        }
    }

    private final class Open {
        private final Way way;
        private final ChunkBuilder builder;
        private final long sinceNanos;
        private long items;
        private long counted;
        private @Nullable T item;
        private List<T> held = new ArrayList<>();
        private int coming;
        private boolean came;

        private Open(Key key, long mark, long nowNanos) {
            way = key.way();
            sinceNanos = nowNanos;
            builder = new ChunkBuilder(
                    new SourcePartition(key.tenant(), TopicId.UNKNOWN, way.number()),
                    mark,
                    new Target(0, key.shard(), key.lane()),
                    slabs.get(key.shard()),
                    budget,
                    tally(way, key.shard()),
                    this::done);
            builder.beginUnawaited(nowNanos);
        }

        private RowEncoder.Encoded append(Link.Item<T> link, long number) {
            coming = link.bytes;
            item = link.item;
            came = false;
            var record = new ItemRecord<>(encoder, link, number);
            var encoded = builder.append(record, record);
            if (encoded instanceof RowEncoder.Encoded.Written && !came) count();
            return encoded;
        }

        private void count() {
            items++;
            counted += coming;
            if (out != null && item != null) held.add(item);
            came = true;
        }

        /// Is done with the row that is being appended, or before it.
        private void done(EncodedChunk chunk) {
            if (chunk.rows() > items) count();
            var all = counted;
            items = 0;
            counted = 0;
            if (out != null) {
                out.hold(chunk, held);
                held = new ArrayList<>();
            }
            done.chunk(way, chunk, all);
        }
    }

    private final ItemEncoder<T> encoder;
    private final List<Integer> lanes;
    private final AdmissionBudget budget;
    private final List<SlabSource> slabs;
    private final Map<Way, List<FrontTally>> tallies = new EnumMap<>(Way.class);
    private final Done done;
    private final @Nullable ItemsOut<T> out;
    private final List<SequencedMap<Key, Open>> open = new ArrayList<>();
    private final int mostOpen;
    private @Nullable Key lastKey;
    private @Nullable Open last;
    private long numbers;

    /// `lanes` of each shard; 0 where no order is kept.
    ItemChunks(
            ItemEncoder<T> encoder,
            AdmissionBudget budget,
            SlabPool pool,
            List<Integer> lanes,
            FrontTally.Endings endings,
            Done done,
            @Nullable ItemsOut<T> out) {
        var shards = lanes.size();
        this.encoder = encoder;
        this.lanes = List.copyOf(lanes);
        this.budget = budget;
        this.done = done;
        this.out = out;
        this.mostOpen = mostOpen(budget, pool, shards);
        var sources = new ArrayList<SlabSource>();
        for (var shard = 0; shard < shards; shard++) {
            sources.add(new SlabSource(pool, mostOpen));
            open.add(new LinkedHashMap<>());
        }
        this.slabs = List.copyOf(sources);
        for (var way : Way.values()) {
            var of = new ArrayList<FrontTally>();
            for (var shard = 0; shard < shards; shard++) of.add(new FrontTally(way, new Target(0, shard, 0), endings));
            tallies.put(way, List.copyOf(of));
        }
    }

    /// All of them together hold a quarter of the budget at most, or the least.
    private static int mostOpen(AdmissionBudget budget, SlabPool pool, int shards) {
        return Math.clamp(budget.maxBytes() / 4 / shards / pool.slabBytes(), LEAST_OPEN, MOST_OPEN);
    }

    private FrontTally tally(Way way, int shard) {
        return Objects.requireNonNull(tallies.get(way)).get(shard);
    }

    /// Makes a row of it, behind what its tenant has for its shard. What is not [RowEncoder.Encoded.Written] is in no
    /// chunk, and neither is one that the encoder throws for.
    RowEncoder.Encoded add(Way way, Link.Item<T> item, long mark, long nowNanos) {
        var shard = encoder.shard(item.tenant, item.item);
        if (shard < 0 || shard >= slabs.size())
            throw new IndexOutOfBoundsException("shard " + shard + " of " + slabs.size());
        var of = lanes.get(shard);
        var lane = of == 0 ? 0 : KeyLane.of(encoder.keyHash(item.tenant, item.item), of);
        return open(way, item, shard, lane, mark, nowNanos).append(item, ++numbers);
    }

    private Open open(Way way, Link.Item<T> item, int shard, int lane, long mark, long nowNanos) {
        var layout = encoder.layout(item.item);
        var key = lastKey;
        var was = last;
        if (key != null && was != null && key.is(way, item.tenant, shard, lane, layout)) return was;
        key = new Key(way, item.tenant, shard, lane, layout);
        var ofShard = open.get(shard);
        var of = ofShard.get(key);
        if (of == null) {
            if (lanes.get(shard) > 0) handOverLane(ofShard, key);
            if (ofShard.size() >= mostOpen) handOverOldest(ofShard);
            of = new Open(key, mark, nowNanos);
            ofShard.put(key, of);
        }
        lastKey = key;
        last = of;
        return of;
    }

    /// Hands over what was opened at this time or before.
    void handOver(long untilNanos) {
        for (var ofShard : open)
            while (!ofShard.isEmpty() && ofShard.firstEntry().getValue().sinceNanos - untilNanos <= 0)
                handOverOldest(ofShard);
    }

    /// What is open of its lane in another layout came before it.
    private void handOverLane(SequencedMap<Key, Open> ofShard, Key key) {
        for (var one : List.copyOf(ofShard.keySet())) if (one.isOfLaneOf(key)) handOver(ofShard, one);
    }

    private void handOver(SequencedMap<Key, Open> ofShard, Key key) {
        lastKey = null;
        last = null;
        Objects.requireNonNull(ofShard.remove(key)).builder.handOver();
    }

    private void handOverOldest(SequencedMap<Key, Open> ofShard) {
        handOver(ofShard, ofShard.firstEntry().getKey());
    }

    /// When the oldest was opened; [NanoClock#NEVER] if none is.
    long oldestNanos() {
        var oldest = NanoClock.NEVER;
        for (var ofShard : open)
            if (!ofShard.isEmpty())
                oldest = NanoClock.earlier(oldest, ofShard.firstEntry().getValue().sinceNanos);
        return oldest;
    }
}
