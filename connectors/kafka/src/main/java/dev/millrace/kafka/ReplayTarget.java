package dev.millrace.kafka;

/// What has to be known of the topic that a row goes back to: how many partitions it has, and how old a record may be
/// and stay, in milliseconds.
record ReplayTarget(int partitions, long oldestMillis) {
    /// Whether a record of that time is taken, and is not taken away before it can be read.
    boolean keeps(long timestamp, long nowMillis) {
        return timestamp >= 0 && nowMillis - timestamp <= oldestMillis;
    }
}
