package dev.millrace.clickhouse;

/// The offsets `[from, to)` of one partition, few enough to be counted one by one.
public record PlacesAsked(String topic, int partition, long from, long to) {
    public PlacesAsked {
        if (from < 0 || to < from || to - from > Integer.MAX_VALUE)
            throw new IllegalArgumentException("offsets [" + from + ", " + to + ")");
    }

    int length() {
        return (int) (to - from);
    }
}
