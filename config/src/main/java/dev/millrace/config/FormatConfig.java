package dev.millrace.config;

/// How a Kafka value becomes a row, and what a value that is missing (a tombstone) becomes.
public sealed interface FormatConfig {
    OnTombstone onTombstone();

    /// One JSON object per value.
    record Json(OnTombstone onTombstone) implements FormatConfig {
        public Json {
            if (onTombstone == OnTombstone.ROW) throw new IllegalArgumentException("a tombstone is no JSON row");
        }
    }

    /// The value's bytes as they are.
    record Raw(OnTombstone onTombstone) implements FormatConfig {}

    /// SKIP acknowledges and counts; DEAD_LETTER treats it as poison; ROW writes a row without a value.
    enum OnTombstone {
        SKIP,
        DEAD_LETTER,
        ROW
    }
}
