package dev.millrace.sinkpool;

/// Gives a sealed batch its token.
@FunctionalInterface
public interface TokenMint {
    /// `sequence` counts the batches that this shard sealed in this run and never repeats.
    Token mint(ShardId shard, long sequence, BatchRows rows);

    /// Tokens for at-least-once delivery: `run` must differ in every run of every process, or a sink that drops
    /// repeats would drop new rows under an old name.
    static TokenMint perRun(String run) {
        if (run.isEmpty()) throw new IllegalArgumentException("a run has a name");
        return (shard, sequence, _) -> new Token(run + "/" + shard + "/" + sequence);
    }
}
