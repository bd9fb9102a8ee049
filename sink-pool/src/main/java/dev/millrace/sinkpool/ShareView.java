package dev.millrace.sinkpool;

/// A share of the budget at one moment. `rows` slots are reserved, or held by an item until it is written or lost;
/// `bytes` may lie above `maxBytes` by items that had their slot. So many producers wait for so many slots.
public record ShareView(long rows, long maxRows, long bytes, long maxBytes, int waiting, long waitingRows) {}
