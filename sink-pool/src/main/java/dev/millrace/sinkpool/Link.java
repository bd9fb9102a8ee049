package dev.millrace.sinkpool;

import org.jspecify.annotations.Nullable;

/// What stands on top of a lane: the newest item, or the end behind which nothing is put any more.
///
/// Thread ownership: the producer until it is in the lane, then whoever empties that.
abstract sealed class Link<T> permits Link.Item, Link.End {
    /// An item on its way. `bytes` is what it counts for until it is encoded.
    static final class Item<T> extends Link<T> {
        final String tenant;
        final T item;
        final int bytes;
        /// How many lie in its lane, this one included; of the first that is drained, how many are.
        int count;

        Item(String tenant, T item, int bytes) {
            this.tenant = tenant;
            this.item = item;
            this.bytes = bytes;
        }
    }

    static final class End<T> extends Link<T> {}

    /// The one that was put there before it.
    @Nullable
    Item<T> next;
}
