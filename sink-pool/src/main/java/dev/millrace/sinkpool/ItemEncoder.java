package dev.millrace.sinkpool;

/// Turns an item of a producer into one row of the sink, and says where it goes. Pure, like a [RowEncoder].
///
/// An item for which `shard`, `keyHash` or `encode` throws is lost as rejected; an `Error` ends the front.
///
/// Thread ownership: `bytes` and `keyHash` on any producer's thread, `keyHash` and everything else on the front's.
public interface ItemEncoder<T> {
    /// The shard's position in the sink's list.
    int shard(String tenant, T item);

    /// How much of the byte share it takes until it is encoded: about what it holds of the heap, and cheap to tell.
    /// From then on it counts what its row does. Less than 0 counts as 0, and so does an exception.
    int bytes(T item);

    /// A hash of the item's key, by which order is kept where the front's shards keep one, and which is not asked
    /// for elsewhere: [Object#hashCode] of the key will do, since it is mixed once more. Items of one key have one
    /// hash, the same each time. Where it is not overridden all items of a tenant are of one key.
    default int keyHash(String tenant, T item) {
        return 0;
    }

    RowEncoder.Encoded encode(String tenant, T item, RowBuffer row);

    /// See [RowEncoder#layout]. Asked before `encode`.
    default int layout(T item) {
        return 0;
    }
}
