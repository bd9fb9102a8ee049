package dev.millrace.kafka;

/// The offsets `[from, to)` of one partition. `committed` is what the group has committed there, -1
/// for nothing. `compacted`: the log may have lost records in its midst.
public record LogStretch(String topic, int partition, long from, long to, long committed, boolean compacted) {
    public LogStretch {
        if (from < 0 || to < from) throw new IllegalArgumentException("offsets [" + from + ", " + to + ")");
    }

    @Override
    public String toString() {
        return topic + "-" + partition + " [" + from + ", " + to + ")";
    }
}
