package dev.millrace.kafka;

import dev.millrace.checkpoint.SegmentPlan;
import java.time.InstantSource;
import java.util.function.IntSupplier;

/// How batches are planned before they are sent, under effectively-once delivery.
///
/// `fingerprint` is of all settings that decide which rows a batch has; `cluster` tells, once the brokers have
/// answered, whose offsets these are. `quarantineNanos`: how long a commit that timed out may still be applied.
public record Planning(
        long fingerprint,
        IntSupplier cluster,
        int maxOpen,
        int textLimit,
        long quarantineNanos,
        InstantSource wall) {
    public Planning {
        if (quarantineNanos < 1) throw new IllegalArgumentException("a quarantine of " + quarantineNanos + " ns");
    }

    SegmentPlan.Settings plans() {
        return new SegmentPlan.Settings(fingerprint, cluster.getAsInt(), maxOpen, textLimit);
    }

    long nowSeconds() {
        return Math.floorDiv(wall.millis(), 1000L);
    }
}
