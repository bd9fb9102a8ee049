package dev.millrace.cli.proof;

import java.util.List;

/// Where the rows of a run over a [PoisonMix] go: tables that refuse its poison, in two shards, and ways
/// to them.
interface FireStore extends AutoCloseable {
    int SHARDS = 2;
    int WAYS = 2;

    /// What it refuses, in turns.
    List<PoisonKind> kinds();

    /// Of the dead letter of such a row.
    String code(PoisonKind kind);

    /// Two to each shard, shard by shard.
    List<Way> ways();

    /// Writes the sink into a pipeline's file.
    void into(Recipe recipe);

    Landed landed() throws Exception;

    @Override
    void close();
}
