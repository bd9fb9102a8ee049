package dev.millrace.kafka;

import dev.millrace.checkpoint.SegmentPlan;
import dev.millrace.checkpoint.SourcePartition;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/// How batches are planned before they are sent, under effectively-once delivery.
///
/// `fingerprint` is of all settings that decide which rows a batch has; `cluster` is a hash of the
/// id of the Kafka cluster, set when the source starts; 0 for unknown. `newestTokens` tells of
/// each shard that keeps tokens for good which one it acknowledged last of a partition, by the
/// hash of its name. `quarantineNanos`: how long a commit that timed out may still be applied.
public record Planning(
        long fingerprint,
        AtomicInteger cluster,
        int maxOpen,
        int textLimit,
        long quarantineNanos,
        InstantSource wall,
        Function<SourcePartition, Map<Integer, Long>> newestTokens) {
    public Planning {
        if (quarantineNanos < 1) throw new IllegalArgumentException("a quarantine of " + quarantineNanos + " ns");
    }

    SegmentPlan.Settings plans() {
        return new SegmentPlan.Settings(fingerprint, cluster.get(), maxOpen, textLimit);
    }

    long nowSeconds() {
        return Math.floorDiv(wall.millis(), 1000L);
    }
}
