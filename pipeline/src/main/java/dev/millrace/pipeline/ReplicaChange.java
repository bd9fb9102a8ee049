package dev.millrace.pipeline;

import org.jspecify.annotations.Nullable;

/// A replica's breaker came into another phase. `reason` is the last failure where it opened, else null.
public record ReplicaChange(
        String endpoint, Progress.Phase phase, @Nullable String reason) {}
