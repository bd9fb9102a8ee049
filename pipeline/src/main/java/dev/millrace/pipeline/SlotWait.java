package dev.millrace.pipeline;

import dev.millrace.sinkpool.ShardStatus;
import org.jspecify.annotations.Nullable;

/// What a shard waits for that has something to write and no write slot (WRT-8), in words.
final class SlotWait {
    private SlotWait() {}

    /// Null where it waits for none.
    static @Nullable String of(ShardStatus shard) {
        var slots = shard.slots();
        if (slots == null || !shard.view().waitsForSlot()) return null;
        return "a write slot: " + slots.taken() + " of " + slots.total() + " taken (inflight.max_total)";
    }
}
