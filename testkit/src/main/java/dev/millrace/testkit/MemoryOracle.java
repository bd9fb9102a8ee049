package dev.millrace.testkit;

/// O7: what is in flight is within the budget, but for what its documentation lets pass: at most 64 chunks that were
/// being built for each source thread, or one row larger than that. What the budget counts is what is there.
///
/// Thread ownership: the run.
final class MemoryOracle {
    private static final int MOST_BUILT = 64;

    /// Rows shorter than this end a chunk by its index.
    private static final int BYTES_PER_ROW = 48;

    private static final int LEAST_ROWS = 64;

    private final PipelineProcess process;
    private final int chunkRows;
    private final int chunkBytes;

    MemoryOracle(PipelineProcess process) {
        this.process = process;
        var source = process.source;
        chunkRows = chunkRows(source);
        chunkBytes = source.chunkBytes() + Scenario.LONGEST_ROW + process.world.scenario.largeRow();
    }

    /// Chunks that may be built at once.
    private long beingBuilt() {
        var builders = process.world.log.slots() * process.shards.size();
        return (long) process.members().size() * Math.min(MOST_BUILT, builders);
    }

    /// The most rows of one chunk: a slab may have grown for a row that did not fit.
    static int chunkRows(Scenario.Source source) {
        return Math.max(LEAST_ROWS, Math.max(source.chunkBytes(), 2 * Scenario.LONGEST_ROW) / BYTES_PER_ROW);
    }

    void check() {
        var budget = process.budget;
        var rows = budget.rows();
        var bytes = budget.bytes();
        var built = beingBuilt();
        if (rows > budget.maxRows() + built * chunkRows || bytes > budget.maxBytes() + built * chunkBytes)
            throw new Violation(
                    "O7",
                    rows + " rows and " + bytes + " bytes in flight, of " + budget.maxRows() + " and "
                            + budget.maxBytes());
        var inFlight = 0L;
        for (var counted : process.counted()) inFlight += counted.tally().inFlight();
        if (inFlight != rows)
            throw new Violation("O7", "the budget counts " + rows + " rows, in flight are " + inFlight);
        var heldRows = 0L;
        var heldBytes = 0L;
        for (var shard : process.shards) {
            heldRows += shard.heldRows();
            heldBytes += shard.heldBytes();
        }
        if (heldRows > rows || heldBytes > bytes)
            throw new Violation(
                    "O7",
                    "shards hold " + heldRows + " rows and " + heldBytes + " bytes, the budget counts " + rows + " and "
                            + bytes);
    }

    void atRest() {
        var budget = process.budget;
        if (budget.rows() != 0 || budget.bytes() != 0)
            throw new Violation("O2", "budget holds " + budget.rows() + " rows, " + budget.bytes() + " bytes at rest");
    }
}
