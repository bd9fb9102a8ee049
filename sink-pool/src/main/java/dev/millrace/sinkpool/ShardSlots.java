package dev.millrace.sinkpool;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The write slots of one shard, where its sink takes only so many writes at once (WRT-8): which attempt has which, and
/// whether the shard waits for one. Without a limit an attempt needs none, and nothing is asked for.
///
/// Invariant M10: each live attempt to write has a slot of its own, and no slot outlives its attempt, or the step in
/// which it was granted and not used. At most one ask is out.
///
/// Thread ownership: the shard machine that created it.
final class ShardSlots {
    private static final long NONE = 0;

    private final boolean limited;
    private final Map<Long, Long> byAttempt = new HashMap<>();
    private final List<Long> back = new ArrayList<>();
    private long granted = NONE;
    private boolean asked;
    private @Nullable Set<String> wanted;
    private boolean waits;

    ShardSlots(ShardSettings settings) {
        this.limited = settings.maxTotal() > 0;
    }

    /// A write may begin now.
    boolean mayBegin() {
        return !limited || granted != NONE;
    }

    /// The sink's slots granted what was asked for.
    void granted(long slot) {
        granted = slot;
        asked = false;
    }

    void began(long attempt) {
        if (!limited) return;
        if (granted == NONE) throw new IllegalStateException("attempt " + attempt + " has no write slot");
        byAttempt.put(attempt, granted);
        granted = NONE;
    }

    /// It was answered, lost or given up: whatever its thread still does holds up nobody.
    void ended(long attempt) {
        var slot = byAttempt.remove(attempt);
        if (slot != null) back.add(slot);
    }

    /// Something could be written at once, if there were a slot.
    void want(Set<String> tenants) {
        wanted = tenants;
    }

    /// The end of a step. Asks before it gives back: a shard that has more to write is among those of whom the one that
    /// holds the fewest goes first.
    void carryOut(Consumer<ShardCommand> out) {
        if (granted != NONE) back.add(granted);
        granted = NONE;
        waits = wanted != null;
        if (wanted != null && !asked) {
            asked = true;
            out.accept(new ShardCommand.AskSlot(wanted));
        }
        wanted = null;
        for (var slot : back) out.accept(new ShardCommand.GiveSlotBack(slot));
        back.clear();
    }

    /// In the last step something could have been written, had there been a slot.
    boolean waits() {
        return waits;
    }
}
