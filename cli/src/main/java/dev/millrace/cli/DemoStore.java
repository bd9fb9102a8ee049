package dev.millrace.cli;

import java.util.List;

/// The real store under the demo: a table of orders in each of two shards, two replicas before each, of
/// which the last can be cut.
///
/// Thread ownership: the command's thread.
interface DemoStore extends AutoCloseable {
    List<String> SHARDS = List.of("s0", "s1");
    List<String> REPLICAS = List.of("a", "b");

    static int replicas() {
        return SHARDS.size() * REPLICAS.size();
    }

    /// As it stands in a pipeline's file. `index` counts shard by shard.
    String endpoint(int index);

    /// The sink's own section of a pipeline's file, as flow YAML behind its kind.
    String section();

    /// The last replica's connections stay open, and nothing comes back.
    void hang();

    /// The last replica refuses connections.
    void refuse();

    void heal();

    long rowsStored();

    /// What the last line says of `stored` rows. `duplicates` are those that the sink refused by its own
    /// count.
    String told(int produced, long stored, long duplicates);

    /// Where a person may look.
    List<String> addresses();

    @Override
    void close();
}
