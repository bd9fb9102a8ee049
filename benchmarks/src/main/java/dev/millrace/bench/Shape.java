package dev.millrace.bench;

import java.util.Locale;

/// What a topic of the suite holds: values of one size, as their producer compressed them, in so many
/// partitions; how much of it, as a part of the run's volume; and whether one value in `poisonEvery`
/// is no JSON, 0 for none.
record Shape(int valueBytes, Codec codec, int partitions, int percent, int poisonEvery) {
    private static final long MEGA = 1_000_000L;
    private static final int KILO = 1024;

    /// Names that the producer knows.
    enum Codec {
        NONE,
        LZ4,
        ZSTD;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    Shape {
        if (valueBytes < FilledTopic.LEAST_VALUE_BYTES)
            throw new IllegalArgumentException(
                    "a value of " + valueBytes + " bytes < " + FilledTopic.LEAST_VALUE_BYTES);
        if (partitions < 1) throw new IllegalArgumentException(partitions + " partitions < 1");
        if (percent < 1 || percent > 100) throw new IllegalArgumentException(percent + " % of the volume");
    }

    static Shape of(int valueBytes) {
        return new Shape(valueBytes, Codec.NONE, 12, 100, 0);
    }

    Shape codec(Codec other) {
        return new Shape(valueBytes, other, partitions, percent, poisonEvery);
    }

    Shape partitions(int other) {
        return new Shape(valueBytes, codec, other, percent, poisonEvery);
    }

    Shape percent(int other) {
        return new Shape(valueBytes, codec, partitions, other, poisonEvery);
    }

    Shape poisonEvery(int other) {
        return new Shape(valueBytes, codec, partitions, percent, other);
    }

    /// How many records make it, where a whole volume is so many megabytes of values.
    long records(int megabytes) {
        return Math.max(1, megabytes * MEGA * percent / 100 / valueBytes);
    }

    String topic() {
        return "suite-" + valueBytes + "-" + codec.word() + "-" + partitions + "-" + percent + "-" + poisonEvery;
    }

    /// As the page says it.
    String text() {
        var size = valueBytes % KILO == 0 ? valueBytes / KILO + " KB" : valueBytes + " B";
        return size
                + (codec == Codec.NONE ? "" : " " + codec.word())
                + (partitions == 1 ? ", 1 partition" : ", " + partitions + " partitions")
                + (poisonEvery == 0 ? "" : String.format(Locale.ROOT, ", one of %,d no JSON", poisonEvery));
    }
}
