package dev.millrace.sinkpool;

/// Who is told what became of each item that a front took in.
///
/// An item is told of once. One that the front held when its own thread died may be told of twice, as given up.
///
/// Thread ownership: shared; called on the front's thread and on shard workers': must not block or throw.
public interface ItemEndings<T> {
    /// The sink refused this item for its data. What became of it is told by [#ended], after this.
    default void refused(T item, Failure why) {}

    void ended(T item, Fate fate);
}
