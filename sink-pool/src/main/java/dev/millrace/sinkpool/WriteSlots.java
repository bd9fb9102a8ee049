package dev.millrace.sinkpool;

import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The write slots of one sink with `inflight.max_total`, shared by its shards' workers: [FairSlots] behind one lock.
///
/// The lock is taken for each attempt, never for each row, and nobody waits for a slot on it: who is granted one is
/// told, outside of the lock.
///
/// Thread ownership: shared.
final class WriteSlots {
    /// Tells a worker of its slot. Must not block.
    interface Granted {
        void tell(int shard, long slot);
    }

    /// What one shard's worker may do with the slots of its sink.
    record Place(@Nullable WriteSlots slots, int shard) {
        /// Of a shard whose sink takes as many writes as there are: nothing is asked for.
        static final Place UNLIMITED = new Place(null, 0);

        void ask(Set<String> tenants) {
            limited().ask(shard, tenants);
        }

        void giveBack(long slot) {
            limited().giveBack(slot);
        }

        private WriteSlots limited() {
            if (slots == null) throw new IllegalStateException("writes are not limited");
            return slots;
        }

        /// The worker has ended: nothing is granted to it any more, and what it had is free.
        void leave() {
            if (slots != null) slots.leave(shard);
        }

        /// Null where writes are not limited.
        @Nullable
        SlotUse use() {
            return slots == null ? null : slots.use();
        }
    }

    private final FairSlots slots;
    private final Granted granted;
    private final ReentrantLock lock = new ReentrantLock();

    WriteSlots(int total, int shards, Granted granted) {
        this.slots = new FairSlots(total, shards);
        this.granted = granted;
    }

    private void ask(int shard, Set<String> tenants) {
        tell(locked(() -> slots.ask(shard, tenants)));
    }

    private void giveBack(long slot) {
        tell(locked(() -> slots.giveBack(slot)));
    }

    private void leave(int shard) {
        tell(locked(() -> slots.leave(shard)));
    }

    private SlotUse use() {
        return locked(() -> new SlotUse(slots.taken(), slots.total()));
    }

    private <T> T locked(Supplier<T> what) {
        lock.lock();
        try {
            return what.get();
        } finally {
            lock.unlock();
        }
    }

    private void tell(List<FairSlots.Grant> grants) {
        for (var grant : grants) granted.tell(grant.shard(), grant.slot());
    }
}
