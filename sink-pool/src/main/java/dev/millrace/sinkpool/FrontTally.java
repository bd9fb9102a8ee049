package dev.millrace.sinkpool;

/// Tells the front what became of the items of one share in one shard: the acknowledgement of a chunk for which no
/// source waits. The epoch of such a chunk is the mark that its items lie before.
///
/// Thread ownership: shared, as any tally.
final class FrontTally extends RowTally {
    private final Way way;
    private final Target target;
    private final Endings endings;

    /// Who is told.
    interface Endings {
        void ended(Way way, Target target, EncodedChunk chunk, RowCounts counts);
    }

    FrontTally(Way way, Target target, Endings endings) {
        this.way = way;
        this.target = target;
        this.endings = endings;
    }

    @Override
    void ended(EncodedChunk chunk, RowCounts counts) {
        super.ended(chunk, counts);
        endings.ended(way, target, chunk, counts);
    }
}
