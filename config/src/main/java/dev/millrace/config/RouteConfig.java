package dev.millrace.config;

/// Which shard a record belongs to.
public record RouteConfig(Key key, Hash hash) {

    /// What is hashed. A record without a key goes by its partition.
    public enum Key {
        KAFKA_KEY,
        PARTITION
    }

    public enum Hash {
        MURMUR2
    }
}
