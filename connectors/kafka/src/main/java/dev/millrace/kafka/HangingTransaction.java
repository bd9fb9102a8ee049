package dev.millrace.kafka;

import org.jspecify.annotations.Nullable;

/// A transaction that nobody ends: readers of committed records get nothing from `stableOffset` on.
///
/// @param ageNanos since this process first saw the last stable offset stand there, so at least that old
/// @param producerId whose it is, null where the cluster does not tell
public record HangingTransaction(
        long stableOffset, long ageNanos, @Nullable Long producerId) {}
